import { callFunction } from './call-function.ts';
import { refresh } from './refresh.ts';

/** F-16, V-04: the admin refuses a contract, and says why. */
export async function refuseSale(saleId: string, reason: string): Promise<void> {
  await callFunction('sales-management', { body: { action: 'reject', sale_id: saleId, reason } });
  refresh();
}
