import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { isDay } from '../period.ts';
import { id, optionalText, refuse } from './fields.ts';

/** Follow-up that a commercial keeps of a referral, private to the company (TM-05). */
export interface FollowUp {
  readonly saleId: string;
  readonly privateNote: string | null;
  /** A day of France: « 2026-11-24 ». */
  readonly callBackOn: string | null;
}

/** The private note and the day to call back, in the panel and beside a status (UI-06). */
export const followUpFields = {
  private_note: optionalText(),
  call_back_on: z.pipe(
    z.optional(z.nullable(z.string())),
    z.transform((text, context): string | null => {
      if (!text) return null;
      return isDay(text) ? text : refuse(context, messages.dateInvalid);
    }),
  ),
};

/** The day to call back and the private note; an empty one is forgotten. */
export const followUpForm = z.pipe(
  z.object({
    sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
    ...followUpFields,
  }),
  z.transform((form): FollowUp => ({
    saleId: form.sale_id,
    privateNote: form.private_note,
    callBackOn: form.call_back_on,
  })),
);

/** The referral whose news its referrer asks for. */
export const newsRequestForm = z.pipe(
  z.object({ sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }) }),
  z.transform((form) => ({ saleId: form.sale_id })),
);
