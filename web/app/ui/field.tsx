import clsx from 'clsx';
import { CircleAlert } from 'lucide-react';
import { createContext, useContext, useId, useMemo, type ReactNode } from 'react';
import { useStillWhilePressed } from './use-still-while-pressed.ts';

export interface FieldProps {
  label: string;
  /** Says what is expected, before any mistake. */
  hint?: ReactNode;
  /** Says how to put it right; marks the control invalid. */
  error?: string | undefined;
  /** Adds « (facultatif) » and lifts `aria-required`. */
  optional?: boolean | undefined;
  /** Keeps the label for assistive tools only. */
  labelHidden?: boolean | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/**
 * A label, a control, its hint and its error, tied together: the control inside reads its ids from here
 * (TextInput, Textarea, Select, AmountInput, PasswordInput, FileInput do it by themselves).
 */
export function Field({ label, hint, error, optional = false, labelHidden = false, className, children }: FieldProps) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  const errorId = error ? `${id}-error` : undefined;
  const control = useMemo<FieldControl>(
    () => ({
      id,
      'aria-labelledby': `${id}-label`,
      'aria-describedby': [hintId, errorId].filter(Boolean).join(' ') || undefined,
      'aria-invalid': errorId ? true : undefined,
      'aria-required': optional ? undefined : true,
    }),
    [id, hintId, errorId, optional],
  );
  return (
    <div className={clsx('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} id={`${id}-label`} className={labelHidden ? 'sr-only' : 'text-sm font-medium text-encre'}>
        {label}
        {optional && <span className="font-normal text-encre-faint"> (facultatif)</span>}
      </label>
      <FieldContext value={control}>{children}</FieldContext>
      {hint && (
        <p id={hintId} className="text-sm text-encre-faint">
          {hint}
        </p>
      )}
      <FieldError id={errorId} error={error} />
    </div>
  );
}

/** The sentence under a field: icon and words. Its place is in the page from the start, so that it is announced when it comes (DF-82). */
export function FieldError({ id, error: latest }: { id?: string | undefined; error?: string | undefined }) {
  const error = useStillWhilePressed(latest);
  return (
    <p id={id} aria-live="polite" className={error ? 'flex gap-1.5 text-sm text-danger' : 'sr-only'}>
      {error && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}
      {error}
    </p>
  );
}

export interface FieldControl {
  id?: string;
  'aria-labelledby'?: string | undefined;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: true | undefined;
  'aria-required'?: true | undefined;
}

const FieldContext = createContext<FieldControl>({});

/** The attributes a control inside a Field carries; an empty object outside of one. */
export function useFieldControl(): FieldControl {
  return useContext(FieldContext);
}

/** The look shared by everything one types or picks in. */
export const controlClass = clsx(
  'w-full rounded-field border border-edge bg-sheet px-3 text-base text-encre transition-colors duration-120',
  'placeholder:text-encre-faint placeholder-shown:text-ellipsis hover:border-encre-faint',
  'focus-visible:border-sapin focus-visible:outline-2 focus-visible:-outline-offset-1',
  'aria-invalid:border-danger aria-invalid:focus-visible:border-danger aria-invalid:focus-visible:outline-danger disabled:border-hairline disabled:bg-well disabled:text-encre-faint',
);
