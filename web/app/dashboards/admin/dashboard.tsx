import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router';
import { pendingClosuresQuery } from '#api/account/account-closure';
import { adminFiguresQuery } from '#api/company/admin-figures';
import { useSession } from '#api/transport/session';
import { DashboardShell, type DashboardShellProps } from '../shell/dashboard-shell.tsx';
import { adminActions } from './actions.tsx';
import { CleanDatabaseButton } from './clean-database/clean-database-button.tsx';
import { useCleaningNotice } from './clean-database/use-cleaning-notice.ts';
import { AdminTools } from './parts/admin-tools.tsx';
import { sections } from './sections.tsx';
import { lazyPart } from '#ui/lazy-part';

const CompanySettingsDialog = lazyPart(() => import('./reglages/company-settings-dialog.tsx'));

const loadFirstRows = () => import('./first-rows.ts');

// The shell writes the title: section and company.
export const meta = () => [];

/** « Dashboard Administrateur » (AD-01, H-03, H-04). */
export default function AdminDashboard() {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  // The dialog has an address: the palette and the page of settings open it too, and « Back » closes it.
  const sought = search.get('parametres');
  const openSettings = () =>
    setSearch({ ...Object.fromEntries(search), parametres: 'nom' }, { preventScrollReset: true });
  const closeSettings = () => {
    const { parametres: _, ...rest } = Object.fromEntries(search);
    setSearch(rest, { replace: true, preventScrollReset: true });
  };
  const waiting = useWaiting();
  useCleaningNotice();
  // Mails of before the page of settings lead to its blocks by that word.
  if (sought !== null && sought !== 'nom')
    return <Navigate replace to={`?${new URLSearchParams({ section: 'reglages', bloc: sought })}`} />;
  return (
    <DashboardShell
      role="admin"
      title={t('Dashboard Administrateur')}
      sections={sections}
      loadFirstRows={loadFirstRows}
      waiting={waiting}
      headerTools={(place) => <AdminTools {...place} onSettings={openSettings} />}
      actions={Object.values(adminActions)}
      menuFoot={<CleanDatabaseButton />}
    >
      {sought !== null && <CompanySettingsDialog onClose={closeSettings} />}
    </DashboardShell>
  );
}

/** Counts of what waits for the admin, beside the names of the menu. */
function useWaiting(): DashboardShellProps['waiting'] {
  const { t } = useTranslation();
  const session = useSession();
  const isAdmin = session.status === 'signed-in' && session.profile.role === 'admin';
  const { data } = useQuery({ ...adminFiguresQuery, enabled: isAdmin });
  const { data: closures } = useQuery({
    ...pendingClosuresQuery(isAdmin ? session.profile.id : ''),
    enabled: isAdmin,
  });
  const kind = (count: number, one: string, many: string) => ({ count, words: count > 1 ? many : one });
  return {
    'vue-d-ensemble': [
      kind(closures?.length ?? 0, t('fermeture de compte demandée'), t('fermetures de compte demandées')),
    ],
    validations: [kind(data?.salesToValidateCount ?? 0, t('contrat à valider'), t('contrats à valider'))],
    'demandes-de-paiement': [
      { count: data?.requestsToDecideCount ?? 0, words: t('à décider') },
      { count: data?.requestsToPayCount ?? 0, words: t('à payer') },
    ],
  };
}
