import { dayOf } from '@parrain/domain/date';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

export interface PaymentDayChoice {
  /** « 2026-11-26 »; null where the field is empty, or holds no day of the calendar: nothing is confirmed then. */
  day: string | null;
  today: string;
  set: (day: string) => void;
}

/** Today, unless an earlier day is likely. */
export function likelyDay(likely: string | null, today: string): string {
  return likely !== null && likely < today ? likely : today;
}

/** The day of a payment or a return (AC-01), today unless an earlier one is likely. */
export function usePaymentDay(likely: string | null = null): PaymentDayChoice {
  const [today] = useState(() => dayOf(new Date()));
  const [day, set] = useState(() => likelyDay(likely, today));
  return { day: day === '' ? null : day, today, set };
}

export interface PaymentDayFieldProps {
  label: string;
  /** Papers that follow this day. */
  hint?: string;
  choice: PaymentDayChoice;
}

/** Its field: the accounts follow this day, not that of the click. */
export function PaymentDayField({ label, hint, choice: { day, today, set } }: PaymentDayFieldProps) {
  const { t } = useTranslation();
  return (
    <Field
      label={label}
      hint={hint ?? t('Le journal comptable, la TVA et la DAS2 suivent ce jour.')}
      error={day === null ? t('Indiquez un jour du calendrier.') : undefined}
    >
      <TextInput
        type="date"
        required
        className="max-w-48"
        max={today}
        value={day ?? ''}
        onChange={(event) => set(event.currentTarget.value)}
      />
    </Field>
  );
}
