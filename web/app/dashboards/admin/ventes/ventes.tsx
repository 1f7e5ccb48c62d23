import { referrerName, type Sale } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { ReceiptText, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { allSalesQuery, saleFilters, saleSorts, type SaleFilter } from '#api/sales/all-sales';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { PageHeader } from '#ui/page-header';
import { Select } from '#ui/select';
import { NewsBar } from '../../parts/news-bar.tsx';
import { SaleStatus } from '../../parts/sale-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import { useSteadyPage } from '../../parts/use-steady-page.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { SalePanel } from '../parts/sale-panel.tsx';

/** AD-07: every sale; searched, sorted, filtered and cut into pages by the server; a row opens its detail. */
export default function Ventes(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('ventes', props);
  const filter = saleFilters.find((word) => word === list.get('statut')) ?? 'all';
  const sort = saleSorts.find((column) => column === list.get('tri')) ?? 'created_at';
  const desc = list.get('tri') === undefined || list.get('sens') === 'desc';
  const commercialId = list.get('commercial') ?? null;
  const asked = { search: list.search, filter, commercialId, sort, desc, page: list.page };
  const sales = useQuery(allSalesQuery(asked));
  const steady = useSteadyPage(sales, JSON.stringify(asked));
  const columns = useColumns();
  const filtered = filter !== 'all' || commercialId !== null;
  const clear = () => {
    list.setTyped('');
    list.set({ statut: undefined, commercial: undefined, recherche: undefined });
  };
  return (
    <>
      <PageHeader title={t('Ventes')} description={t('Tous les parrainages, du premier contact au contrat validé.')} />
      <StaleNotice query={sales} />
      <NewsBar count={steady.newsCount} onShow={steady.showNews} />
      <Card>
        <DataTable<Sale>
          caption={t('Toutes les ventes')}
          columns={columns}
          rows={steady.page?.rows}
          rowKey={(sale) => sale.id}
          failed={sales.isError && sales.data === undefined}
          onRetry={() => void sales.refetch()}
          refreshing={sales.isFetching}
          searchLabel={t('Rechercher une vente')}
          onRowOpen={(sale) => list.openRow(sale.id)}
          server={{
            page: steady.page,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: ({ id, desc: down }) => list.set({ tri: id, sens: down ? 'desc' : 'asc' }),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          toolbar={
            <>
              <div className="w-48 max-sm:w-auto max-sm:min-w-32 max-sm:flex-1">
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
                className="w-52 max-sm:w-auto max-sm:min-w-32 max-sm:flex-1"
              />
              {(filtered || list.typed !== '') && (
                <Button size="sm" variant="quiet" onClick={clear}>
                  {t('Tout effacer')}
                </Button>
              )}
            </>
          }
          empty={
            filtered ? (
              <EmptyState
                icon={<SearchX />}
                title={t('Aucun résultat')}
                description={t('Aucune vente ne correspond à ces filtres.')}
                action={<Button onClick={clear}>{t('Tout effacer')}</Button>}
              />
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
      <SalePanel
        saleId={list.openId}
        onClose={list.closeRow}
        onOpenSale={list.openRow}
        decisions={() => (
          <Button variant="primary" onClick={() => props.openSection('validations')}>
            {t('Décider dans Validations')}
          </Button>
        )}
      />
    </>
  );
}

const filterLabels: Readonly<Record<SaleFilter, string>> = {
  all: 'Tous les statuts',
  validated: 'Validé par admin',
  to_validate: 'À valider par admin',
  pending: 'En attente',
  rejected: 'Refusé',
  corrections: 'Validation annulée',
};

function useColumns(): readonly DataColumn<Sale>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'referred_contact_name',
        header: t('Client'),
        sortable: true,
        cell: (sale) => <span className="break-words">{sale.referredContactName}</span>,
      },
      { id: 'commercial', header: t('Commercial'), cell: (sale) => sale.commercialName ?? none },
      { id: 'parrain', header: t('Parrain'), cell: (sale) => referrerName(sale) ?? none },
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
      <Amount cents={forClient + forCommercial} />
      {!sale.adminValidated && <span className="block text-sm text-encre-faint">{t('prévision')}</span>}
    </span>
  );
}

const none = <span className="text-encre-faint">—</span>;
