import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** DF-03: the changed account of a request, or of a payee, may be paid before its day: it was verified with its owner. */
export async function liftIbanWait(id: string, reason: string): Promise<void> {
  await sendIbanCheck(id, reason);
  refresh();
}

/** The act alone: the screens are read again by who acts on. */
export async function sendIbanCheck(id: string, reason: string): Promise<void> {
  await callFunction('payment-request', { body: { action: 'lift_iban_wait', id, reason } });
}
