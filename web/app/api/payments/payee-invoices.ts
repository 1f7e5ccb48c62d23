import { payeeInvoiceToDomain, type PayeeInvoice, type PayeeInvoiceRow } from '@parrain/domain/payee-invoice';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { refresh } from '../transport/refresh.ts';

/** A payment that an invoice is for: a transfer that a client asked for, or a commercial's month. */
export type InvoicedPayment =
  | { readonly requestId: string }
  | { readonly payeeId: string; /** « 2026-10-01 ». */ readonly month: string };

const columns = 'id,request_id,month,number,invoiced_on,amount,vat_rate,vat_amount,status,refusal_reason';

/** AC-04: what became of the invoices of one request or month, the newest first; those that were replaced are left out. */
export function payeeInvoicesQuery(payment: InvoicedPayment) {
  return queryOptions({
    // Each step of an invoice is told by a notice, or ends one: what reads notices anew reads these too.
    queryKey: ['notices', 'invoices', payment],
    queryFn: async (): Promise<readonly PayeeInvoice[]> => {
      const client = await supabase();
      const invoices = client.from('payee_invoices').select(columns);
      return rowsOf(
        await (
          'requestId' in payment
            ? invoices.eq('request_id', payment.requestId)
            : invoices.eq('payee_id', payment.payeeId).eq('month', payment.month)
        )
          .or('status.neq.lapsed,decided_at.not.is.null')
          .order('sent_at', { ascending: false })
          .limit(5)
          .overrideTypes<PayeeInvoiceRow[], { merge: false }>(),
      ).map(payeeInvoiceToDomain);
    },
    ...live,
  });
}

export async function readInvoice(invoiceId: string): Promise<File> {
  const { data } = await callFunction<{ data: WireFile }>('payment-request', {
    body: { action: 'invoice', invoice_id: invoiceId },
  });
  return fileOf(data);
}

/** A file as functions give it. */
export interface WireFile {
  name: string;
  content_type: string;
  content: string;
}

export function fileOf({ name, content_type: type, content }: WireFile): File {
  const bytes = Uint8Array.from(atob(content), (character) => character.codePointAt(0) ?? 0);
  return new File([bytes], name, { type });
}

/** An admin's word on an invoice; a refusal says why. Gives what became of it, in words. */
export async function decideInvoice(
  invoiceId: string,
  decision: 'accepted' | 'refused',
  reason: string | null,
): Promise<string> {
  try {
    const { message } = await callFunction<{ message: string }>('payment-request', {
      body: { action: 'decide_invoice', invoice_id: invoiceId, decision, reason },
    });
    return message;
  } finally {
    refresh();
  }
}
