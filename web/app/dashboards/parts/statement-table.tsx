import { formatDate, formatDateTime } from '@parrain/domain/date';
import { useQuery } from '@tanstack/react-query';
import { ListOrdered } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountLinesQuery, type AccountLine } from '#api/payments/account-lines';
import { payeeAccountQuery } from '#api/payments/payee-accounts';
import { disputesOfQuery, type Dispute } from '#api/payments/disputes';
import { firstPage } from '#api/transport/read-page';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { lazyPart } from '#ui/lazy-part';
import { AccountOperation } from './account-operation.tsx';
import { ExplainedCommission } from './explained-commission.tsx';
import { ExportMenu } from './export-menu.tsx';
import { ReceiptButton } from './receipt-button.tsx';
import { StaleNotice } from './stale-notice.tsx';

const DisputeDialog = lazyPart(() => import('./dispute-dialog.tsx'));

/** « Relevé »: every line of the reader's own account, with the balance after it, from the ledger (LG-02). */
export function StatementTable() {
  const { t } = useTranslation();
  const profile = useProfile();
  const isClient = profile.role === 'client';
  const [page, setPage] = useState(firstPage);
  const lines = useQuery(accountLinesQuery({ payeeId: profile.id, isStatement: true, page }));
  const disputes = useQuery(disputesOfQuery(profile.id));
  // A commercial reads it among their balances.
  const account = useQuery({ ...payeeAccountQuery(profile.id), enabled: isClient });
  const vatPaid = account.data?.vatPaid ?? 0n;
  const [opened, setOpened] = useState<AccountLine>();
  const openedDispute = opened && disputes.data?.get(opened.id);
  const columns: readonly DataColumn<AccountLine>[] = [
    {
      id: 'line',
      header: t('Opération'),
      cell: (line) => (
        <>
          <AccountOperation line={line} />
          {line.act === 'repayment' && (
            <p className="mb-1.5">
              <ReceiptButton actId={line.sourceId} of={formatDate(line.at)} />
            </p>
          )}
          {/* What one asked for oneself is not contested (DF-46). */}
          {disputes.data && (line.act !== 'request' || disputes.data.has(line.id)) && (
            <DisputeButton dispute={disputes.data.get(line.id)} of={line} onOpen={() => setOpened(line)} />
          )}
        </>
      ),
    },
    { id: 'date', header: t('Date'), cell: (line) => <DateText value={line.at} className="whitespace-nowrap" /> },
    {
      id: 'amount',
      header: t('Montant'),
      align: 'right',
      cell: (line) => (
        <ExplainedCommission
          amount={line.change}
          saleId={line.saleId ?? undefined}
          of={formatDateTime(line.at)}
          side={line.side}
          signed
          className={line.change < 0n ? undefined : 'text-sapin'}
        />
      ),
    },
    {
      id: 'balance',
      header: t('Solde'),
      align: 'right',
      cell: (line) => <Amount cents={line.available} className="font-medium" />,
    },
  ];
  return (
    <>
      <StaleNotice query={lines} />
      {opened &&
        (openedDispute ? (
          <DisputeDialog disputeId={openedDispute.id} onClose={() => setOpened(undefined)} />
        ) : (
          <DisputeDialog line={opened} onClose={() => setOpened(undefined)} />
        ))}
      <DataTable
        caption={isClient ? t('Relevé de mes commissions et de mes demandes') : t('Relevé de mes commissions')}
        columns={columns}
        rows={lines.data?.rows}
        rowKey={(line) => line.id}
        failed={lines.isLoadingError || account.isLoadingError}
        onRetry={refresh}
        refreshing={
          lines.isPlaceholderData ||
          (lines.isLoadingError && lines.isFetching) ||
          (account.isLoadingError && account.isFetching)
        }
        server={{ page: lines.data, onMove: setPage }}
        exporting={Boolean(lines.data?.rowCount) && <ExportMenu list="own-account-lines" page={lines.data} />}
        empty={
          <EmptyState
            icon={<ListOrdered />}
            title={t('Aucune opération pour le moment')}
            description={
              isClient
                ? t('Vos commissions validées et vos demandes de paiement s’inscriront ici, une par ligne.')
                : t('Vos commissions validées s’inscriront ici, une par ligne.')
            }
          />
        }
      />
      {vatPaid !== 0n && (
        <p className="px-4 py-3 text-sm text-encre-soft sm:px-5">
          {t('TVA payée en plus de vos commissions')} : <Amount cents={vatPaid} />
        </p>
      )}
    </>
  );
}

/** LG-06: under each line, the way to question it; where it was, what came of it. */
function DisputeButton({ dispute, of, onOpen }: { dispute: Dispute | undefined; of: AccountLine; onOpen: () => void }) {
  const { t } = useTranslation();
  const words =
    dispute === undefined
      ? t('Contester')
      : dispute.closedAt === null
        ? t('Contestation en cours')
        : t('Contestation close : voir la réponse');
  return (
    <button
      type="button"
      aria-label={t('{{words}}, opération du {{instant}}', { words, instant: formatDateTime(of.at) })}
      onClick={onOpen}
      className="tap-target mb-1.5 rounded-field text-sm text-encre-faint underline decoration-hairline underline-offset-4 hover:text-encre"
    >
      {words}
    </button>
  );
}
