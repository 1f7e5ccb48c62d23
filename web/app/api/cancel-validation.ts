import { callFunction } from './call-function.ts';
import { refresh } from './refresh.ts';

/** S-11: an opposite entry with a reason takes back a validated sale and its commissions; nothing is edited. */
export async function cancelValidation(saleId: string, reason: string): Promise<void> {
  await callFunction('sales-management', { body: { action: 'cancel_validation', sale_id: saleId, reason } });
  refresh();
}
