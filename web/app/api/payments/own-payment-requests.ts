import type { PaymentRequest } from '@parrain/domain/payment-request';
import { paymentRequestRow, paymentRequestToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';

const pageSize = 20;

/** CL-07: a client's own requests, newest first; the IBAN comes masked. */
export function ownPaymentRequestsQuery(clientId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['payment_requests', 'own', clientId, page],
    queryFn: () => readOwnPaymentRequests(clientId, page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readOwnPaymentRequests(clientId: string, page: PageMark): Promise<Page<PaymentRequest>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('payment_requests')
        .select(
          'id,client_id,amount,payment_method,payment_details,status,admin_notes,rejection_reason,approval_annulled_reason,version,created_at,approved_at,paid_at,returned_at,return_reason,settlement_reference,association_name,association_number,proof:payment_proofs(name),iban:payee_ibans(usable_from)',
          options,
        )
        .eq('client_id', clientId),
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    (row) => paymentRequestToDomain(paymentRequestRow.parse(row)),
  );
}
