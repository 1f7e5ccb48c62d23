import { listPeriodNames, ownDays, periodLabels } from '@parrain/domain/period';
import { useTranslation } from 'react-i18next';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';
import { useAhead } from './use-ahead.ts';
import type { ListState } from './use-list-state.ts';

export interface PeriodFilterProps {
  list: ListState;
  /** The date that the list is narrowed by: « Filtrer par date ». */
  label: string;
}

/** The period of a list, in its address: a month, a quarter, a year, or two days of one's own. */
export function PeriodFilter({ list, label }: PeriodFilterProps) {
  const { t } = useTranslation();
  const text = list.get('periode');
  const own = ownDays(text);
  const value = own === null ? (listPeriodNames.find((name) => name === text) ?? 'toutes') : 'dates';
  const choose = (next: Choice) =>
    list.set({ periode: next === 'toutes' ? undefined : next === 'dates' ? '..' : next });
  return (
    <>
      <div className="w-36">
        <Select<Choice>
          size="sm"
          label={label}
          value={value}
          onValueChange={choose}
          options={[
            { value: 'toutes', label: t('Toutes les dates') },
            ...listPeriodNames.map((name) => ({ value: name, label: t(periodLabels[name]) })),
            { value: 'dates', label: t('Du… au…') },
          ]}
        />
      </div>
      {own && <OwnDays period={text ?? ''} onChange={(period) => list.set({ periode: period })} />}
    </>
  );
}

type Choice = (typeof listPeriodNames)[number] | 'toutes' | 'dates';

interface OwnDaysProps {
  /** « 2026-01-01..2026-03-31 », of which one may be left out. */
  period: string;
  onChange: (period: string) => void;
}

/** Two days of one's own. The second may be chosen before the address shows the first. */
function OwnDays({ period, onChange }: OwnDaysProps) {
  const { t } = useTranslation();
  const { typed, setTyped, noteSent } = useAhead(period);
  const [first = '', last = ''] = typed.split('..');
  const change = (days: string) => {
    setTyped(days);
    // A day is told once it is whole: while its year is typed it is of the first century.
    if (ownDays(days) === null) return;
    noteSent(days);
    onChange(days);
  };
  return (
    <div className="flex items-center gap-2 max-sm:w-full">
      <Day label={t('Du')} value={first} max={last} onChange={(day) => change(`${day}..${last}`)} />
      <span aria-hidden className="text-sm text-encre-faint">
        {t('au')}
      </span>
      <Day label={t('Au')} value={last} min={first} onChange={(day) => change(`${first}..${day}`)} />
    </div>
  );
}

interface DayProps {
  label: string;
  value: string;
  min?: string;
  max?: string;
  onChange: (day: string) => void;
}

function Day({ label, onChange, ...day }: DayProps) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      {...day}
      onChange={({ target }) => onChange(target.value)}
      className="h-9! w-36 min-w-0 text-sm max-sm:flex-1"
    />
  );
}
