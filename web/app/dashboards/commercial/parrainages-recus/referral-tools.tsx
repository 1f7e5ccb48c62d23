import { useTranslation } from 'react-i18next';
import { ListTools } from '#ui/list-tools';
import { Select } from '#ui/select';
import { ExportMenu, type ExportMenuProps } from '../../parts/export-menu.tsx';
import { isDescending } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { filtersOf, type ListState } from '../../parts/use-list-state.ts';
import ViewsMenu from '../../parts/views-menu.tsx';
import { WithoutNewsChip } from '../../parts/without-news-chip.tsx';

export interface ReferralToolsProps {
  list: ListState;
  page: ExportMenuProps['page'];
  withoutNewsDays: number | null;
  /** The list has an order that nobody chooses: late, due, new. */
  hasOwnOrder: boolean;
  /** Forgets the status too, which stands under the search. */
  clear: () => void;
  /** Search or status narrow the list, and rows are left. */
  isSearched: boolean;
  /** No row is left: the list offers the way out. */
  isEmpty: boolean;
}

/** The period, the order, the export and the views of the referrals. */
export default function ReferralTools({
  list,
  page,
  withoutNewsDays,
  hasOwnOrder,
  clear,
  ...narrowed
}: ReferralToolsProps) {
  const { t } = useTranslation();
  return (
    <ListTools
      {...narrowed}
      filters={{
        ...filtersOf(list, ['periode', 'sans-nouvelles']),
        clear,
        controls: (
          <>
            <PeriodFilter list={list} label={t('Filtrer par date')} />
            <WithoutNewsChip list={list} days={withoutNewsDays} />
          </>
        ),
      }}
      sort={
        !hasOwnOrder && (
          <div className="w-44">
            <Select
              size="sm"
              label={t('Trier par date')}
              value={isDescending(list.get('sens')) ? 'desc' : 'asc'}
              onValueChange={(next) => list.set({ sens: next === 'asc' ? next : undefined })}
              options={[
                { value: 'desc', label: t('Les plus récents') },
                { value: 'asc', label: t('Les plus anciens') },
              ]}
            />
          </div>
        )
      }
      exporting={<ExportMenu list="received-referrals" page={page} />}
      views={<ViewsMenu list={list} label={t('Parrainages reçus')} brought={broughtViews} />}
    />
  );
}

const broughtViews = [
  { name: 'À relancer', settings: { statut: 'call_back' } },
  { name: 'Sans nouvelles depuis 14 jours', settings: { 'sans-nouvelles': '14', sens: 'asc' } },
  { name: 'Reçus ce mois-ci', settings: { periode: 'mois' } },
];
