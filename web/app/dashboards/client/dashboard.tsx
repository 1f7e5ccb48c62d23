import { useTranslation } from 'react-i18next';
import { DashboardShell } from '../shell/dashboard-shell.tsx';
import { clientActions } from './actions.tsx';
import { RulesStep } from './programme-rules/rules-step.tsx';
import { sections } from './sections.tsx';

const loadFirstRows = () => import('./first-rows.ts');

// The shell writes the title: section and company.
export const meta = () => [];

/** The client's dashboard (CL-01, H-02). */
export default function ClientDashboard() {
  const { t } = useTranslation();
  return (
    <DashboardShell
      role="client"
      title={t('Dashboard Client')}
      sections={sections}
      loadFirstRows={loadFirstRows}
      actions={Object.values(clientActions)}
    >
      <RulesStep />
    </DashboardShell>
  );
}
