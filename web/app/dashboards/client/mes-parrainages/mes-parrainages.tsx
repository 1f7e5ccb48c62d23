import { emailMissing } from '@parrain/domain/messages';
import type { Cents } from '@parrain/domain/money';
import { isEarned } from '@parrain/domain/sale';
import { formatEuros } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { invitationRightsQuery } from '#api/people/invitation-rights';
import { ownReferralsQuery } from '#api/sales/own-referrals';
import { refresh } from '#api/transport/refresh';
import type { Referral } from '#api/sales/referral';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { isBare, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { clientActions } from '../actions.tsx';
import { FriendProgress } from './friend-progress.tsx';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';

// After the rows that it exports.
const ExportMenu = lazyPart(
  async () => ({ default: (await import('../../parts/export-menu.tsx')).ExportMenu }),
  <span className="h-9 w-28" />,
);
// With its figures, which come after the screen.
const Wallet = lazyPart(
  async () => ({ default: (await import('../wallet/wallet.tsx')).Wallet }),
  <Skeleton className="mb-4 h-38 rounded-card max-lg:h-64" />,
);
const NoFriend = lazyPart(() => import('./no-friend.tsx'));
// Most clients meet no obstacle.
const InvitationObstacles = lazyPart(async () => ({
  default: (await import('./invitation-obstacles.tsx')).InvitationObstacles,
}));
const FriendPanel = lazyPart(async () => ({ default: (await import('./friend-panel.tsx')).FriendPanel }));
const InviteFriendDialog = lazyPart(async () => ({
  default: (await import('./invite-friend-dialog.tsx')).InviteFriendDialog,
}));
const PersonalLinkDialog = lazyPart(async () => ({
  default: (await import('./personal-link-dialog.tsx')).PersonalLinkDialog,
}));

/** « Mes Parrainages » (CL-02 to CL-04): who was invited, where each stands, what it may bring. */
export default function MesParrainages(props: SectionProps) {
  const { openSection } = props;
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('mes-parrainages', props, 'parrainage');
  const [inviting, setInviting] = useState(false);
  const isInvitationKnown = useOnce(inviting);
  const [sharing, setSharing] = useState(false);
  const isLinkKnown = useOnce(sharing);
  const isPanelKnown = useOnce(list.openId !== undefined);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const referrals = useQuery(ownReferralsQuery({ clientId: profile.id, search: list.search, page: list.page }));
  const neighbours = useNeighbours(list, referrals, referrals.data?.rows.map(({ id }) => id) ?? []);
  const rights = useQuery(invitationRightsQuery(profile.id));
  const obstacles = rights.data?.obstacles ?? [];
  const mayInvite = obstacles.length === 0;
  const cards = figures.data;
  const invite = (
    <ActionButton
      variant="primary"
      action={clientActions.inviteFriend}
      disabled={!mayInvite}
      onRun={() => setInviting(true)}
    />
  );
  const columns: readonly DataColumn<Referral>[] = [
    { id: 'friend', header: t('Ami'), width: 'address', cell: (sale) => <Friend sale={sale} /> },
    {
      id: 'message',
      header: t('Message'),
      width: 'medium',
      from: '1280px',
      cell: (sale) => (
        <Cell
          text={sale.personalMessage && `«\u00a0${sale.personalMessage}\u00a0»`}
          className="text-sm text-encre-soft"
        />
      ),
    },
    {
      id: 'commercial',
      header: t('Commercial'),
      width: 'medium',
      from: '1280px',
      cell: (sale) => (
        <Cell text={sale.commercialName ?? t('Pas encore attribué')} className="wide:max-roomy:text-sm" />
      ),
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
        description={t('Vos amis, où ils en sont, et ce qu’ils vous rapportent.')}
        actions={
          <>
            <ActionButton
              action={clientActions.sharePersonalLink}
              disabled={!mayInvite}
              onRun={() => setSharing(true)}
            />
            {invite}
          </>
        }
      />
      <StaleNotice query={referrals} />
      {obstacles.length > 0 && <InvitationObstacles openProfile={() => openSection('profil')} />}
      {!figures.isLoadingError && <Wallet cards={cards} openedAt={list.openedAt} openSection={openSection} />}
      <FigureGrid>
        <FigureCard
          label={t('Amis invités')}
          value={cards?.friendsInvitedCount.toLocaleString('fr-FR')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Contrats signés')}
          value={cards?.signedContractsCount.toLocaleString('fr-FR')}
          note={
            cards &&
            (cards.contractsToValidateCount === 0
              ? t('validés par la société')
              : t('dont {{number}} à valider', { number: cards.contractsToValidateCount }))
          }
          failed={figures.isLoadingError}
          action={{ label: t('Voir les contrats'), onClick: () => openSection('contrats-valides') }}
        />
        <FigureCard
          label={t('Total commissions')}
          value={cards && <Amount cents={cards.totalCommissions} />}
          note={
            cards &&
            (cards.totalCommissions === 0n
              ? t('aucune commission pour l’instant')
              : cards.pendingCommissions === 0n
                ? t('toutes validées par la société')
                : t('dont {{amount}} à valider', { amount: formatEuros(cards.pendingCommissions) }))
          }
          failed={figures.isLoadingError}
          action={{ label: t('Voir mes commissions'), onClick: () => openSection('mes-commissions') }}
        />
      </FigureGrid>
      <Card className="mt-5">
        <DataTable
          name="mes-parrainages"
          title={t('Historique')}
          caption={t('Historique de mes parrainages')}
          columns={columns}
          rows={referrals.data?.rows}
          rowKey={(sale) => sale.id}
          onRowOpen={(sale) => list.openRow(sale.id)}
          rowHref={(sale) => list.hrefOf(sale.id)}
          failed={referrals.isLoadingError}
          onRetry={refresh}
          refreshing={referrals.isPlaceholderData || (referrals.isLoadingError && referrals.isFetching)}
          searchLabel={isBare(list, referrals) ? undefined : t('Rechercher un ami')}
          server={{
            page: referrals.data,
            onMove: list.setPage,
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          exporting={Boolean(referrals.data?.rowCount) && <ExportMenu list="own-referrals" page={referrals.data} />}
          empty={<NoFriend action={mayInvite && invite} />}
        />
      </Card>
      {isPanelKnown && (
        <FriendPanel
          referralId={list.openId}
          onClose={list.closeRow}
          commissionOf={(sale) => <PotentialCommission sale={sale} forecast={cards?.forecastCommission ?? null} />}
          neighbours={neighbours}
        />
      )}
      {isLinkKnown && <PersonalLinkDialog open={sharing} onClose={() => setSharing(false)} />}
      {isInvitationKnown && (
        <InviteFriendDialog
          open={inviting}
          isMailSent={rights.data?.isMailSent ?? true}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  );
}

function Friend({ sale }: { sale: Referral }) {
  const { t } = useTranslation();
  return (
    <Cell
      text={sale.referredContactName}
      className="font-medium"
      second={sale.referredContactEmail}
      secondNode={sale.referredContactEmail === null && <span className="text-encre-faint">{t(emailMissing)}</span>}
    />
  );
}

function Status({ sale }: { sale: Referral }) {
  const { t } = useTranslation();
  const reason = referralReason(sale, t);
  return (
    <>
      <ReferralStatus referral={sale} audience="client" />
      <FriendProgress referral={sale} />
      {reason !== null && (
        <p className="text-xs break-words text-encre-soft wide:max-w-48">
          {t('{{label}} :', { label: reason.label })} {reason.text}
        </p>
      )}
    </>
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
