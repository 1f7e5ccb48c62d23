import { listPeriodNames, ownDays, periodLabels } from '@parrain/domain/period';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Select } from '#ui/select';
import { TextInput } from '#ui/text-input';
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
      <div className="w-36 max-sm:w-auto max-sm:min-w-32 max-sm:flex-1">
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
      {own && (
        <div className="flex items-center gap-2 max-sm:w-full" key={text}>
          <Day
            label={t('Du')}
            day={own.first}
            max={own.last}
            onChange={(day) => list.set({ periode: `${day}..${own.last}` })}
          />
          <span aria-hidden className="text-sm text-encre-faint">
            {t('au')}
          </span>
          <Day
            label={t('Au')}
            day={own.last}
            min={own.first}
            onChange={(day) => list.set({ periode: `${own.first}..${day}` })}
          />
        </div>
      )}
    </>
  );
}

type Choice = (typeof listPeriodNames)[number] | 'toutes' | 'dates';

interface DayProps {
  label: string;
  day: string;
  min?: string;
  max?: string;
  onChange: (day: string) => void;
}

/** A day is told once it is whole: while its year is typed it is of the first century. */
function Day({ label, day, onChange, ...bounds }: DayProps) {
  const [typed, setTyped] = useState(day);
  return (
    <TextInput
      type="date"
      aria-label={label}
      value={typed}
      {...bounds}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value === '' || target.value >= '2000') onChange(target.value);
      }}
      className="h-9! w-36 min-w-0 text-sm max-sm:flex-1"
    />
  );
}
