import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { id, requiredText } from './fields.ts';
import { reasonLengthMax } from './limits.ts';

export const contactKept = 'Contact gardé';
export const keepReasonRequired = 'Veuillez indiquer pourquoi ce contact est gardé';

/** An admin keeps a contact that is about to be forgotten, and says why (CS-04). */
export const keptContactForm = z.pipe(
  z.object({
    sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
    reason: requiredText(keepReasonRequired, reasonLengthMax),
  }),
  z.transform((form) => ({ saleId: form.sale_id, reason: form.reason })),
);
