import { useTranslation } from 'react-i18next';
import { DashboardShell } from '../shell/dashboard-shell.tsx';
import { sections } from './sections.tsx';

// The shell writes the title: section and company.
export const meta = () => [];

/** The commercial's dashboard (CO-01, H-02). */
export default function CommercialDashboard() {
  const { t } = useTranslation();
  return <DashboardShell role="commercial" title={t('Dashboard Commercial')} sections={sections} />;
}
