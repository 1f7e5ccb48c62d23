import { paymentRequestPayload, type PaymentRequestInput } from '@parrain/domain/forms/payment-request';
import { callFunction } from '../transport/call-function.ts';

/** F-10, V-20: asks for a payment. The same key repeated has one effect: keep it for as long as the form is open. */
export async function requestPayment(input: PaymentRequestInput, idempotencyKey: string): Promise<void> {
  await callFunction('payment-request', { body: paymentRequestPayload(input), idempotencyKey });
}
