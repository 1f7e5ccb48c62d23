import { dayOf } from '@parrain/domain/date';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface FirstDayProps {
  /** « 2026-03-01 »; null from now on, empty where no day of the calendar is typed. */
  value: string | null;
  onChange: (day: string) => void;
}

/** The first day of a version, on demand: it begins at once where nobody asks for another (SC-01). */
export function FirstDay({ value, onChange }: FirstDayProps) {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  if (value === null) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-encre-soft">{t('Elle commence dès sa publication.')}</p>
        <Button size="sm" onClick={() => onChange(today)}>
          {t('Choisir un autre jour')}
        </Button>
      </div>
    );
  }
  return (
    <Field
      label={t('À partir du')}
      hint={t('Aujourd’hui : dès sa publication. Un jour à venir : à minuit, d’elle-même.')}
      error={value === '' ? t('Indiquez un jour du calendrier.') : undefined}
      className="sm:max-w-88"
    >
      <TextInput
        type="date"
        required
        min={today}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}
