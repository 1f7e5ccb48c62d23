import * as z from 'zod/mini';
import { refuse } from './fields.ts';
import { optionalCount } from './optional-count.ts';

export const contactMonthsMin = 6;
export const contactMonthsMax = 36;

const invalid = `Indiquez un nombre de mois, de ${contactMonthsMin} à ${contactMonthsMax}.`;

/** For how many months a contact without contract is kept after it was last heard of (CS-04). */
export const companyContactMonthsForm = z.pipe(
  z.object({
    contact_months: z.pipe(
      optionalCount(contactMonthsMax, invalid),
      z.transform((months, context) =>
        months === null || months < contactMonthsMin ? refuse(context, invalid) : months,
      ),
    ),
  }),
  z.transform((form) => ({ months: form.contact_months })),
);
