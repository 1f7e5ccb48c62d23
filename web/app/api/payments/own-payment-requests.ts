import type { PaymentRequest } from '@parrain/domain/payment-request';
import { paymentRequestRow, paymentRequestToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page } from '../transport/read-page.ts';

export const ownPaymentRequestsPageSize = 20;

/** CL-07: a client's own requests, newest first; the IBAN comes masked. */
export function ownPaymentRequestsQuery(clientId: string, page: number) {
  return queryOptions({
    queryKey: ['payment_requests', 'own', clientId, page],
    queryFn: () => readOwnPaymentRequests(clientId, page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readOwnPaymentRequests(clientId: string, page: number): Promise<Page<PaymentRequest>> {
  const client = await supabase();
  return readPage(
    (from, to) =>
      client
        .from('payment_requests')
        .select(
          'id,client_id,amount,payment_method,payment_details,status,admin_notes,rejection_reason,approval_annulled_reason,version,created_at,approved_at,paid_at',
          {
            count: 'exact',
          },
        )
        .eq('client_id', clientId)
        .order('created_at', { ascending: false })
        .order('id')
        .range(from, to),
    { page, pageSize: ownPaymentRequestsPageSize },
    (row) => paymentRequestToDomain(paymentRequestRow.parse(row)),
  );
}
