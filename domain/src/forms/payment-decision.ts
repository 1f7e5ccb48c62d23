import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, choice, id, optionalText, report } from './fields.ts';
import { notesLengthMax, reasonLengthMax } from './limits.ts';

/** What the admin decides of a payment request (V-05). */
export type PaymentDecision =
  | { readonly status: 'approved' | 'paid'; readonly requestId: string; readonly adminNotes: string | null }
  | {
      readonly status: 'rejected';
      readonly requestId: string;
      readonly adminNotes: string | null;
      readonly rejectionReason: string;
    };

/**
 * The decision form and the payload of payment-request?action=update_status (V-05, F-08). That payload has no field for
 * the reason of a refusal but admin_notes: it is the reason where rejection_reason is not given.
 */
export const paymentDecisionForm = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
      status: choice(['approved', 'rejected', 'paid'], messages.decisionRequired, { failure: 'decision_required' }),
      admin_notes: optionalText(notesLengthMax),
      rejection_reason: optionalText(reasonLengthMax),
    })
    .check(
      across((form: { status: unknown; admin_notes: unknown; rejection_reason: unknown }, context) => {
        if (form.status === 'rejected' && form.rejection_reason === null && form.admin_notes === null) {
          const field = 'rejection_reason';
          report(context, messages.refusalReasonRequired, [field], { failure: 'refusal_reason_required' });
        }
      }),
    ),
  z.transform((form): PaymentDecision => {
    const decided = { requestId: form.request_id, adminNotes: form.admin_notes };
    if (form.status !== 'rejected') return { status: form.status, ...decided };
    return { status: form.status, ...decided, rejectionReason: form.rejection_reason ?? form.admin_notes ?? '' };
  }),
);
