import { noContractToValidate } from '@parrain/domain/messages';
import { formatEuros, sum } from '@parrain/domain/money';
import { referrerName, type Sale } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readSelectableContracts, salesToValidateQuery, salesToValidateSorts } from '#api/sales/sales-to-validate';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { ofName } from '@parrain/domain/of-name';
import { daysOf } from '@parrain/domain/period';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import { useOnce } from '../../parts/use-once.ts';
import { useSelection } from '../../parts/use-selection.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import { Views } from '../../parts/views.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { BulkContracts } from '../parts/bulk-contracts.tsx';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { DecisionDialogs, type SaleDecision } from '../parts/sale-decision.tsx';
import { SalePanel } from '../parts/sale-panel.tsx';
import { StandingMarks } from '../parts/standing.tsx';

/** AD-09, AD-12, S-06: the contracts that await the admin, the oldest first, each with its two decisions. */
export default function Validations(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('validations', props, 'vente');
  const sort = salesToValidateSorts.find((column) => column === list.get('tri')) ?? 'created_at';
  const desc = isDescending(list.get('sens'), 'asc');
  const commercialId = list.get('commercial') ?? null;
  const days = daysOf(list.get('periode'), list.openedAt);
  const asked = { search: list.search, commercialId, days, sort, desc, page: list.page };
  const sales = useQuery(salesToValidateQuery(asked));
  const rows = sales.data?.rows ?? [];
  const [decision, setDecision] = useState<SaleDecision>();
  const selection = useSelection<Sale>();
  const wasOpened = useOnce(list.openId !== undefined);
  const columns = useTotals('sales-to-validate', sales.data, useColumns(setDecision), totalLabels);
  const neighbours = useNeighbours(
    list,
    sales,
    rows.map((sale) => sale.id),
  );
  const inList = decision && rows.find((sale) => sale.id === decision.sale.id);
  const isFiltered = commercialId !== null || days !== null || list.search !== '';
  const filters = filtersOf(list, ['commercial', 'periode']);
  return (
    <>
      <SectionTabs
        {...props}
        of="validations"
        current="validations"
        title={t('Validations')}
        description={t('Les contrats que vos commerciaux ont transmis. Valider crée les commissions, définitivement.')}
      />
      <StaleNotice query={sales} />
      <Card>
        <DataTable<Sale>
          name="validations"
          hiddenColumns={list.hiddenColumns}
          caption={t('Contrats à valider')}
          columns={columns}
          rows={sales.data?.rows}
          rowKey={(sale) => sale.id}
          failed={sales.isError && sales.data === undefined}
          onRetry={() => void sales.refetch()}
          refreshing={sales.isFetching}
          onRowOpen={(sale) => list.openRow(sale.id)}
          rowHref={(sale) => list.hrefOf(sale.id)}
          selection={{
            ...selection,
            label: (sale) =>
              t('Sélectionner le contrat {{ofName}}, {{amount}}', {
                ofName: ofName(sale.referredContactName),
                amount: formatEuros(sale.contractAmount ?? 0n),
              }),
            bar: (
              <BulkBar
                page={sales.data}
                selection={selection}
                read={() => readSelectableContracts(asked)}
                exported="sales-to-validate"
                summary={
                  <>
                    {countText(selection.count, t('sélectionné'), t('sélectionnés'))} ·{' '}
                    <Amount cents={sum(selection.rows.map((sale) => sale.contractAmount ?? 0n))} />
                  </>
                }
              >
                <BulkContracts sales={selection.rows} onDone={(decided) => selection.set(decided, false)} />
              </BulkBar>
            ),
          }}
          searchLabel={t('Rechercher un contrat')}
          server={{
            page: sales.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next, 'asc')),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={{
            ...filters,
            controls: (
              <>
                <CommercialPicker
                  size="sm"
                  label={t('Filtrer par commercial')}
                  placeholder={t('Tous les commerciaux')}
                  clearable
                  commercialId={commercialId}
                  onChange={(id) => list.set({ commercial: id ?? undefined })}
                  className="w-52"
                />
                <PeriodFilter list={list} label={t('Filtrer par date')} />
              </>
            ),
          }}
          exporting={Boolean(sales.data?.rowCount) && <ExportMenu list="sales-to-validate" page={sales.data} />}
          views={<Views list={list} label={t('Contrats à valider')} name="validations" brought={broughtViews} />}
          empty={
            isFiltered ? (
              <NothingFound
                description={t('Aucun contrat à valider ne correspond à ces filtres.')}
                onClear={filters.clear}
              />
            ) : (
              <EmptyState
                icon={<BadgeCheck />}
                title={t(noContractToValidate)}
                description={t('Un contrat arrive ici quand un commercial le passe à « Contrat signé et validé ».')}
              />
            )
          }
        />
      </Card>
      {wasOpened && (
        <SalePanel
          saleId={list.openId}
          onClose={list.closeRow}
          onOpenSale={list.openRow}
          neighbours={neighbours}
          onDecided={neighbours.onNext ?? neighbours.onPrevious ?? list.closeRow}
        />
      )}
      {decision && <DecisionDialogs decision={decision} latest={inList} onClose={() => setDecision(undefined)} />}
    </>
  );
}

const broughtViews = [
  { name: 'Les plus gros d’abord', settings: { tri: 'contract_amount', sens: 'desc' } },
  { name: 'Reçus ce mois-ci', settings: { periode: 'mois' } },
];

const totalLabels = { contract_amount: ['Montant'] };

function useColumns(onDecide: (decision: SaleDecision) => void): readonly DataColumn<Sale>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'referred_contact_name',
        header: t('Client'),
        sortable: true,
        width: 'wide',
        cell: (sale) => (
          <>
            <Cell text={sale.referredContactName} second={sale.contractDescription} />
            <StandingMarks standing={sale.standing} />
          </>
        ),
      },
      {
        id: 'commercial',
        header: t('Commercial'),
        width: 'medium',
        from: '1280px',
        cell: (sale) => <Cell text={sale.commercialName} />,
      },
      { id: 'parrain', header: t('Parrain'), width: 'medium', cell: (sale) => <Cell text={referrerName(sale)} /> },
      {
        id: 'contract_amount',
        header: t('Montant'),
        align: 'right',
        sortable: true,
        cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} className="font-medium" />,
      },
      {
        id: 'created_at',
        header: t('Reçu le'),
        sortable: true,
        cell: (sale) => <DateText value={sale.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'decision',
        header: t('Décision'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (sale) => (
          <div className="flex justify-end gap-2 max-wide:grow max-wide:justify-stretch max-wide:[&>*]:grow">
            <Decisions sale={sale} onDecide={onDecide} />
          </div>
        ),
      },
    ],
    [t, onDecide],
  );
}

function Decisions({ sale, onDecide }: { sale: Sale; onDecide: (decision: SaleDecision) => void }) {
  const { t } = useTranslation();
  const name = sale.referredContactName;
  return (
    <>
      <Button
        size="sm"
        aria-label={t('Refuser le contrat {{ofName}}', { ofName: ofName(name) })}
        onClick={() => onDecide({ kind: 'refuse', sale })}
      >
        {t('Refuser')}
      </Button>
      <Button
        size="sm"
        variant="primary"
        aria-label={t('Valider le contrat {{ofName}}', { ofName: ofName(name) })}
        onClick={() => onDecide({ kind: 'validate', sale })}
      >
        {t('Valider')}
      </Button>
    </>
  );
}
