import { useTranslation } from 'react-i18next';
import { DashboardShell } from '../shell/dashboard-shell.tsx';
import { sections } from './sections.tsx';

// The shell writes the title: section and company.
export const meta = () => [];

/** « Dashboard Administrateur » (AD-01, H-03, H-04). */
export default function AdminDashboard() {
  const { t } = useTranslation();
  return <DashboardShell role="admin" title={t('Dashboard Administrateur')} sections={sections} />;
}
