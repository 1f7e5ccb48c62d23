import { dayOf } from '@parrain/domain/date';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

interface CallBackFieldProps extends ComponentProps<typeof TextInput> {
  error: string | undefined;
  hint?: string | undefined;
  /** One of the shortcuts was pressed. */
  onPick: (day: string) => void;
}

/** « Relancer le », with the days that are chosen most. */
export function CallBackField({ error, hint, onPick, ...input }: CallBackFieldProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('Relancer le')} optional hint={hint} error={error}>
        <TextInput type="date" min={inDays(0)} className="max-w-52" {...input} />
      </Field>
      <div className="-mt-3 flex flex-wrap gap-2 max-sm:gap-1.5">
        {shortcuts.map(({ days, label }) => (
          <Button key={days} size="sm" className="max-sm:px-2.5" onClick={() => onPick(inDays(days))}>
            {t(label)}
          </Button>
        ))}
      </div>
    </>
  );
}

/** The day in France in so many days. */
export function inDays(days: number): string {
  return dayOf(new Date(Date.now() + days * 86_400_000));
}

const shortcuts = [
  { days: 1, label: 'Demain' },
  { days: 3, label: 'Dans 3 jours' },
  { days: 7, label: 'Dans une semaine' },
] as const;
