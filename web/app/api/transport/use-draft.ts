import { useCallback, useEffect, useRef } from 'react';
import type { FieldPath, FieldPathValue, FieldValues, UseFormGetValues, UseFormSetValue } from 'react-hook-form';
import { ApiError } from './api-error.ts';
import { useProfile } from './session.ts';
import { sessionState } from './session-store.ts';
import { fieldsOf, isSame } from './use-edit.ts';

/** The fields that were typed into, and what they held before. */
type Draft = Readonly<Record<string, { readonly was: unknown; readonly typed: unknown }>>;

/** In this window's memory alone. */
const drafts = new Map<string, Draft>();
let author: string | undefined;

interface Form<Values extends FieldValues> {
  getValues: UseFormGetValues<Values>;
  setValue: UseFormSetValue<Values>;
}

/**
 * Keeps what was typed into a form when its session ends by itself (E-02, DF-85): the same person, signed in again in this window, opens
 * the form and finds it. A field that holds something else by then keeps that. Never for a password.
 *
 * @param name the form and the record that it is about: « sale-status/<id> ».
 * @returns notes how a sending ended: what got no answer is kept too when the form closes; null as one leaves.
 */
export function useDraft<Values extends FieldValues>(
  { getValues, setValue }: Form<Values>,
  name: string,
): (error: unknown) => void {
  const { id } = useProfile();
  const isUnsent = useRef(false);
  useEffect(() => {
    if (author !== id) drafts.clear();
    author = id;
    const opened = fieldsOf(getValues());
    for (const [field, { was, typed }] of Object.entries(drafts.get(name) ?? {}))
      if (isSame(was, opened[field]))
        setValue(field as FieldPath<Values>, typed as FieldPathValue<Values, FieldPath<Values>>, { shouldDirty: true });
    drafts.delete(name);
    return () => {
      const session = sessionState();
      if (!isUnsent.current && (session.status !== 'visitor' || session.reason !== 'expired')) return;
      const typed = Object.entries(fieldsOf(getValues())).filter(([field, value]) => !isSame(value, opened[field]));
      if (typed.length > 0)
        drafts.set(
          name,
          Object.fromEntries(typed.map(([field, value]) => [field, { was: opened[field], typed: value }])),
        );
    };
  }, [id, name, getValues, setValue]);
  return useCallback((error) => {
    isUnsent.current = error instanceof ApiError && error.status === 0;
  }, []);
}
