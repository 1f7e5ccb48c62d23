import { daysSince, formatDate } from '@parrain/domain/date';
import type { TFunction } from 'i18next';
import { PhoneOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { CommercialSummary } from '#api/people/commercial-summaries';
import { Cell } from '#ui/cell';
import type { DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { Select } from '#ui/select';
import { countText } from '../../parts/count-text.ts';
import { firstCallText } from '../../parts/first-call-text.ts';
import type { ListState } from '../../parts/use-list-state.ts';

/** UI-09: who sleeps. Last act, what waits for a first call and since when, how long a first call takes. */
export function activityColumns(t: (key: string) => string): readonly DataColumn<CommercialSummary>[] {
  return [
    {
      id: 'lastActivityAt',
      header: t('Dernière activité'),
      sortable: true,
      cell: ({ lastActivityAt }) =>
        lastActivityAt === null ? (
          <span className="text-encre-faint">{t('Jamais')}</span>
        ) : (
          <DateText value={lastActivityAt} />
        ),
    },
    {
      id: 'waitingSince',
      header: t('À appeler'),
      sortable: true,
      align: 'right',
      cell: (commercial) => <Waiting commercial={commercial} />,
    },
    {
      id: 'firstCallDays',
      header: t('Premier appel'),
      sortable: true,
      align: 'right',
      from: '1400px',
      cell: ({ firstCallDays }) => (
        <Cell
          text={firstCallText(firstCallDays, t)}
          second={firstCallDays === null ? undefined : t('délai médian')}
          className="tabular-digits"
        />
      ),
    },
  ];
}

function Waiting({ commercial: { waitingCount, waitingSince, isLate } }: { commercial: CommercialSummary }) {
  const { t } = useTranslation();
  return (
    <Cell
      text={waitingCount.toLocaleString('fr-FR')}
      className={isLate ? 'tabular-digits font-medium text-danger' : 'tabular-digits'}
      secondNode={
        waitingSince !== null && (
          <>
            {isLate && <LateMark />}
            <span title={formatDate(waitingSince)}>{sinceText(waitingSince, t)}</span>
          </>
        )
      }
    />
  );
}

/** « depuis 12 jours ». */
function sinceText(at: string, t: TFunction): string {
  const days = daysSince(at, Date.now());
  return days === 0 ? t('depuis aujourd’hui') : t('depuis {{days}}', { days: countText(days, t('jour'), t('jours')) });
}

/** Says « en retard » beside the colour. */
function LateMark() {
  const { t } = useTranslation();
  return (
    <>
      <PhoneOff aria-hidden className="mr-1 inline size-3.5 align-[-0.125em]" />
      <span className="sr-only">{t('En retard :')} </span>
    </>
  );
}

/** The commercials whose first calls are late, or all of them, in the list's address. */
export function LateFilter({ list, isLate }: { list: ListState; isLate: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="w-48">
      <Select<'all' | 'late'>
        size="sm"
        label={t('Filtrer par activité')}
        value={isLate ? 'late' : 'all'}
        onValueChange={(word) => list.set({ activite: word === 'late' ? word : undefined })}
        options={[
          { value: 'all', label: t('Toute activité') },
          { value: 'late', label: t('Appels en retard') },
        ]}
      />
    </div>
  );
}

/** « Actif le 27 nov. 2026 · 3 à appeler, le plus ancien depuis 12 jours · premier appel : 4 jours »: a line of a card. */
export function ActivityLine({ commercial }: { commercial: CommercialSummary }) {
  const { t } = useTranslation();
  const { lastActivityAt, waitingCount, waitingSince, isLate, firstCallDays } = commercial;
  return (
    <span className="block">
      {lastActivityAt === null ? (
        t('Jamais actif')
      ) : (
        <>
          {t('Actif le')} <DateText value={lastActivityAt} />
        </>
      )}
      {waitingCount > 0 && (
        <>
          {' · '}
          <span className={isLate ? 'font-medium text-danger' : undefined}>
            {isLate && <LateMark />}
            {countText(waitingCount, t('à appeler'), t('à appeler'))}
            {waitingSince !== null && waitingCount > 1 && t(', le plus ancien')}
            {waitingSince !== null && ` ${sinceText(waitingSince, t)}`}
          </span>
        </>
      )}
      {firstCallDays !== null && (
        <span title={t('délai médian')}>
          {' · '}
          {t('premier appel : {{days}}', { days: firstCallText(firstCallDays, t) })}
        </span>
      )}
    </span>
  );
}
