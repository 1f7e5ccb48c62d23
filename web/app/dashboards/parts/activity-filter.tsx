import { useTranslation } from 'react-i18next';
import { clientActivities, type ClientActivity } from '#api/people/client-summaries';
import { Select } from '#ui/select';
import type { ListState } from './use-list-state.ts';

export interface ActivityFilterProps {
  list: ListState;
  activity: ClientActivity;
  /** Number of referrers who are asleep; undefined until it is known. */
  sleepingCount: number | undefined;
  /** The reader sees clients whom nobody follows. */
  seesAll?: boolean | undefined;
}

/** The clients of a list by what they refer, in its address; beside « Parrains endormis » how many there are (PI-03). */
export function ActivityFilter({ list, activity, sleepingCount, seesAll = false }: ActivityFilterProps) {
  const { t } = useTranslation();
  const labelOf = (word: ClientActivity) =>
    word === 'asleep' && sleepingCount !== undefined
      ? `${t(labels.asleep)} (${sleepingCount.toLocaleString('fr-FR')})`
      : t(labels[word]);
  return (
    <div className="w-48">
      <Select<ClientActivity>
        size="sm"
        label={t('Filtrer par activité')}
        value={activity}
        onValueChange={(word) => list.set({ activite: word === 'all' ? undefined : word })}
        options={clientActivities
          .filter((word) => word !== 'alone' || seesAll)
          .map((word) => ({ value: word, label: labelOf(word) }))}
      />
    </div>
  );
}

const labels: Readonly<Record<ClientActivity, string>> = {
  all: 'Toute activité',
  asleep: 'Parrains endormis',
  never: 'Sans parrainage',
  alone: 'Sans commercial',
};
