import * as z from 'zod/mini';
import { formatDay } from '../date.ts';
import { decisionRequired, refusalReasonRequired, requestNotSelected } from '../messages.ts';
import type { Cents } from '../money.ts';
import {
  expectedInvoice,
  invoiceAmountRequired,
  invoiceAmountWrong,
  invoiceDayAhead,
  invoiceDayRequired,
  invoiceDayTooEarly,
  invoiceMonthRequired,
  invoiceNotSelected,
  invoiceNumberRequired,
  invoiceTotalWrong,
  invoiceVatWrong,
  payeeInvoiceNumberLengthMax,
  type InvoiceTerms,
} from '../payee-invoice.ts';
import { isDay } from '../period.ts';
import {
  across,
  choice,
  id,
  optionalAmount,
  optionalLine,
  optionalText,
  refuse,
  report,
  requiredLine,
} from './fields.ts';
import { reasonLengthMax } from './limits.ts';

/** The request that an invoice is for, before its terms are known (AC-04). */
export const invoicedRequestForm = z.object({ request_id: id(requestNotSelected, { failure: 'request_not_found' }) });

/** The month that an invoice is for, « 2026-10-01 », in a request's place. */
export const invoicedMonthForm = z.object({
  month: z.pipe(
    optionalLine(10),
    z.transform((month, context) =>
      month !== null && isDay(month) && month.endsWith('-01') ? month : refuse(context, invoiceMonthRequired),
    ),
  ),
});

const given = (required: string) =>
  z.pipe(
    optionalAmount(required),
    z.transform((cents, context): Cents => cents ?? refuse(context, required)),
  );

/** AC-04: the invoice of a payee, whose day and amounts are those of what they asked for; each that is not says what is expected. */
export function payeeInvoiceForm(terms: InvoiceTerms) {
  return z
    .object({
      number: requiredLine(invoiceNumberRequired, payeeInvoiceNumberLengthMax),
      day: z.pipe(
        optionalLine(10),
        z.transform((day, context) => {
          if (day === null || !isDay(day)) return refuse(context, invoiceDayRequired);
          if (day > terms.today) return refuse(context, invoiceDayAhead);
          return day < terms.from ? refuse(context, invoiceDayTooEarly(formatDay(`${terms.from}T12:00:00Z`))) : day;
        }),
      ),
      amount: given(invoiceAmountRequired),
      vat: given(invoiceAmountRequired),
      total: given(invoiceAmountRequired),
    })
    .check(
      across(({ day, ...amounts }: Readonly<Record<string, unknown>>, context) => {
        const expected = expectedInvoice(terms, typeof day === 'string' && isDay(day) ? day : terms.today);
        for (const [field, wrong] of wrongs)
          if (typeof amounts[field] === 'bigint' && amounts[field] !== expected[field])
            report(context, wrong(expected[field], terms.of), [field]);
      }),
    );
}

const wrongs = [
  ['amount', invoiceAmountWrong],
  ['vat', invoiceVatWrong],
  ['total', invoiceTotalWrong],
] as const;

/** AC-04: the invoice to read. */
export const readInvoiceForm = z.object({ invoice_id: id(invoiceNotSelected, { failure: 'proof_not_found' }) });

/** AC-04: an admin's word on an invoice; a refusal says why. */
export const invoiceDecisionForm = z
  .object({
    invoice_id: id(invoiceNotSelected, { failure: 'request_not_found' }),
    decision: choice(['accepted', 'refused'], decisionRequired, { failure: 'decision_required' }),
    reason: optionalText(reasonLengthMax),
  })
  .check(
    across((form: { decision: unknown; reason: unknown }, context) => {
      if (form.decision === 'refused' && form.reason === null)
        report(context, refusalReasonRequired, ['reason'], { failure: 'refusal_reason_required' });
    }),
  );
