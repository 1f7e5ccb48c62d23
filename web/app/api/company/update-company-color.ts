import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** TM-01: the colour of the company's mails; null is the product's own. */
export async function updateCompanyColor({
  brandColor,
  seen,
}: Readonly<Record<'brandColor' | 'seen', string | null>>): Promise<void> {
  await callFunction('company-settings', {
    query: { action: 'update_color' },
    body: { brand_color: brandColor, seen: { brand_color: seen } },
  });
  refresh();
}
