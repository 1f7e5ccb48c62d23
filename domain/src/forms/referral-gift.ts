import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { id, requiredText, seenVersion } from './fields.ts';
import { reasonLengthMax } from './limits.ts';

export const referralGiven = 'Parrainage donné';
export const giftReasonRequired = 'Veuillez indiquer la raison de ce choix';

const saleId = id(messages.saleNotSelected, { failure: 'sale_not_selected' });

/** The referral whose refused referrers are asked for (CS-02). */
export const refusedReferrersForm = z.object({ sale_id: saleId });

/** The admin gives a referral to a client to whom it was refused, and says why (CS-02). */
export const referralGiftForm = z.pipe(
  z.object({
    sale_id: saleId,
    client_id: id('Aucun parrain sélectionné'),
    reason: requiredText(giftReasonRequired, reasonLengthMax),
    seen_version: seenVersion(),
  }),
  z.transform((form) => ({
    saleId: form.sale_id,
    clientId: form.client_id,
    reason: form.reason,
    seenVersion: form.seen_version,
  })),
);
