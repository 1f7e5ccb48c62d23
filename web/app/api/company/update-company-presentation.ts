import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** CS-01: what the company says of itself to a friend who follows a personal link; null says nothing. */
export async function updateCompanyPresentation(presentation: string | null): Promise<void> {
  await callFunction('company-settings', { query: { action: 'update_presentation' }, body: { presentation } });
  refresh();
}
