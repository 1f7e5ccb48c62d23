import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { Select } from '#ui/select';
import { ExportMenu, type ExportMenuProps } from '../../parts/export-menu.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import type { ListState } from '../../parts/use-list-state.ts';
import ViewsMenu from '../../parts/views-menu.tsx';
import { WithoutNewsChip } from '../../parts/without-news-chip.tsx';

export interface ReferralToolsProps {
  list: ListState;
  page: ExportMenuProps['page'];
  withoutNewsDays: number | null;
  /** Forgets search and filters; undefined where there is nothing to forget. */
  onClear: (() => void) | undefined;
}

/** The period, the order, the export and the views of the referrals. */
export default function ReferralTools({ list, page, withoutNewsDays, onClear }: ReferralToolsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap items-center gap-2 max-sm:w-full">
      <PeriodFilter list={list} label={t('Filtrer par date')} />
      <div className="w-44 max-sm:w-auto max-sm:min-w-32 max-sm:flex-1">
        <Select
          size="sm"
          label={t('Trier par date')}
          value={list.get('sens') === 'asc' ? 'asc' : 'desc'}
          onValueChange={(next) => list.set({ sens: next === 'asc' ? next : undefined })}
          options={[
            { value: 'desc', label: t('Les plus récents') },
            { value: 'asc', label: t('Les plus anciens') },
          ]}
        />
      </div>
      <WithoutNewsChip list={list} days={withoutNewsDays} />
      <ExportMenu list="received-referrals" page={page} />
      <ViewsMenu list={list} label={t('Parrainages reçus')} brought={broughtViews} />
      {onClear && (
        <Button size="sm" variant="quiet" onClick={onClear}>
          {t('Tout effacer')}
        </Button>
      )}
    </div>
  );
}

const broughtViews = [
  { name: 'À relancer', settings: { statut: 'call_back' } },
  { name: 'Sans nouvelles depuis 14 jours', settings: { 'sans-nouvelles': '14', sens: 'asc' } },
  { name: 'Reçus ce mois-ci', settings: { periode: 'mois' } },
];
