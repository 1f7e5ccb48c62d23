import { formatDateTime } from '@parrain/domain/date';
import { ledgerAccountLabels } from '@parrain/domain/ledger';
import { roleLabels } from '@parrain/domain/role';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ListOrdered, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { accountLinesQuery, type AccountLine } from '#api/payments/account-lines';
import { payeeAccountQuery } from '#api/payments/payee-accounts';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { PageHeader } from '#ui/page-header';
import { lazyPart } from '#ui/lazy-part';
import { AccountBalances } from '../../parts/account-balances.tsx';
import { AccountOperation } from '../../parts/account-operation.tsx';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { Statements } from '../../parts/statements.tsx';
import type { SectionProps } from '../../shell/sections.ts';

const AccountActs = lazyPart(() => import('../parts/account-acts.tsx'));

const sectionId = 'controle-des-comptes';

/** LG-02: every line that makes one person's balance, from the first to the last. */
export function PersonAccount({ payeeId, detail, openSection, hrefOf }: SectionProps & { payeeId: string }) {
  const { t } = useTranslation();
  const { personne: _, lignes = '', ...others } = detail;
  const account = useQuery(payeeAccountQuery(payeeId));
  const lines = useQuery(accountLinesQuery({ payeeId, isStatement: false, page: lignes }));
  const columns = useColumns();
  const back = (
    <Button icon={<ArrowLeft />} onClick={() => openSection(sectionId, others)}>
      {t('Tous les comptes')}
    </Button>
  );
  if (account.data === null) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t('Aucun compte à cette adresse')}
        description={t('Cette personne n’existe plus, ou n’a encore rien gagné.')}
        action={back}
      />
    );
  }
  return (
    <>
      <PageHeader
        title={account.data?.fullName ?? t('Compte')}
        description={account.data && t('Compte de {{role}}', { role: t(roleLabels[account.data.role]).toLowerCase() })}
        actions={back}
      />
      <StaleNotice query={lines} />
      {account.data && <AccountBalances account={account.data} />}
      {account.data && (
        <Card className="mt-5 p-4 sm:p-5">
          <AccountActs payeeId={payeeId} name={account.data.fullName} />
        </Card>
      )}
      <Card className="mt-5">
        <DataTable<AccountLine>
          caption={t('Lignes du compte')}
          title={t('Lignes du compte')}
          columns={columns}
          rows={lines.data?.rows}
          rowKey={(line) => line.id}
          failed={lines.isLoadingError}
          onRetry={refresh}
          refreshing={lines.isPlaceholderData || (lines.isLoadingError && lines.isFetching)}
          onRowOpen={(line) => openSection(...sourceOf(line, payeeId))}
          rowHref={(line) => hrefOf(...sourceOf(line, payeeId))}
          server={{
            page: lines.data,
            onMove: (mark) => openSection(sectionId, { ...detail, lignes: mark }, { replace: true }),
          }}
          exporting={<ExportMenu list="account-lines" page={lines.data} />}
          empty={<EmptyState icon={<ListOrdered />} title={t('Aucune opération pour le moment')} />}
        />
      </Card>
      <Statements
        className="mt-5"
        sectionId={sectionId}
        payeeId={payeeId}
        title={t('Relevés de compte')}
        detail={detail}
        openSection={openSection}
      />
    </>
  );
}

/** Acts on a debt (AC-05). */
const debtActs: ReadonlySet<string> = new Set(['repayment', 'repayment_annulment', 'waiver', 'waiver_annulment']);

/** Acts that a paid month posts too, without the means of payment that a request would have. */
const monthActs: ReadonlySet<string> = new Set(['return', 'vat', 'vat_return']);

/** Place where the row that a line comes from is seen. */
function sourceOf(line: AccountLine, payeeId: string): [string, Readonly<Record<string, string>>] {
  if (line.act === 'adjustment' || line.act === 'deduction') {
    return [sectionId, { personne: payeeId, contestation: line.sourceId }];
  }
  // Above the lines of the account.
  if (debtActs.has(line.act)) return [sectionId, { personne: payeeId }];
  // A paid month has no page of its own: it is on the control page, among those of all (PO-05).
  if (line.act === 'payroll' || (monthActs.has(line.act) && line.paymentMethod === null)) return [sectionId, {}];
  return line.saleId === null
    ? ['demandes-de-paiement', { demande: line.sourceId }]
    : ['ventes', { vente: line.saleId }];
}

function useColumns(): readonly DataColumn<AccountLine>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { id: 'operation', header: t('Opération'), cell: (line) => <AccountOperation line={line} /> },
      {
        id: 'date',
        header: t('Date'),
        cell: (line) => (
          <DateText value={line.at} withTime className="tabular-digits whitespace-nowrap text-encre-soft" />
        ),
      },
      {
        id: 'comptes',
        header: t('De → vers'),
        cell: (line) => (
          <span className="text-sm text-encre-soft">
            {t(ledgerAccountLabels[line.debit])} <span aria-hidden>→</span>
            <span className="sr-only">{t('vers')}</span> {t(ledgerAccountLabels[line.credit])}
          </span>
        ),
      },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: (line) => (
          <ExplainedCommission
            amount={line.amount}
            saleId={line.saleId ?? undefined}
            of={formatDateTime(line.at)}
            side={line.side}
          />
        ),
      },
      {
        id: 'disponible',
        header: t('Disponible après'),
        align: 'right',
        cell: (line) => <Amount cents={line.available} />,
      },
    ],
    [t],
  );
}
