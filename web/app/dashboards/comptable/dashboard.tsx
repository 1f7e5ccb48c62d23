import { useTranslation } from 'react-i18next';
import { DashboardShell } from '../shell/dashboard-shell.tsx';
import { sections } from './sections.tsx';

const loadFirstRows = () => import('./first-rows.ts');

// The shell writes the title: section and company.
export const meta = () => [];

/** The dashboard of the company's accountant, who reads and changes nothing (UI-12). */
export default function AccountantDashboard() {
  const { t } = useTranslation();
  return (
    <DashboardShell role="comptable" title={t('Espace comptable')} sections={sections} loadFirstRows={loadFirstRows} />
  );
}
