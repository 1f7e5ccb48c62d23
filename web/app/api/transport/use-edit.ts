import { useRef } from 'react';
import type { FieldPath, FieldValues, UseFormGetValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from './api-error.ts';

/** Payload of a form that edits a record: the fields that were changed, and what they held. */
export type Changes = Readonly<Record<string, unknown>> & { readonly seen: Readonly<Record<string, unknown>> };

interface Form<Values extends FieldValues> {
  getValues: UseFormGetValues<Values>;
  setError: UseFormSetError<Values>;
}

/**
 * The one way in which forms edit records (DF-34): `changes` is what was changed since the form opened on `opened`; `showChanged` tells
 * under each field what somebody else wrote there meanwhile, and keeps what was typed, which the next « Enregistrer » puts in its place.
 */
export function useEdit<Values extends FieldValues>(
  { getValues, setError }: Form<Values>,
  opened: Values,
  /** True where nothing is kept yet: all of the form is sent, its first values too. */
  isFirst = false,
) {
  const seen = useRef(fieldsOf(opened));
  const sent = useRef<Readonly<Record<string, unknown>>>({});
  return {
    changes: (): Changes => {
      sent.current = fieldsOf(getValues());
      if (isFirst) return { ...getValues(), seen: {} };
      const changed = Object.entries(sent.current).filter(([field, value]) => !isSame(value, seen.current[field]));
      return {
        ...Object.fromEntries(changed),
        seen: Object.fromEntries(changed.map(([field]) => [field, seen.current[field] ?? null])),
      };
    },
    /** Takes what was sent as what the record holds now, for a form that stays open. */
    saved: (): void => {
      seen.current = sent.current;
    },
    /** False for another refusal. */
    showChanged: (error: unknown): boolean => {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') return false;
      for (const [place, { path, message, current }] of error.issues.entries()) {
        const field = path.join('.');
        seen.current = { ...seen.current, [field]: current ?? '' };
        setError(field as FieldPath<Values>, { type: 'server', message }, { shouldFocus: place === 0 });
      }
      return true;
    },
  };
}

/** The values by field, « accounts.sales.label » for one of a group. */
export function fieldsOf(values: object, group = ''): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(fieldsOf(value as object, `${group}${name}.`))
        : [[`${group}${name}`, value as unknown]],
    ),
  );
}

/** An absent value is an empty one. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? '') === JSON.stringify(other ?? '');
}
