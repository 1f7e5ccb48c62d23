import { netTotals } from '@parrain/domain/exports';
import { formatEuros, sum } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { daysOf } from '@parrain/domain/period';
import { isAwaitingValidation, referrerName, type Sale } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { ReceiptText, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { namesQuery } from '#api/people/names';
import { allSalesQuery, readSelectableSales, saleFilters, saleSorts, type SaleFilter } from '#api/sales/all-sales';
import { withoutNewsDaysOf } from '#api/sales/without-news';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';
import { PageHeader } from '#ui/page-header';
import { Select } from '#ui/select';
import { countText } from '../../parts/count-text.ts';
import { BothCommissionsExplain } from '../../parts/commission-explain.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { NewsBar } from '../../parts/news-bar.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { SaleStatus } from '../../parts/sale-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { useSelection } from '../../parts/use-selection.ts';
import { useSteadyPage } from '../../parts/use-steady-page.ts';
import { useTotals, type TotalLabels } from '../../parts/use-totals.tsx';
import { Views } from '../../parts/views.tsx';
import { WithoutNewsChip } from '../../parts/without-news-chip.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { adminActions } from '../actions.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { BulkContracts } from '../parts/bulk-contracts.tsx';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { SalePanel } from '../parts/sale-panel.tsx';
import { ContactsToErase } from './contacts-to-erase.tsx';

const ImportDialog = lazyPart(() => import('../../parts/imports/import-dialog.tsx'));

/** AD-07: every sale; searched, sorted, filtered and cut into pages by the server; a row opens its detail. */
export default function Ventes(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('ventes', props, 'vente');
  const [isImporting, setIsImporting] = useState(false);
  const filter = saleFilters.find((word) => word === list.get('statut')) ?? 'all';
  const sort = saleSorts.find((column) => column === list.get('tri')) ?? 'created_at';
  const desc = isDescending(list.get('sens'));
  const commercialId = list.get('commercial') ?? null;
  const days = daysOf(list.get('periode'), list.openedAt);
  const withoutNewsDays = withoutNewsDaysOf(list.get('sans-nouvelles'));
  const referrerId = list.get('parrain');
  const { data: referrers } = useQuery({ ...namesQuery([referrerId ?? null]), enabled: referrerId !== undefined });
  const asked = {
    search: list.search,
    filter,
    commercialId,
    referrerId,
    days,
    withoutNewsDays,
    sort,
    desc,
    page: list.page,
  };
  const sales = useQuery(allSalesQuery(asked));
  const steady = useSteadyPage(sales, JSON.stringify(asked));
  const rows = steady.page?.rows ?? [];
  const neighbours = useNeighbours(
    list,
    sales,
    rows.map((sale) => sale.id),
  );
  const selection = useSelection<Sale>();
  const wasOpened = useOnce(list.openId !== undefined);
  const columns = useTotals('sales', sales.data, useColumns(), filter === 'validated' ? netLabels : totalLabels);
  const referrerLabel = t('Parrain : {{name}}', { name: referrers?.get(referrerId ?? '') ?? '…' });
  const filtered =
    filter !== 'all' || commercialId !== null || days !== null || referrerId !== undefined || withoutNewsDays !== null;
  const filters = filtersOf(list, ['statut', 'commercial', 'parrain', 'periode', 'sans-nouvelles']);
  return (
    <>
      <PageHeader
        title={t('Ventes')}
        description={t('Tous les parrainages, du premier contact au contrat validé.')}
        actions={<ActionButton action={adminActions.importReferrals} onRun={() => setIsImporting(true)} />}
      />
      <StaleNotice query={sales} />
      <ContactsToErase onOpen={list.openRow} />
      <NewsBar count={steady.newsCount} onShow={steady.showNews} />
      <Card>
        <DataTable<Sale>
          name="ventes"
          hiddenColumns={list.hiddenColumns}
          caption={t('Toutes les ventes')}
          columns={columns}
          rows={steady.page?.rows}
          rowKey={(sale) => sale.id}
          failed={sales.isError && sales.data === undefined}
          onRetry={() => void sales.refetch()}
          refreshing={sales.isFetching}
          searchLabel={t('Rechercher une vente')}
          onRowOpen={(sale) => list.openRow(sale.id)}
          rowHref={(sale) => list.hrefOf(sale.id)}
          selection={{
            ...selection,
            label: (sale) =>
              [
                t('Sélectionner la vente {{ofName}}', { ofName: ofName(sale.referredContactName) }),
                ...(sale.contractAmount === null ? [] : [formatEuros(sale.contractAmount)]),
              ].join(', '),
            bar: (
              <BulkBar
                page={steady.page}
                selection={selection}
                read={() => readSelectableSales(asked)}
                exported="sales"
                summary={
                  <>
                    {countText(selection.count, t('sélectionnée'), t('sélectionnées'))} ·{' '}
                    <Amount cents={sum(selection.rows.map((sale) => sale.contractAmount ?? 0n))} />
                  </>
                }
              >
                <BulkContracts sales={selection.rows} onDone={(decided) => selection.set(decided, false)} />
              </BulkBar>
            ),
          }}
          server={{
            page: steady.page,
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
                <div className="w-40">
                  <Select<SaleFilter>
                    size="sm"
                    label={t('Filtrer par statut')}
                    value={filter}
                    onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
                    options={saleFilters.map((word) => ({ value: word, label: t(filterLabels[word]) }))}
                  />
                </div>
                <CommercialPicker
                  size="sm"
                  label={t('Filtrer par commercial')}
                  placeholder={t('Tous les commerciaux')}
                  clearable
                  commercialId={commercialId}
                  onChange={(id) => list.set({ commercial: id ?? undefined })}
                  className="w-36"
                />
                <PeriodFilter list={list} label={t('Filtrer par date')} />
                {referrerId !== undefined && (
                  <Button
                    size="sm"
                    icon={<X aria-hidden />}
                    aria-label={t('Retirer le filtre : {{label}}', { label: referrerLabel })}
                    onClick={() => list.set({ parrain: undefined })}
                    className="max-w-60"
                  >
                    <span className="truncate">{referrerLabel}</span>
                  </Button>
                )}
                <WithoutNewsChip list={list} days={withoutNewsDays} />
              </>
            ),
          }}
          exporting={<ExportMenu list="sales" page={sales.data} />}
          views={<Views list={list} label={t('Toutes les ventes')} name="ventes" brought={broughtViews} />}
          empty={
            filtered ? (
              <NothingFound description={t('Aucune vente ne correspond à ces filtres.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<ReceiptText />}
                title={t('Aucune vente pour le moment')}
                description={t('Une vente apparaît ici dès qu’un client invite un ami.')}
              />
            )
          }
        />
      </Card>
      {isImporting && <ImportDialog kind="referrals" isAdmin onClose={() => setIsImporting(false)} />}
      {wasOpened && (
        <SalePanel
          saleId={list.openId}
          onClose={list.closeRow}
          onOpenSale={list.openRow}
          neighbours={neighbours}
          onDecided={() => {
            const at = rows.findIndex((sale) => sale.id === list.openId);
            const next = rows.slice(at + 1).find(isAwaitingValidation);
            if (next) list.openRow(next.id);
          }}
        />
      )}
    </>
  );
}

const broughtViews = [
  { name: 'À relancer', settings: { 'sans-nouvelles': '7', tri: 'created_at', sens: 'asc' } },
  { name: 'Sans nouvelles depuis 14 jours', settings: { 'sans-nouvelles': '14', tri: 'created_at', sens: 'asc' } },
  { name: 'Validées, de ce mois', settings: { statut: 'validated', periode: 'mois' } },
];

/** Under « Commission » both parts together, as in its cells. */
const totalLabels: TotalLabels = {
  contract_amount: ['Montant'],
  commission: ['Commission client', 'Commission commercial'],
};

/** DF-15: the list of validated sales hides what annulments took of them; its totals do not, as « CA Total ». */
const netLabels: TotalLabels = { contract_amount: [netTotals.contract], commission: [netTotals.commissions] };

const filterLabels: Readonly<Record<SaleFilter, string>> = {
  all: 'Tous les statuts',
  validated: 'Validé par admin',
  to_validate: 'À valider par admin',
  pending: 'En attente',
  rejected: 'Refusé',
  corrections: 'Annulations',
};

function useColumns(): readonly DataColumn<Sale>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'referred_contact_name',
        header: t('Client'),
        sortable: true,
        width: 'wide',
        cell: (sale) => <Cell text={sale.referredContactName} isName />,
      },
      {
        id: 'commercial',
        header: t('Commercial'),
        width: 'medium',
        from: '1280px',
        cell: (sale) => <Cell text={sale.commercialName} isName className={nameClass} />,
      },
      {
        id: 'parrain',
        header: t('Parrain'),
        width: 'medium',
        from: '1280px',
        cell: (sale) => <Cell text={referrerName(sale)} isName className={nameClass} />,
      },
      {
        id: 'contract_amount',
        header: t('Montant'),
        align: 'right',
        sortable: true,
        cell: (sale) => (sale.contractAmount === null ? none : <Amount cents={sale.contractAmount} />),
      },
      {
        id: 'status',
        header: t('Statut'),
        sortable: true,
        cell: (sale) => <SaleStatus sale={sale} audience="admin" />,
      },
      {
        id: 'created_at',
        header: t('Date'),
        sortable: true,
        cell: (sale) => <DateText value={sale.createdAt} className="whitespace-nowrap" />,
      },
      { id: 'commission', header: t('Commission'), align: 'right', cell: (sale) => <Commission sale={sale} /> },
    ],
    [t],
  );
}

/** The sale's commissions, both parts together; a forecast until the admin has validated. */
function Commission({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  const { clientCommissionAmount: forClient, commercialCommissionAmount: forCommercial } = sale;
  if (forClient === null || forCommercial === null) return none;
  return (
    <span className={sale.adminValidated ? undefined : 'text-encre-soft'}>
      <span className="inline-flex items-center justify-end gap-x-1">
        <BothCommissionsExplain sale={sale} />
        <Amount cents={forClient + forCommercial} />
      </span>
      {!sale.adminValidated && <span className="block text-xs text-encre-faint">{t('prévision')}</span>}
    </span>
  );
}

/** Seven columns share a laptop's width: the names beside the client's are smaller there, and whole. */
const nameClass = 'wide:max-roomy:text-sm';

const none = <span className="text-encre-faint">—</span>;
