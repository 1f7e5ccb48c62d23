import * as z from 'zod/mini';
import { requiredCount } from './optional-count.ts';

export const regularFromMax = 99;

/**
 * Settings of the yearly declaration, as the settings and the wire write them: the payments in kind that count towards the declared sums
 * (PP-04), and the contracts in twelve months from which a particulier is regular (AC-10; as it was, where it is not said).
 */
export const das2SettingsForm = z.pipe(
  z.object({
    counts_gift_cards: z.boolean({ error: 'Indiquez si les chèques cadeaux sont comptés.' }),
    counts_discounts: z.boolean({ error: 'Indiquez si les remises sont comptées.' }),
    regular_from: z.optional(requiredCount(regularFromMax, 'Indiquez un nombre de contrats, de 1 à 99.')),
  }),
  z.transform((form) => ({
    countsGiftCards: form.counts_gift_cards,
    countsDiscounts: form.counts_discounts,
    regularFrom: form.regular_from ?? null,
  })),
);
