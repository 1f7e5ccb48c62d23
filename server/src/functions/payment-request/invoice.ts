import { Failure } from '@parrain/domain/failure';
import {
  invoiceDecisionForm,
  invoicedRequestForm,
  payeeInvoiceForm,
  readInvoiceForm,
} from '@parrain/domain/forms/payee-invoice';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { fromWire, toWire } from '@parrain/domain/money';
import {
  invoiceAccepted,
  invoiceFileRequired,
  invoiceRefused,
  invoiceSent,
  type InvoiceTerms,
} from '@parrain/domain/payee-invoice';
import { proofTypeOf } from '@parrain/domain/payment-proof';

import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';
import { fileName } from './proof.ts';

type Terms = {
  readonly amount: string;
  readonly charges_vat: boolean | null;
  readonly from: string;
  readonly today: string;
};

/** AC-04: the invoice of a payee without a mandate, a PDF by its content, with the day and the amounts of their request. */
export async function sendInvoice(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? fileRefused() : error;
  });
  if (proofTypeOf(file) !== 'application/pdf') throw fileRefused();
  const { request_id: request } = parsePayload(invoicedRequestForm, { request_id: fields.get('request_id') ?? '' });
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows } = await tx.query<{ terms: Terms }>('select private.payee_invoice_terms($1) as terms', [request]);
    const [asked] = rows;
    if (asked === undefined) throw new Failure('request_not_found');
    const invoice = parsePayload(payeeInvoiceForm(termsOf(asked.terms)), Object.fromEntries(fields));
    await tx.query('select private.send_payee_invoice($1, $2, $3, $4, $5, $6, $7, $8)', [
      request,
      invoice.number,
      invoice.day,
      toWire(invoice.amount),
      toWire(invoice.vat),
      toWire(invoice.total),
      fileName(fields.get('name'), 'facture.pdf'),
      file,
    ]);
    return answer({ success: true, message: invoiceSent });
  });
}

function fileRefused(): Failure {
  return new Failure('invalid_input', {}, [{ path: ['file'], message: invoiceFileRequired }]);
}

function termsOf({ amount, charges_vat: chargesVat, from, today }: Terms): InvoiceTerms {
  return { amount: fromWire(amount), chargesVat: chargesVat === true, from, today };
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

/** AC-04: accepted, the request carries its tax; refused, its payee may send another. */
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
