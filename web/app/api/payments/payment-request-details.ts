import type { PaymentDetails } from '@parrain/domain/payment-request';
import { paymentDetailsToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/**
 * V-18: the details in clear, for the one who pays. Each reading is in the audit trail: asked once for each time the
 * panel opens, never again in its back, and forgotten when it closes.
 */
export function paymentRequestDetailsQuery(requestId: string, method: string) {
  return queryOptions({
    queryKey: ['payment-request-details', requestId],
    queryFn: () => readDetails(requestId, method),
    staleTime: 'static',
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
}

async function readDetails(requestId: string, method: string): Promise<PaymentDetails> {
  const answer = await callFunction<{ data: { payment_details: Readonly<Record<string, unknown>> } }>(
    'payment-request',
    {
      body: { action: 'details', request_id: requestId },
    },
  );
  return paymentDetailsToDomain(method, answer.data.payment_details);
}
