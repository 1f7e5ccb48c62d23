import type { ComponentProps } from 'react';
import { Field } from './field.tsx';
import { TextInput } from './text-input.tsx';

export interface PhoneFieldProps extends ComponentProps<'input'> {
  label: string;
  /** Says how to write it, and why it is asked for where that helps. */
  hint?: string | undefined;
  error?: string | undefined;
}

/** A telephone, always optional. What it may be written with is said before it is typed. */
export function PhoneField({ label, hint, error, autoComplete = 'off', ...rest }: PhoneFieldProps) {
  return (
    <Field label={label} optional hint={hint ?? phoneHint} error={error}>
      <TextInput type="tel" inputMode="tel" autoComplete={autoComplete} {...rest} />
    </Field>
  );
}

const phoneHint = 'Par exemple 06 12 34 56 78 ou +33 6 12 34 56 78.';
