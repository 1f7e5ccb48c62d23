import { emailMissing } from '@parrain/domain/messages';
import type { Cents } from '@parrain/domain/money';
import { isEarned } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { MessageSquareQuote, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { invitationRightsQuery } from '#api/people/invitation-rights';
import { ownReferralsQuery } from '#api/sales/own-referrals';
import { refresh } from '#api/transport/refresh';
import type { Referral } from '#api/sales/referral';
import { firstPage } from '#api/transport/read-page';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { InvitationObstacles } from './invitation-obstacles.tsx';
import { InviteFriendDialog } from './invite-friend-dialog.tsx';

/** « Mes Parrainages » (CL-02 to CL-04): who was invited, where each stands, what it may bring. */
export default function MesParrainages({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [page, setPage] = useState(firstPage);
  const [inviting, setInviting] = useState(false);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const referrals = useQuery(ownReferralsQuery(profile.id, page));
  const rights = useQuery(invitationRightsQuery(profile.id));
  const obstacles = rights.data?.obstacles ?? [];
  const mayInvite = obstacles.length === 0;
  const cards = figures.data;
  const invite = (
    <Button variant="primary" icon={<UserPlus aria-hidden />} disabled={!mayInvite} onClick={() => setInviting(true)}>
      {t('Inviter un ami')}
    </Button>
  );
  const columns: readonly DataColumn<Referral>[] = [
    { id: 'friend', header: t('Ami'), cell: (sale) => <Friend sale={sale} /> },
    {
      id: 'commercial',
      header: t('Commercial'),
      cell: (sale) => <span className="break-words">{sale.commercialName ?? t('Pas encore attribué')}</span>,
    },
    { id: 'status', header: t('Statut'), cell: (sale) => <Status sale={sale} /> },
    {
      id: 'invited',
      header: t('Invité le'),
      cell: (sale) => <DateText value={sale.createdAt} className="whitespace-nowrap" />,
    },
    {
      id: 'commission',
      header: t('Commission potentielle'),
      align: 'right',
      cell: (sale) => <PotentialCommission sale={sale} forecast={cards?.forecastCommission ?? null} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('Mes Parrainages')}
        description={t('Invitez vos amis : s’ils signent, une commission est pour vous.')}
        actions={invite}
      />
      <StaleNotice query={referrals} />
      <InvitationObstacles obstacles={obstacles} openProfile={() => openSection('profil')} />
      <FigureGrid>
        <FigureCard
          label={t('Amis invités')}
          value={cards?.friendsInvitedCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Contrats signés')}
          value={cards?.signedContractsCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
          action={{ label: t('Voir les contrats'), onClick: () => openSection('contrats-valides') }}
        />
        <FigureCard
          label={t('Total commissions')}
          tone={cards && cards.totalCommissions > 0n ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.totalCommissions} />}
          failed={figures.isLoadingError}
          action={{ label: t('Voir mes commissions'), onClick: () => openSection('mes-commissions') }}
        />
      </FigureGrid>
      <Card className="mt-5">
        <CardHeader title={t('Historique')} level={3} />
        <DataTable
          caption={t('Historique de mes parrainages')}
          columns={columns}
          rows={referrals.data?.rows}
          rowKey={(sale) => sale.id}
          failed={referrals.isLoadingError}
          onRetry={refresh}
          refreshing={referrals.isPlaceholderData || (referrals.isLoadingError && referrals.isFetching)}
          server={{ page: referrals.data, onMove: setPage }}
          empty={
            <EmptyState
              icon={<UserPlus />}
              title={t('Aucun parrainage pour le moment')}
              description={
                mayInvite
                  ? t('Invitez un premier ami : votre commercial le rappelle, et vous suivez tout ici.')
                  : t('Vous suivrez ici les amis que vous inviterez.')
              }
              action={mayInvite && invite}
            />
          }
        />
      </Card>
      <InviteFriendDialog
        open={inviting}
        isMailSent={rights.data?.isMailSent ?? true}
        onClose={() => setInviting(false)}
      />
    </>
  );
}

function Friend({ sale }: { sale: Referral }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 lg:max-w-80">
      <p className="font-medium break-words">{sale.referredContactName}</p>
      <p
        className={
          sale.referredContactEmail === null
            ? 'text-sm font-normal text-encre-faint'
            : 'text-sm font-normal break-all text-encre-soft'
        }
      >
        {sale.referredContactEmail ?? t(emailMissing)}
      </p>
      {sale.personalMessage && (
        <p className="mt-1 flex gap-2 text-sm font-normal text-encre-faint">
          <MessageSquareQuote aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="line-clamp-2 min-w-0 break-words">« {sale.personalMessage} »</span>
        </p>
      )}
    </div>
  );
}

function Status({ sale }: { sale: Referral }) {
  const { t } = useTranslation();
  const reason = referralReason(sale);
  return (
    <div className="lg:max-w-64">
      <ReferralStatus referral={sale} audience="client" />
      {reason !== null && (
        <p className="mt-1 text-sm break-words text-encre-soft">
          {t('Motif :')} {reason}
        </p>
      )}
    </div>
  );
}

/** CL-04: the commission as recorded; before the contract, the fixed amount of the scale in force, where it gives one. */
function PotentialCommission({ sale, forecast }: { sale: Referral; forecast: Cents | null }) {
  const { t } = useTranslation();
  if (sale.status === 'rejected' || sale.cancellation !== null) return <span className="text-encre-faint">—</span>;
  if (sale.clientCommissionAmount === null) {
    if (forecast === null) return <span className="text-encre-faint">{t('À venir')}</span>;
    return (
      <span className="text-encre-soft">
        <Amount cents={forecast} />
        <span className="block text-sm text-encre-faint">{t('prévision')}</span>
      </span>
    );
  }
  return (
    <ExplainedCommission
      amount={sale.clientCommissionAmount}
      sale={sale}
      side="client"
      className={isEarned(sale) ? 'text-sapin' : undefined}
    />
  );
}
