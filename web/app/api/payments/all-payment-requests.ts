import type { PaymentRequest, PaymentRequestStatus } from '@parrain/domain/payment-request';
import { paymentRequestRow, paymentRequestToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

export interface AllPaymentRequestsAsked {
  status: PaymentRequestStatus | 'all';
  page: PageMark;
}

const pageSize = 25;

const columns =
  'id,client_id,amount,payment_method,payment_details,status,admin_notes,rejection_reason,approval_annulled_reason,version,created_at,approved_at,paid_at,' +
  'client:profiles(full_name,email,phone)';

/** RE-10, AD-10: one page of every client's requests, the newest first; IBANs masked (V-18). */
export function allPaymentRequestsQuery(asked: AllPaymentRequestsAsked) {
  return queryOptions({
    queryKey: ['payment-requests', 'all', asked],
    queryFn: () => readAllPaymentRequests(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** One request as it is now. */
export function paymentRequestQuery(id: string) {
  return queryOptions({ queryKey: ['payment-requests', 'one', id], queryFn: () => readPaymentRequest(id), ...live });
}

async function readAllPaymentRequests({ status, page }: AllPaymentRequestsAsked): Promise<Page<PaymentRequest>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client.from('payment_requests').select(columns, options);
      if (status !== 'all') query = query.eq('status', status);
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toRequest,
  );
}

async function readPaymentRequest(id: string): Promise<PaymentRequest> {
  const client = await supabase();
  return toRequest(rowsOf(await client.from('payment_requests').select(columns).eq('id', id).single()));
}

function toRequest(row: unknown): PaymentRequest {
  return paymentRequestToDomain(paymentRequestRow.parse(row));
}
