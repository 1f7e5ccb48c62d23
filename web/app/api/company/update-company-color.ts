import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** TM-01: the colour of the company's mails; null is the product's own. */
export async function updateCompanyColor(brandColor: string | null): Promise<void> {
  await callFunction('company-settings', { query: { action: 'update_color' }, body: { brand_color: brandColor } });
  refresh();
}
