import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import type { Cents } from '../money.ts';
import { codeOfReason, isBankDay, sepaFormats, withBankCode, type SepaFormat } from '../sepa.ts';
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
import { paymentDay } from './payment-day.ts';

/** Lines of a batch at most: a file that every bank takes. */
export const batchLinesMax = 5000;

const commercialRequired = 'Choisissez au moins un commercial.';
const batchId = id('Choisissez un virement groupé.', { failure: 'batch_not_found' });
const requestIds = z.array(id(messages.requestNotSelected, { failure: 'request_not_found' }), {
  error: messages.requestNotSelected,
});

interface Seen {
  readonly expected_total: unknown;
  readonly seen_version?: unknown;
}

function requireSeen(form: Seen, context: Parameters<typeof report>[0]): void {
  if (form.expected_total === null || form.seen_version === null)
    report(context, messages.seenRequired, ['expected_total'], { failure: 'seen_required' });
}

const month = z.pipe(
  optionalLine(10),
  z.transform((value, context) =>
    value !== null && /^2\d{3}-(?:0[1-9]|1[0-2])-01$/u.test(value) ? value : refuse(context, 'Choisissez un mois.'),
  ),
);

/** Sum due to a commercial, as it was on screen. */
const payeeSeen = { payee_id: id(commercialRequired, { failure: 'commercial_not_found' }), amount: optionalAmount() };
const requireAmount = across((form: { amount: unknown }, context) => {
  if (form.amount === null) report(context, messages.seenRequired, ['amount'], { failure: 'seen_required' });
});

/** A month of a commercial that a batch takes, with what was seen as due (PO-05). */
export interface MonthToPay {
  readonly payeeId: string;
  readonly month: string;
  readonly amount: Cents;
}

const monthToPay = z.pipe(
  z.object({ ...payeeSeen, month }).check(requireAmount),
  z.transform((form): MonthToPay => ({ payeeId: form.payee_id, month: form.month, amount: form.amount ?? 0n })),
);

/** The payload of payment-batch?action=make: which requests and months, and how much they were together on screen (PO-01, PO-05). */
export const batchForm = z.pipe(
  z
    .object({
      request_ids: requestIds,
      months: z.optional(z.array(monthToPay, { error: commercialRequired })),
      expected_total: optionalAmount(),
    })
    .check(
      across((form: Seen & { request_ids: unknown; months?: unknown }, context) => {
        requireSeen(form, context);
        const count =
          (Array.isArray(form.request_ids) ? form.request_ids.length : 0) +
          (Array.isArray(form.months) ? form.months.length : 0);
        if (count === 0) report(context, messages.requestNotSelected, ['request_ids']);
        if (count > batchLinesMax)
          report(context, `Un virement groupé a ${batchLinesMax} lignes au plus.`, ['request_ids']);
      }),
    ),
  z.transform((form) => ({
    requestIds: [...new Set(form.request_ids)],
    months: form.months ?? [],
    total: form.expected_total ?? 0n,
  })),
);

/** The payload of payment-batch?action=leave: which lines are taken out of a draft; null is all, and the draft with them. */
export const batchLeavingForm = z.pipe(
  z.object({ batch_id: batchId, request_ids: z.nullable(requestIds) }),
  z.transform((form) => ({ batchId: form.batch_id, requestIds: form.request_ids })),
);

/** The day on which the bank is asked to pay, and the version of its file. */
export interface TransferFile {
  readonly executionOn: string;
  readonly format: SepaFormat;
}

/** A release (PO-01): its file, and what was on screen. */
export interface BatchRelease extends TransferFile {
  readonly batchId: string;
  readonly seenVersion: number;
  readonly total: Cents;
}

const fileFields = {
  execution_on: z.pipe(
    optionalLine(10),
    z.transform((day, context) =>
      day !== null && /^\d{4}-\d\d-\d\d$/u.test(day) && isBankDay(day)
        ? day
        : refuse(context, 'Choisissez un jour ouvré bancaire.', { failure: 'execution_day_refused' }),
    ),
  ),
  format: choice(sepaFormats, 'Choisissez le format du fichier.'),
};

/** Request for a bank file before its batch exists (UI-04). */
export const transferFileForm = z.pipe(
  z.object(fileFields),
  z.transform((form): TransferFile => ({ executionOn: form.execution_on, format: form.format })),
);

export const batchReleaseForm = z.pipe(
  z
    .object({ batch_id: batchId, seen_version: seenVersion(), expected_total: optionalAmount(), ...fileFields })
    .check(across(requireSeen)),
  z.transform((form): BatchRelease => ({
    batchId: form.batch_id,
    seenVersion: form.seen_version ?? 0,
    total: form.expected_total ?? 0n,
    executionOn: form.execution_on,
    format: form.format,
  })),
);

/** The payload of payment-batch?action=send and file. */
export const batchSendingForm = z.pipe(
  z.object({ batch_id: batchId, seen_version: seenVersion() }),
  z.transform((form) => ({ batchId: form.batch_id, seenVersion: form.seen_version })),
);
export const batchNamedForm = z.pipe(
  z.object({ batch_id: batchId }),
  z.transform((form) => ({ batchId: form.batch_id })),
);

/** Outcome of a line at the bank (PO-02). */
export interface LineOutcome {
  /** The line's id: that of its request where it has one. */
  readonly requestId: string;
  readonly status: 'paid' | 'rejected' | 'returned';
  /** ISO 20022's code of a rejection or a return, where the bank gave one or the reason ends with it. */
  readonly code: string | null;
  readonly reason: string | null;
  /** Day on which the bank booked it (AC-01); null is that of the settlement. */
  readonly day?: string | null;
}

const outcome = z.pipe(
  z
    .object({
      request_id: id(messages.requestNotSelected, { failure: 'batch_line_unknown' }),
      status: choice(['paid', 'rejected', 'returned'], messages.decisionRequired),
      code: z.pipe(
        optionalLine(4),
        z.transform((code, context) =>
          code === null || /^[0-9A-Z]{4}$/u.test(code) ? code : refuse(context, 'Ce code de rejet n’est pas valide.'),
        ),
      ),
      reason: optionalText(500),
      day: paymentDay,
    })
    .check(
      across((form: { status: unknown; reason: unknown }, context) => {
        if (form.status !== 'paid' && form.reason === null)
          report(context, messages.refusalReasonRequired, ['reason'], { failure: 'refusal_reason_required' });
      }),
    ),
  z.transform((form): LineOutcome => {
    const reason = form.status === 'paid' || form.reason === null ? null : withBankCode(form.reason);
    return {
      requestId: form.request_id,
      status: form.status,
      code: form.status === 'paid' ? null : (form.code ?? codeOfReason(reason ?? '')),
      reason,
      day: form.day,
    };
  }),
);

/** A line has one fate: two answers for it leave open which one is true. */
const eachOnce = across((outcomes: readonly (Partial<LineOutcome> | null)[], context) => {
  const lines = outcomes.flatMap((line) => line?.requestId ?? []);
  if (new Set(lines).size < lines.length) report(context, messages.batchLineTwice, [], { failure: 'batch_line_twice' });
});

/** The payload of payment-batch?action=settle: what became of some lines; null is « all that wait are paid » (PO-02). */
export const batchSettlementForm = z.pipe(
  z.object({
    batch_id: batchId,
    outcomes: z.nullable(z.array(outcome, { error: messages.decisionRequired }).check(eachOnce)),
    paid_on: paymentDay,
  }),
  z.transform((form) => ({ batchId: form.batch_id, outcomes: form.outcomes, paidOn: form.paid_on })),
);

/** The payload of payment-batch?action=pay_month: which commercials, each with what was seen as due at the month's end (PO-05). */
export const monthPaymentForm = z.pipe(
  z.object({
    month,
    lines: z
      .array(
        z.pipe(
          z.object({ ...payeeSeen, vat_amount: z.optional(optionalAmount()) }).check(requireAmount),
          z.transform((form) => ({
            payeeId: form.payee_id,
            amount: form.amount ?? 0n,
            vatAmount: form.vat_amount ?? null,
          })),
        ),
        { error: commercialRequired },
      )
      .check(z.minLength(1, commercialRequired), z.maxLength(batchLinesMax, commercialRequired)),
    paid_on: paymentDay,
  }),
  z.transform(({ paid_on: paidOn, ...form }) => ({ ...form, paidOn })),
);
