import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface LastDayProps {
  /** « 2026-12-31 »; null where it has none, empty where no day of the calendar is typed. */
  value: string | null;
  /** The first day that it may be. */
  min: string;
  onChange: (day: string | null) => void;
}

/** The last day on which a scale is offered, on demand (SC-02). */
export function LastDay({ value, min, onChange }: LastDayProps) {
  const { t } = useTranslation();
  if (value === null) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-encre-soft">{t('Il n’a pas de dernier jour.')}</p>
        <Button size="sm" onClick={() => onChange(min)}>
          {t('Choisir un dernier jour')}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field
        label={t('Dernier jour')}
        hint={t('Ensuite, il n’est plus proposé ; les contrats validés ne changent pas.')}
        error={lastDayFault(value, min, t)}
        className="sm:max-w-88"
      >
        <TextInput
          type="date"
          required
          min={min}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </Field>
      <Button size="sm" onClick={() => onChange(null)}>
        {t('Sans dernier jour')}
      </Button>
    </div>
  );
}

/** True for no last day, and for a day of the calendar that comes no earlier than the first. */
export function isLastDay(value: string | null, min: string): boolean {
  return value === null || (value !== '' && value >= min);
}

function lastDayFault(value: string, min: string, t: (key: string) => string): string | undefined {
  if (value === '') return t('Indiquez un jour du calendrier.');
  return value < min ? t('Le dernier jour ne vient pas avant le premier.') : undefined;
}
