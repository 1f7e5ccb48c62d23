import { Failure } from '@parrain/domain/failure';
import {
  invoiceDecisionForm,
  invoicedMonthForm,
  invoicedRequestForm,
  payeeInvoiceForm,
  readInvoiceForm,
} from '@parrain/domain/forms/payee-invoice';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { fromWire, toWire } from '@parrain/domain/money';
import {
  invoiceAccepted,
  invoiceFileDamaged,
  invoiceFileRequired,
  invoiceRefused,
  invoiceSent,
  type Invoiced,
  type InvoiceTerms,
} from '@parrain/domain/payee-invoice';
import { isWholePdf, proofTypeOf } from '@parrain/domain/payment-proof';

import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceForFile, onceInOneStatement } from '../once.ts';
import { fileName } from './proof.ts';

type Terms = {
  readonly amount: string;
  readonly charges_vat: boolean | null;
  readonly from: string;
  readonly today: string;
};

/** AC-04: the invoice of a payee without a mandate, a PDF by its content, with the day and the amounts of their request or their month. */
export async function sendInvoice(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? fileRefused() : error;
  });
  if (proofTypeOf(file) !== 'application/pdf') throw fileRefused();
  if (!isWholePdf(file)) throw fileRefused(invoiceFileDamaged);
  // A client asks for transfers, a commercial has months.
  const of: Invoiced = call.role === 'commercial' ? 'month' : 'request';
  const invoiced =
    of === 'month'
      ? parsePayload(invoicedMonthForm, { month: fields.get('month') ?? '' }).month
      : parsePayload(invoicedRequestForm, { request_id: fields.get('request_id') ?? '' }).request_id;
  return onceForFile(call, { file, fields }, async (tx) => {
    const { rows } = await tx.query<{ terms: Terms }>(
      `select private.${of === 'month' ? 'payee_month_invoice_terms' : 'payee_invoice_terms'}($1) as terms`,
      [invoiced],
    );
    const [asked] = rows;
    if (asked === undefined) throw new Failure('request_not_found');
    const invoice = parsePayload(payeeInvoiceForm(termsOf(asked.terms, of)), Object.fromEntries(fields));
    await tx.query('select private.send_payee_invoice($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      of === 'request' ? invoiced : null,
      invoice.number,
      invoice.day,
      toWire(invoice.amount),
      toWire(invoice.vat),
      toWire(invoice.total),
      fileName(fields.get('name'), 'facture.pdf'),
      file,
      of === 'month' ? invoiced : null,
    ]);
    return answer({ success: true, message: invoiceSent });
  });
}

function fileRefused(message: string = invoiceFileRequired): Failure {
  return new Failure('invalid_input', {}, [{ path: ['file'], message }]);
}

function termsOf({ amount, charges_vat: chargesVat, from, today }: Terms, of: Invoiced): InvoiceTerms {
  return { of, amount: fromWire(amount), chargesVat: chargesVat === true, from, today };
}

/** AC-04: the same bytes again, for the payee, the admins and the accountant. */
export async function readInvoice(call: UserCall): Promise<FunctionResponse> {
  const { invoice_id: id } = parsePayload(readInvoiceForm, call.body);
  const { rows } = await call.db.queryAs<{ name: string; bytes: Buffer }>(
    call.identity,
    { text: 'select name, bytes from private.payee_invoice_file($1)', values: [id] },
    { readOnly: true },
  );
  const [kept] = rows;
  if (kept === undefined) throw new Failure('proof_not_found');
  return answer({
    success: true,
    data: {
      name: kept.name,
      // One that a platform brought may be XML (EI-02).
      content_type: proofTypeOf(kept.bytes) ?? 'application/xml',
      content: kept.bytes.toString('base64'),
    },
  });
}

/** AC-04: accepted, the request or the month carries its tax; refused, its payee may send another. */
export async function decideInvoice(call: UserCall): Promise<FunctionResponse> {
  const { invoice_id: id, decision, reason } = parsePayload(invoiceDecisionForm, call.body ?? {});
  const isAccepted = decision === 'accepted';
  return onceInOneStatement<{ invoice: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(d.invoice) as invoice, d.already from private.decide_payee_invoice($1, $2, $3) d',
      values: [id, isAccepted, reason],
    },
    ({ invoice, already }) =>
      answer({ success: true, message: isAccepted ? invoiceAccepted : invoiceRefused, already, data: invoice }),
  );
}
