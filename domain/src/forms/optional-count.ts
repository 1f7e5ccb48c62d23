import * as z from 'zod/mini';
import { refuse } from './fields.ts';

/** A whole number from 1 to `most`, as typed or as a number; null where it is left empty. Said, be it empty: no payload turns a setting off
 * by forgetting it. */
export function optionalCount(most: number, invalid: string) {
  return z.pipe(
    z.nullable(z.union([z.string(), z.number()], { error: invalid })),
    z.transform((value, context): number | null => {
      if (value === null || value === '') return null;
      const text = String(value).trim();
      const number = /^\d{1,3}$/u.test(text) ? Number.parseInt(text, 10) : 0;
      return number >= 1 && number <= most ? number : refuse(context, invalid);
    }),
  );
}

/** The same where a number must be said. */
export function requiredCount(most: number, invalid: string) {
  return z.pipe(
    optionalCount(most, invalid),
    z.transform((value, context) => value ?? refuse(context, invalid)),
  );
}
