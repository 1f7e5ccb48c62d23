import * as z from 'zod/mini';
import { accountingCodePattern } from '../accounting.ts';
import { id, refuse } from './fields.ts';

const CODE = 'Indiquez un code de 1 à 17 lettres ou chiffres.';

/** A payee's code in the accountant's books, or none (AC-02). */
export const accountingCodeForm = z.pipe(
  z.object({
    payee_id: id('Indiquez le bénéficiaire.'),
    code: z.nullable(
      z.pipe(
        z.string({ error: CODE }),
        z.transform((value, context): string => {
          const trimmed = value.trim().toUpperCase();
          return accountingCodePattern.test(trimmed) ? trimmed : refuse(context, CODE);
        }),
      ),
    ),
  }),
  z.transform((form) => ({ payeeId: form.payee_id, code: form.code })),
);
