import * as z from 'zod/mini';
import { optionalCount } from './optional-count.ts';

export const firstReferralMonthsMax = 60;

/** For how many months the first referral of a person counts; null is never (CS-02). */
export const companyFirstReferralForm = z.pipe(
  z.object({
    first_referral_months: optionalCount(firstReferralMonthsMax, 'Indiquez un nombre de mois, de 1 à 60.'),
  }),
  z.transform((form) => ({ months: form.first_referral_months })),
);
