import clsx from 'clsx';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { IconButton } from '#ui/icon-button';
import { Select } from '#ui/select';
import { useMedia } from '#ui/use-media';
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

/** The period, the order, the export and the views of the referrals; on a phone two buttons beside the search. */
export default function ReferralTools(props: ReferralToolsProps) {
  const { t } = useTranslation();
  const isPhone = useMedia(phoneQuery);
  const [isOpen, setIsOpen] = useState(false);
  const { list, onClear } = props;
  const views = <ViewsMenu list={list} label={t('Parrainages reçus')} brought={broughtViews} />;
  if (!isPhone) {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <Narrowing {...props} />
        {views}
        {onClear && (
          <Button size="sm" variant="quiet" onClick={onClear}>
            {t('Tout effacer')}
          </Button>
        )}
      </div>
    );
  }
  const isNarrowed = list.get('periode') !== undefined || props.withoutNewsDays !== null;
  return (
    <>
      <div className="flex items-center gap-1">
        <IconButton
          label={isNarrowed ? t('Dates, ordre et export : filtre actif') : t('Dates, ordre et export')}
          aria-haspopup="dialog"
          icon={<SlidersHorizontal />}
          onClick={() => setIsOpen(true)}
          className={clsx('size-11', isNarrowed && 'bg-sapin-tint text-sapin-strong')}
        />
        {views}
      </div>
      <Dialog
        open={isOpen}
        onOpenChange={setIsOpen}
        title={t('Dates, ordre et export')}
        footer={
          <>
            {onClear && <Button onClick={onClear}>{t('Tout effacer')}</Button>}
            <Button variant="primary" onClick={() => setIsOpen(false)}>
              {t('Voir la liste')}
            </Button>
          </>
        }
      >
        <div className="flex flex-wrap items-center gap-2">
          <Narrowing {...props} />
        </div>
      </Dialog>
    </>
  );
}

/** Under the breakpoint « sm ». */
const phoneQuery = '(max-width: 639.98px)';

function Narrowing({ list, page, withoutNewsDays }: ReferralToolsProps) {
  const { t } = useTranslation();
  return (
    <>
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
    </>
  );
}

const broughtViews = [
  { name: 'À relancer', settings: { statut: 'call_back' } },
  { name: 'Sans nouvelles depuis 14 jours', settings: { 'sans-nouvelles': '14', sens: 'asc' } },
  { name: 'Reçus ce mois-ci', settings: { periode: 'mois' } },
];
