import * as z from 'zod/mini';

/** Setting of the payments in kind that count towards the declared sums, as the settings and the wire write it (PP-04). */
export const das2SettingsForm = z.pipe(
  z.object({
    counts_gift_cards: z.boolean({ error: 'Indiquez si les chèques cadeaux sont comptés.' }),
    counts_discounts: z.boolean({ error: 'Indiquez si les remises sont comptées.' }),
  }),
  z.transform((form) => ({ countsGiftCards: form.counts_gift_cards, countsDiscounts: form.counts_discounts })),
);
