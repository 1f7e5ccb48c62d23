import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { accountCheckRequired, associationNumberInvalid } from '../payment-messages.ts';
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
  requiredText,
  seenVersion,
} from './fields.ts';
import { withBankCode } from '../sepa.ts';
import { paymentDay } from './payment-day.ts';
import { notesLengthMax, reasonLengthMax, settlementReferenceLengthMax } from './limits.ts';

/** Details of a payment as made (PO-03): its reference; of a donation, the association that received it. */
export interface Settlement {
  readonly reference: string | null;
  readonly association: { readonly name: string; readonly number: string | null } | null;
}

/** The admin's decision on a payment request (V-05), with what was on screen where the caller says it (FX-11, DF-01). */
export type PaymentDecision =
  | {
      readonly status: 'approved' | 'paid';
      /** Proof of the payment (PO-03). */
      readonly settlement: Settlement | null;
      /** Its own day (AC-01); null is today. */
      readonly paidOn?: string | null;
      readonly requestId: string;
      readonly seenVersion: number | null;
      /** The total that leaves, VAT included (DF-23). */
      readonly expectedAmount: Cents | null;
      readonly adminNotes: string | null;
    }
  | {
      readonly status: 'rejected';
      readonly requestId: string;
      readonly seenVersion: number | null;
      readonly adminNotes: string | null;
      readonly rejectionReason: string;
    };

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
  readonly association_name: unknown;
  readonly association_number: unknown;
}

/**
 * The decision form and the payload of payment-request?action=update_status (V-05, F-08). That payload has no field for
 * the reason of a refusal but admin_notes: it is the reason where rejection_reason is not given. Nor has it any for what was
 * seen: that is compared where it is sent (DF-01).
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
      paid_on: paymentDay,
    })
    .check(
      across((form: RawDecision, context) => {
        if (form.status === 'rejected' && form.rejection_reason === null && form.admin_notes === null) {
          const field = 'rejection_reason';
          report(context, messages.refusalReasonRequired, [field], { failure: 'refusal_reason_required' });
        } else if (form.association_name === null && form.association_number !== null) {
          report(context, messages.associationNameRequired, ['association_name']);
        }
      }),
    ),
  z.transform((form): PaymentDecision => {
    const decided = { requestId: form.request_id, seenVersion: form.seen_version, adminNotes: form.admin_notes };
    return form.status === 'rejected'
      ? { status: form.status, ...decided, rejectionReason: form.rejection_reason ?? form.admin_notes ?? '' }
      : {
          status: form.status,
          ...decided,
          expectedAmount: form.expected_amount,
          settlement: settlementOf(form.settlement_reference, form.association_name, form.association_number),
          paidOn: form.paid_on,
        };
  }),
);

function settlementOf(reference: string | null, name: string | null, number: string | null): Settlement | null {
  const association = name === null ? null : { name, number };
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

/** Details unknown when a request was paid (DF-02): the payload of payment-request?action=complete_settlement. */
export const settlementCompletionForm = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
      settlement_reference: optionalLine(settlementReferenceLengthMax),
      association_name: optionalLine(),
      association_number: associationNumber,
    })
    .check(
      across((form: { association_name: unknown; association_number: unknown }, context) => {
        if (form.association_name === null && form.association_number !== null) {
          report(context, messages.associationNameRequired, ['association_name']);
        }
      }),
    ),
  z.transform((form): { readonly requestId: string; readonly settlement: Settlement } => ({
    requestId: form.request_id,
    settlement: settlementOf(form.settlement_reference, form.association_name, form.association_number) ?? {
      reference: null,
      association: null,
    },
  })),
);

/** The payload of payment-request?action=lift_iban_wait (DF-03): a request or a payee, and how their account was verified. */
export const ibanCheckForm = z.pipe(
  z.object({
    id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
    reason: requiredText(accountCheckRequired, reasonLengthMax, { failure: 'account_check_required' }),
  }),
  z.transform((form): { readonly id: string; readonly reason: string } => form),
);

/** « Revenu de la banque » (PO-02): a transfer that was paid comes back, and why. */
export interface PaymentReturn {
  readonly requestId: string;
  readonly seenVersion: number;
  readonly reason: string;
  /** Its own day (AC-01); null is today. */
  readonly returnedOn: string | null;
}

/** The payload of payment-request?action=return. */
export const paymentReturnForm = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'request_not_found' }),
      reason: optionalText(reasonLengthMax),
      seen_version: seenVersion(),
      returned_on: paymentDay,
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
    reason: withBankCode(form.reason ?? '', reasonLengthMax),
    returnedOn: form.returned_on,
  })),
);
