import { toWire } from '@parrain/domain/money';
import type { RequestRules } from '@parrain/domain/request-rules';
import { companySettings } from '../company/company-settings.ts';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

/** PO-06: what the company accepts of payment requests. */
export async function updateRequestRules({ smallest, methods, days }: RequestRules): Promise<void> {
  await callFunction('company-settings', {
    body: {
      action: 'update_request_rules',
      smallest_request: toWire(smallest),
      payment_methods: methods,
      requests_from_day: days?.from ?? null,
      requests_to_day: days?.to ?? null,
    },
  });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
}
