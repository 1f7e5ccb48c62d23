import { controlBalances, controlDifference, controlFlows, type ControlLine } from '@parrain/domain/ledger';
import { formatEuros } from '@parrain/domain/money';
import { monthsOf, periodLabels, periodNames, periodOf, type Months } from '@parrain/domain/period';
import { roleLabels } from '@parrain/domain/role';
import { useQuery } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { accountControlQuery } from '#api/payments/account-control';
import { payeeAccountsQuery, type PayeeAccount } from '#api/payments/payee-accounts';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { Skeleton } from '#ui/skeleton';
import { lazyPart } from '#ui/lazy-part';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { OpenDisputes } from './open-disputes.tsx';
import { PersonAccount } from './person-account.tsx';

const DisputeDialog = lazyPart(() => import('../../parts/dispute-dialog.tsx'));

const sectionId = 'controle-des-comptes';

/** LG-02: the company's accounts by period, from the ledger beside the lists, and everybody's account line by line. */
export default function ControleDesComptes(props: SectionProps) {
  const { t } = useTranslation();
  const { detail, openSection, hrefOf } = props;
  const payeeId = detail['personne'];
  const month = detail['mois'];
  const [now] = useState(() => new Date());
  const period = periodOf(detail['periode']);
  const { contestation, ...others } = detail;
  const dispute = contestation !== undefined && (
    <DisputeDialog
      disputeId={contestation}
      onClose={() => openSection(sectionId, others, { replace: true, keepScroll: true })}
    />
  );
  if (payeeId !== undefined) {
    return (
      <>
        <PersonAccount {...props} payeeId={payeeId} />
        {dispute}
      </>
    );
  }
  // The commercials' months stood here before they had a tab of the payments.
  if (month !== undefined) return <Navigate to={hrefOf('commissions-des-commerciaux', { mois: month })} replace />;
  return (
    <>
      <SectionTabs
        {...props}
        of="comptabilite"
        current="controle-des-comptes"
        title={t('Contrôle des comptes')}
        description={t(
          'Chaque euro est vérifié deux fois : dans le grand livre, et dans vos écrans. L’écart doit être nul.',
        )}
        actions={
          <div className="w-52">
            <Select
              label={t('Période')}
              size="sm"
              options={periodNames.map((value) => ({ value, label: t(periodLabels[value]) }))}
              value={period}
              onValueChange={(value) =>
                openSection(sectionId, { ...detail, periode: value }, { replace: true, keepScroll: true })
              }
            />
          </div>
        }
      />
      <OpenDisputes
        onOpen={(id) => openSection(sectionId, { ...detail, contestation: id }, { keepScroll: true })}
        onAccount={(id) => openSection(sectionId, { ...detail, personne: id })}
      />
      <Control months={monthsOf(period, now)} />
      <Accounts {...props} />
      {dispute}
    </>
  );
}

function Control({ months }: { months: Months }) {
  const { t } = useTranslation();
  const query = useQuery(accountControlQuery(months));
  const moves = query.data;
  const flows = useMemo(() => moves && controlFlows(moves), [moves]);
  const balances = useMemo(() => moves && controlBalances(moves), [moves]);
  const difference = moves && controlDifference(moves);
  const columns = useMemo(
    (): readonly DataColumn<ControlLine>[] => [
      { id: 'ligne', header: t('Ligne'), width: 'wide', cell: (line) => <Cell text={t(line.label)} /> },
      {
        id: 'grand-livre',
        header: t('Grand livre'),
        align: 'right',
        cell: (line) => <Amount cents={line.ledger} className="font-medium" />,
      },
      { id: 'listes', header: t('Listes'), align: 'right', cell: (line) => <Amount cents={line.lists} /> },
      {
        id: 'ecart',
        header: t('Écart'),
        align: 'right',
        cell: ({ ledger, lists }) => (
          <Amount
            cents={ledger - lists}
            signed
            className={ledger === lists ? undefined : 'font-semibold text-danger'}
          />
        ),
      },
    ],
    [t],
  );
  const table = (title: string, rows: readonly ControlLine[] | undefined) => (
    <Card>
      <DataTable
        title={title}
        caption={title}
        columns={columns}
        rows={rows}
        rowKey={(line) => line.id}
        failed={query.isLoadingError}
        onRetry={refresh}
        refreshing={query.isFetching}
        pageSize={20}
        empty={<EmptyState icon={<Scale />} title={t('Aucun mouvement')} />}
      />
    </Card>
  );
  return (
    <div className="flex flex-col gap-5">
      <StaleNotice query={query} />
      {/* As high as the notice that comes. */}
      {query.isPending && <Skeleton className="h-18 w-full max-sm:h-29" />}
      {difference !== undefined &&
        (difference === 0n ? (
          <Notice tone="success" title={t('Aucun écart')}>
            {t('Le grand livre et les listes disent la même chose, au centime, jusqu’à la fin de la période.')}
          </Notice>
        ) : (
          <Notice tone="error" title={t('Écart de {{amount}}', { amount: formatEuros(difference) })}>
            {t(
              'Le grand livre et les listes ne disent pas la même chose. La vérification des comptes, dans « État du système », nomme les lignes en cause.',
            )}
          </Notice>
        ))}
      {table(t('Mouvements de la période'), flows)}
      {table(t('Soldes à la fin de la période'), balances)}
    </div>
  );
}

/** Everybody whose account has a line, each leading to its lines. */
function Accounts(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState(sectionId, props, 'personne');
  const accounts = useQuery(payeeAccountsQuery({ search: list.search, page: list.page }));
  const columns = useMemo(
    (): readonly DataColumn<PayeeAccount>[] => [
      { id: 'nom', header: t('Nom'), width: 'medium', cell: (account) => <Cell text={account.fullName} /> },
      { id: 'role', header: t('Rôle'), cell: (account) => t(roleLabels[account.role]) },
      amountColumn('gagne', t('Gagné'), (account) => account.earned),
      // Mostly nothing: a card leaves them to the person's own account.
      { ...amountColumn('repris', t('Repris'), (account) => account.reversed), card: 'hidden' },
      {
        ...amountColumn('ajuste', t('Ajusté'), (account) => account.adjusted),
        card: 'hidden',
        from: '1280px',
        cell: ({ adjusted, waived }) => (
          <>
            <Amount cents={adjusted} />
            {waived !== 0n && <Beside text={t('abandonné {{amount}}', { amount: formatEuros(waived) })} />}
          </>
        ),
      },
      { ...amountColumn('a-venir', t('À venir'), (account) => account.held), card: 'hidden' },
      amountColumn('demande', t('Demandé'), (account) => account.reserved),
      {
        ...amountColumn('paye', t('Payé'), (account) => account.paid),
        cell: ({ paid, repaid }) => (
          <>
            <Amount cents={paid} />
            {repaid !== 0n && <Beside text={t('remboursé {{amount}}', { amount: formatEuros(repaid) })} />}
          </>
        ),
      },
      {
        id: 'disponible',
        header: t('Disponible'),
        align: 'right',
        cell: ({ available }) => (
          <Amount cents={available} className={available < 0n ? 'font-medium text-danger' : 'font-medium'} />
        ),
      },
    ],
    [t],
  );
  return (
    <Card className="mt-5">
      <StaleNotice query={accounts} />
      <DataTable<PayeeAccount>
        name="comptes"
        title={t('Comptes par personne')}
        caption={t('Comptes par personne')}
        columns={columns}
        rows={accounts.data?.rows}
        rowKey={(account) => account.id}
        failed={accounts.isLoadingError}
        onRetry={refresh}
        refreshing={accounts.isPlaceholderData || (accounts.isLoadingError && accounts.isFetching)}
        searchLabel={t('Rechercher une personne')}
        onRowOpen={(account) => list.openRow(account.id)}
        rowHref={(account) => list.hrefOf(account.id)}
        exporting={Boolean(accounts.data?.rowCount) && <ExportMenu list="payee-accounts" page={accounts.data} />}
        server={{
          page: accounts.data,
          onMove: list.setPage,
          search: list.typed,
          onSearchChange: list.setTyped,
        }}
        empty={
          <EmptyState
            icon={<Scale />}
            title={t('Aucun compte pour le moment')}
            description={t('Un compte s’ouvre à la première commission validée.')}
          />
        }
      />
    </Card>
  );
}

/** A debt that was repaid or waived, under the sum beside which it stands (AC-05). */
function Beside({ text }: { text: string }) {
  return <span className="block text-xs text-encre-soft">{text}</span>;
}

function amountColumn(id: string, header: string, of: (account: PayeeAccount) => bigint): DataColumn<PayeeAccount> {
  return { id, header, align: 'right', cell: (account) => <Amount cents={of(account)} /> };
}
