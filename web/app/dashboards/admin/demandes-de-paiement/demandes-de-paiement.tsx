import clsx from 'clsx';
import { formatEuros, sum } from '@parrain/domain/money';
import {
  canMovePaymentRequest,
  paymentMethodLabels,
  paymentMethods,
  paymentRequestActionLabels,
  paymentRequestActionName,
  paymentRequestStatuses,
  type PaymentMethod,
  type PaymentRequest,
} from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { Settings2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminFiguresQuery } from '#api/company/admin-figures';
import {
  allPaymentRequestsQuery,
  readPaymentRequests,
  readSelectableRequests,
  paymentRequestSorts,
  type AllPaymentRequestsAsked,
} from '#api/payments/all-payment-requests';
import { Amount } from '#ui/amount';
import { Button, buttonClass } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { FilterChips } from '#ui/filter-chips';
import { IconButton } from '#ui/icon-button';
import { NavControl } from '#ui/side-nav';
import { Select } from '#ui/select';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { countText } from '../../parts/count-text.ts';
import { ofName } from '@parrain/domain/of-name';
import { daysOf } from '@parrain/domain/period';
import { withVat } from '@parrain/domain/vat';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { RequestMethod } from '../../parts/request-method.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { useSelection } from '../../parts/use-selection.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import { VatNote } from '../../parts/vat-note.tsx';
import { Views } from '../../parts/views.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { StandingMarks } from '../parts/standing.tsx';
import { PaymentTabs } from '../parts/payment-tabs.tsx';
import { DecisionDialog, decisionsOn, isBackward, type RequestDecision } from './decision-dialog.tsx';
import { BulkDecisionDialog, sortedOut, type BulkDecision } from './bulk-decision-dialog.tsx';
import { NoRequest } from './no-request.tsx';
import { RequestPanel } from './request-panel.tsx';

const ReceivedInvoices = lazyPart(() => import('./received-invoices.tsx'));
const ToPay = lazyPart(() => import('./to-pay.tsx'), <div className="h-9" />);

/** AD-10, S-09: the clients' payment requests, by status, each with the decisions its status allows. */
export default function DemandesDePaiement(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('demandes-de-paiement', props, 'demande');
  const status = tabs.find((word) => word === list.get('statut')) ?? 'all';
  const method = paymentMethods.find((word) => word === list.get('moyen')) ?? null;
  const days = daysOf(list.get('periode'), list.openedAt);
  const dated = status === 'paid' ? 'paid_at' : 'created_at';
  // The date of a payment is of paid requests alone.
  const sorts = paymentRequestSorts.filter((column) => column !== 'paid_at' || status === 'paid');
  const sort = sorts.find((column) => column === list.get('tri')) ?? dated;
  const desc = isDescending(list.get('sens'));
  const asked = { status, search: list.search, method, days, sort, desc, page: list.page };
  const requests = useQuery(allPaymentRequestsQuery(asked));
  const { data: figures } = useQuery(adminFiguresQuery);
  const [decision, setDecision] = useState<RequestDecision>();
  const [bulk, setBulk] = useState<BulkDecision>();
  const selection = useSelection<PaymentRequest>();
  const wasOpened = useOnce(list.openId !== undefined);
  const columns = useTotals('payment-requests', requests.data, useColumns(dated, setDecision), totalLabels);
  const neighbours = useNeighbours(
    list,
    requests,
    (requests.data?.rows ?? []).map((request) => request.id),
  );
  const chooseMethod = (word: PaymentMethod | null) => list.set({ moyen: word ?? undefined });
  const isFiltered = method !== null || days !== null || list.search !== '';
  const filters = filtersOf(list, ['moyen', 'periode']);
  const counts = { pending: figures?.requestsToDecideCount, approved: figures?.requestsToPayCount };
  return (
    <>
      <PaymentTabs
        {...props}
        current="demandes-de-paiement"
        title={t('Demandes de Paiement')}
        actions={
          <NavControl
            href={props.hrefOf('reglages', { bloc: 'compte' })}
            onSelect={() => props.openSection('reglages', { bloc: 'compte' })}
            // On a phone the header's own gear is in sight, and rows need the line.
            className={clsx(buttonClass({ size: 'sm' }), 'max-sm:hidden')}
          >
            <Settings2 aria-hidden />
            {t('Réglages')}
          </NavControl>
        }
      />
      <StaleNotice query={requests} />
      <ReceivedInvoices
        onRequest={list.openRow}
        onMonth={(month) => props.openSection('commissions-des-commerciaux', { mois: month.slice(0, 7) })}
      />
      <Card>
        <DataTable<PaymentRequest>
          name="demandes-de-paiement"
          hiddenColumns={list.hiddenColumns}
          caption={t('Demandes de paiement')}
          columns={columns}
          rows={requests.data?.rows}
          rowKey={(request) => request.id}
          failed={requests.isError && requests.data === undefined}
          onRetry={() => void requests.refetch()}
          refreshing={requests.isFetching}
          onRowOpen={(request) => list.openRow(request.id)}
          rowHref={(request) => list.hrefOf(request.id)}
          selection={{
            ...selection,
            canSelect: isOpen,
            label: (request) =>
              t('Sélectionner la demande {{ofName}}, {{amount}}', {
                ofName: ofName(request.client?.fullName ?? ''),
                amount: formatEuros(withVat(request)),
              }),
            bar: (
              <BulkBar
                page={requests.data}
                selection={selection}
                canSelect={isOpen}
                read={() => readSelectableRequests(asked)}
                exported="payment-requests"
                summary={
                  <>
                    {countText(selection.count, t('sélectionnée'), t('sélectionnées'))} ·{' '}
                    <Amount cents={sum(selection.rows.map(withVat))} />
                  </>
                }
              >
                <BulkDecisions requests={selection.rows} onDecide={setBulk} />
              </BulkBar>
            ),
          }}
          searchLabel={t('Rechercher une demande')}
          server={{
            page: requests.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next)),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={{
            ...filters,
            controls: (
              <>
                {status !== 'approved' && (
                  <div className="w-40">
                    <Select<PaymentMethod | 'all'>
                      size="sm"
                      label={t('Filtrer par moyen de paiement')}
                      value={method ?? 'all'}
                      onValueChange={(word) => chooseMethod(word === 'all' ? null : word)}
                      options={[
                        { value: 'all', label: t('Tous les moyens') },
                        ...paymentMethods.map((word) => ({ value: word, label: t(paymentMethodLabels[word]) })),
                      ]}
                    />
                  </div>
                )}
                <PeriodFilter
                  list={list}
                  label={status === 'paid' ? t('Filtrer par date de paiement') : t('Filtrer par date de demande')}
                />
              </>
            ),
          }}
          exporting={Boolean(requests.data?.rowCount) && <ExportMenu list="payment-requests" page={requests.data} />}
          views={
            <Views list={list} label={t('Demandes de paiement')} name="demandes-de-paiement" brought={broughtViews} />
          }
          lead={
            <div className="flex min-w-0 flex-col gap-1.5 max-sm:gap-0.5">
              <FilterChips<AllPaymentRequestsAsked['status']>
                label={t('Demandes par statut')}
                value={status}
                onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
                options={tabs.map((word) => ({
                  value: word,
                  label: t(tabLabels[word]),
                  count: word === 'pending' || word === 'approved' ? counts[word] : undefined,
                }))}
              />
              {status === 'approved' && <ToPay method={method} onChoose={chooseMethod} />}
            </div>
          }
          empty={
            isFiltered ? (
              <NothingFound description={t('Aucune demande ne correspond à ces filtres.')} onClear={filters.clear} />
            ) : (
              <NoRequest
                status={status}
                toPayCount={counts.approved}
                onToPay={() => list.set({ statut: 'approved' })}
              />
            )
          }
        />
      </Card>
      {wasOpened && <RequestPanel requestId={list.openId} onClose={list.closeRow} neighbours={neighbours} />}
      {bulk && (
        <BulkDecisionDialog
          decision={bulk}
          onDone={(decided) => {
            selection.set(decided, false);
            // What was approved is what is paid next: it stays selected, as it is now, unless some were left out and are to be looked at.
            if (bulk.to === 'approved' && decided.length === bulk.requests.length)
              void readPaymentRequests(decided.map(({ id }) => id)).then((now) =>
                selection.set(now.filter(isOpen), true),
              );
          }}
          onClose={() => setBulk(undefined)}
        />
      )}
      {decision && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </>
  );
}

/** Some decision is still to be made. */
function isOpen(request: PaymentRequest): boolean {
  return request.status === 'pending' || request.status === 'approved';
}

/** The decisions that some of the selected requests allow (NV-04). */
function BulkDecisions({
  requests,
  onDecide,
}: {
  requests: readonly PaymentRequest[];
  onDecide: (decision: BulkDecision) => void;
}) {
  const { t } = useTranslation();
  return (['approved', 'rejected', 'paid'] as const).map((to) => {
    const allowed = requests.filter((request) => canMovePaymentRequest('admin', request.status, to));
    if (allowed.length === 0) return null;
    const { ready } = sortedOut(allowed, to);
    return (
      <Button
        key={to}
        size="sm"
        variant={isBackward(to) ? 'secondary' : 'primary'}
        onClick={() => onDecide({ to, requests: allowed })}
      >
        {t(bulkLabels[to])}
        {ready.length < requests.length && <span className="tabular-digits">({ready.length})</span>}
      </Button>
    );
  });
}

const bulkLabels = { approved: 'Approuver', rejected: 'Refuser', paid: 'Marquer payées' } as const;

const tabs = ['all', ...paymentRequestStatuses] as const;

const tabLabels: Readonly<Record<AllPaymentRequestsAsked['status'], string>> = {
  all: 'Toutes',
  pending: 'En attente',
  approved: 'Approuvées',
  rejected: 'Refusées',
  paid: 'Payées',
  returned: 'Revenues de la banque',
};

const broughtViews = [
  { name: 'À payer', settings: { statut: 'approved' } },
  { name: 'Payées ce mois-ci', settings: { statut: 'paid', periode: 'mois' } },
  { name: 'Payées le mois dernier', settings: { statut: 'paid', periode: 'mois-dernier' } },
];

const totalLabels = { amount: ['Montant'] };

/** `dated` is the date that the list is of: that of the request, or of the payment. */
function useColumns(
  dated: 'created_at' | 'paid_at',
  onDecide: (decision: RequestDecision) => void,
): readonly DataColumn<PaymentRequest>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'client',
        header: t('Client'),
        width: 'wide',
        cell: (request) => (
          <>
            <Cell
              text={request.client?.fullName ?? null}
              secondNode={request.client && <Contact {...request.client} />}
            />
            <StandingMarks standing={request.standing} />
          </>
        ),
      },
      {
        id: 'amount',
        header: t('Montant'),
        align: 'right',
        sortable: true,
        cell: (request) => (
          <>
            <Amount cents={request.amount} className="font-medium" />
            <VatNote {...request} className="w-44 lg:max-xl:w-20" />
          </>
        ),
      },
      { id: 'statut', header: t('Statut'), cell: (request) => <PaymentRequestStatus status={request.status} /> },
      {
        id: 'payment_method',
        header: t('Mode'),
        sortable: true,
        width: 'medium',
        from: '1280px',
        cell: (request) => <RequestMethod request={request} />,
      },
      {
        id: dated,
        header: dated === 'paid_at' ? t('Payée le') : t('Demandée le'),
        sortable: true,
        cell: (request) => (
          <DateText value={dated === 'paid_at' ? request.paidAt : request.createdAt} className="whitespace-nowrap" />
        ),
      },
      {
        id: 'actions',
        header: t('Actions'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (request) => <RequestActions request={request} onDecide={onDecide} />,
      },
    ],
    [t, dated, onDecide],
  );
}

/** The address gives way to the number, which is called: both are whole in the request's panel (DF-11). */
function Contact({ email, phone }: { email: string | null; phone: string | null }) {
  return (
    <span className="flex gap-x-1.5 max-wide:flex-wrap">
      <span title={email ?? undefined} className="min-w-0 wide:truncate max-wide:wrap-anywhere">
        {email}
      </span>
      {phone !== null && <span className="shrink-0 tabular-digits">{phone}</span>}
    </span>
  );
}

/** The buttons that the state table allows: « Approuver » and « Refuser », or « Marquer payé » and « Annuler l'approbation » (S-09). */
function RequestActions({
  request,
  onDecide,
}: {
  request: PaymentRequest;
  onDecide: (decision: RequestDecision) => void;
}) {
  const { t } = useTranslation();
  // A return is rare, and noted in the request's panel.
  const moves = decisionsOn(request).filter((to) => to !== 'returned');
  if (moves.length === 0) return null;
  return (
    <div className="flex items-center justify-end gap-2 max-wide:w-full max-wide:[&>*]:grow">
      {moves.map((to) => {
        const name = paymentRequestActionName(to, request.client?.fullName ?? '');
        const decide = () => onDecide({ request, to });
        // The rare way back takes no more room than it needs.
        if (to === 'pending') return <IconButton key={to} label={name} icon={<Undo2 />} onClick={decide} />;
        return (
          <Button
            key={to}
            size="sm"
            variant={isBackward(to) ? 'secondary' : 'primary'}
            aria-label={name}
            onClick={decide}
          >
            {t(paymentRequestActionLabels[to])}
          </Button>
        );
      })}
    </div>
  );
}
