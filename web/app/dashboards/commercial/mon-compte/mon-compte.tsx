import { useQuery } from '@tanstack/react-query';
import { HandCoins } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { payeeAccountQuery } from '#api/payments/payee-accounts';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { EmptyState } from '#ui/empty-state';
import { lazyPart } from '#ui/lazy-part';
import { PageHeader } from '#ui/page-header';
import { Skeleton } from '#ui/skeleton';
import { AccountBalances } from '../../parts/account-balances.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { StatementTable } from '../../parts/statement-table.tsx';
import { Statements } from '../../parts/statements.tsx';
import { Upcoming } from '../../parts/upcoming.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { OwnPeriods } from './own-periods.tsx';

const DisputeDialog = lazyPart(() => import('../../parts/dispute-dialog.tsx'));

const sectionId = 'mon-compte';

/** « Mon compte » of the commercial (LG-02): every line that makes what the company owes them, each with « Pourquoi ? » and « Contester ». */
export default function MonCompte({ detail, openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const account = useQuery(payeeAccountQuery(profile.id));
  const { contestation, ...others } = detail;
  return (
    <>
      <PageHeader
        title={t('Mon compte')}
        description={t('Ce que la société vous doit, et chaque opération qui l’explique.')}
      />
      {contestation !== undefined && (
        <DisputeDialog
          disputeId={contestation}
          onClose={() => openSection(sectionId, others, { replace: true, keepScroll: true })}
        />
      )}
      {account.data === null ? (
        <Card>
          <EmptyState
            icon={<HandCoins />}
            title={t('Rien sur votre compte pour le moment')}
            description={t('Votre première commission s’y inscrira dès que la société aura validé un de vos contrats.')}
            action={<Button onClick={() => openSection('contrats-d-affiliation')}>{t('Voir mes contrats')}</Button>}
          />
        </Card>
      ) : (
        <>
          <StaleNotice query={account} />
          {account.data ? <AccountBalances account={account.data} /> : <Skeleton className="h-24 w-full" />}
          <Upcoming held={account.data?.held} />
          <OwnPeriods payeeId={profile.id} />
          <Card className="mt-5">
            <CardHeader title={t('Opérations')} level={3} />
            <StatementTable />
          </Card>
          <Statements
            className="mt-5"
            sectionId={sectionId}
            payeeId={profile.id}
            title={t('Relevés de compte')}
            detail={detail}
            openSection={openSection}
          />
        </>
      )}
    </>
  );
}
