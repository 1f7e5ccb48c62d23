import * as z from 'zod/mini';
import { isBrandColor } from '../brand-color.ts';
import * as messages from '../messages.ts';

/** The company's colour, or null for the product's own (TM-01). */
export const companyColorForm = z.pipe(
  z.object({
    brand_color: z.nullable(
      z.pipe(
        z.pipe(
          z.string(messages.brandColorInvalid),
          z.transform((text) => text.trim().toLowerCase()),
        ),
        z.string().check(z.refine(isBrandColor, messages.brandColorInvalid)),
      ),
    ),
  }),
  z.transform((form) => ({ brandColor: form.brand_color })),
);
