import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { commercialFiguresQuery } from '#api/sales/commercial-figures';
import { useSession } from '#api/transport/session';
import { DashboardShell } from '../shell/dashboard-shell.tsx';
import { commercialActions } from './actions.tsx';
import { sections } from './sections.tsx';

const loadFirstRows = () => import('./first-rows.ts');

// The shell writes the title: section and company.
export const meta = () => [];

/** The commercial's dashboard (CO-01, H-02); the menu counts the referrals that wait for a next move. */
export default function CommercialDashboard() {
  const { t } = useTranslation();
  const session = useSession();
  const profile = session.status === 'signed-in' && session.profile.role === 'commercial' ? session.profile : undefined;
  const figures = useQuery({ ...commercialFiguresQuery(profile?.id ?? ''), enabled: profile !== undefined });
  const toFollowUp = figures.data?.toFollowUpCount ?? 0;
  return (
    <DashboardShell
      role="commercial"
      title={t('Dashboard Commercial')}
      sections={sections}
      loadFirstRows={loadFirstRows}
      actions={Object.values(commercialActions)}
      waiting={{
        'parrainages-recus': [
          { count: toFollowUp, words: toFollowUp > 1 ? t('parrainages à suivre') : t('parrainage à suivre') },
        ],
      }}
    />
  );
}
