import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { associationNumberInvalid } from '../payment-messages.ts';
import type { Cents } from '../money.ts';
import { parseAssociationNumber } from '../association-number.ts';
import {
  across,
  choice,
  id,
  optionalAmount,
  optionalLine,
  optionalText,
  refuse,
  report,
  seenVersion,
} from './fields.ts';
import { notesLengthMax, reasonLengthMax } from './limits.ts';

/** How a payment was made (PO-03): its reference; of a donation, the association that received it. */
export interface Settlement {
  readonly reference: string | null;
  readonly association: { readonly name: string; readonly number: string } | null;
}

/** The admin's decision on a payment request, with the version that was on screen (V-05, FX-11). */
export type PaymentDecision =
  | {
      readonly status: 'approved' | 'paid';
      /** What proves the payment (PO-03). */
      readonly settlement: Settlement | null;
      readonly requestId: string;
      readonly seenVersion: number;
      readonly expectedAmount: Cents;
      readonly adminNotes: string | null;
    }
  | {
      readonly status: 'rejected';
      readonly requestId: string;
      readonly seenVersion: number;
      readonly adminNotes: string | null;
      readonly rejectionReason: string;
    };

export const settlementReferenceLengthMax = 140;

/** A number of the RNA or a SIREN, where one is given. */
export const associationNumber = z.pipe(
  optionalLine(40),
  z.transform((typed, context) =>
    typed === null ? null : (parseAssociationNumber(typed) ?? refuse(context, associationNumberInvalid)),
  ),
);

interface RawDecision {
  readonly status: unknown;
  readonly admin_notes: unknown;
  readonly rejection_reason: unknown;
  readonly seen_version: unknown;
  readonly expected_amount: unknown;
  readonly association_name: unknown;
  readonly association_number: unknown;
}

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
      seen_version: seenVersion(),
      expected_amount: optionalAmount(),
      settlement_reference: optionalLine(settlementReferenceLengthMax),
      association_name: optionalLine(),
      association_number: associationNumber,
    })
    .check(
      across((form: RawDecision, context) => {
        if (form.status === 'rejected' && form.rejection_reason === null && form.admin_notes === null) {
          const field = 'rejection_reason';
          report(context, messages.refusalReasonRequired, [field], { failure: 'refusal_reason_required' });
        } else if (form.seen_version === null || (form.status !== 'rejected' && form.expected_amount === null)) {
          report(context, messages.seenRequired, ['seen_version'], { failure: 'seen_required' });
        } else if (form.association_number === null && form.association_name !== null) {
          report(context, associationNumberInvalid, ['association_number']);
        } else if (form.association_name === null && form.association_number !== null) {
          report(context, messages.associationNameRequired, ['association_name']);
        }
      }),
    ),
  z.transform((form): PaymentDecision => {
    const decided = { requestId: form.request_id, seenVersion: form.seen_version ?? 0, adminNotes: form.admin_notes };
    return form.status === 'rejected'
      ? { status: form.status, ...decided, rejectionReason: form.rejection_reason ?? form.admin_notes ?? '' }
      : {
          status: form.status,
          ...decided,
          expectedAmount: form.expected_amount ?? 0n,
          settlement: settlementOf(form.settlement_reference, form.association_name, form.association_number),
        };
  }),
);

function settlementOf(reference: string | null, name: string | null, number: string | null): Settlement | null {
  const association = name === null || number === null ? null : { name, number };
  return reference === null && association === null ? null : { reference, association };
}

/** « Annuler l'approbation » (FX-10). */
export interface ApprovalAnnulment {
  readonly requestId: string;
  readonly seenVersion: number;
  readonly reason: string;
}

/** The payload of payment-request?action=annul_approval (FX-10). */
export const approvalAnnulmentForm = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
      reason: optionalText(reasonLengthMax),
      seen_version: seenVersion(),
    })
    .check(
      across((form: { reason: unknown; seen_version: unknown }, context) => {
        if (form.reason === null) report(context, messages.cancellationReasonRequired, ['reason']);
        else if (form.seen_version === null) {
          report(context, messages.seenRequired, ['seen_version'], { failure: 'seen_required' });
        }
      }),
    ),
  z.transform((form): ApprovalAnnulment => ({
    requestId: form.request_id,
    seenVersion: form.seen_version ?? 0,
    reason: form.reason ?? '',
  })),
);

/** « Revenu de la banque » (PO-02): a transfer that was paid comes back, and why. */
export interface PaymentReturn {
  readonly requestId: string;
  readonly seenVersion: number;
  readonly reason: string;
}

/** The payload of payment-request?action=return. */
export const paymentReturnForm = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
      reason: optionalText(reasonLengthMax),
      seen_version: seenVersion(),
    })
    .check(
      across((form: { reason: unknown; seen_version: unknown }, context) => {
        if (form.reason === null) {
          report(context, messages.refusalReasonRequired, ['reason'], { failure: 'refusal_reason_required' });
        } else if (form.seen_version === null) {
          report(context, messages.seenRequired, ['seen_version'], { failure: 'seen_required' });
        }
      }),
    ),
  z.transform((form): PaymentReturn => ({
    requestId: form.request_id,
    seenVersion: form.seen_version ?? 0,
    reason: form.reason ?? '',
  })),
);
