import { toWire, type Cents } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { withKeptKey } from '../transport/call-once.ts';
import { refresh } from '../transport/refresh.ts';
import type { InvoicedPayment } from './payee-invoices.ts';

export interface SentInvoice {
  readonly payment: InvoicedPayment;
  readonly number: string;
  readonly day: string;
  readonly amount: Cents;
  readonly vat: Cents;
  readonly total: Cents;
  readonly file: File;
}

/** Gives what became of it, in words. */
export async function sendInvoice({ payment, file, ...said }: SentInvoice): Promise<string> {
  const body = new FormData();
  if ('requestId' in payment) body.set('request_id', payment.requestId);
  else body.set('month', payment.month);
  body.set('number', said.number);
  body.set('day', said.day);
  for (const field of ['amount', 'vat', 'total'] as const) body.set(field, toWire(said[field]));
  body.set('name', file.name);
  body.set('file', file);
  // A file serializes as « {} »: its size and its time tell it from another one.
  const call = JSON.stringify(['send_invoice', ...body, file.size, file.lastModified]);
  const { message } = await withKeptKey(call, (idempotencyKey) =>
    callFunction<{ message: string }>('payment-request', { query: { action: 'send_invoice' }, body, idempotencyKey }),
  );
  refresh();
  return message;
}
