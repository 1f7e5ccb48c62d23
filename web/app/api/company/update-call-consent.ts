import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** CS-03: whether only friends who agreed are called. */
export async function updateCallConsent(requireCallConsent: boolean): Promise<void> {
  await callFunction('company-settings', {
    query: { action: 'update_call_consent' },
    body: { require_call_consent: requireCallConsent },
  });
  refresh();
}
