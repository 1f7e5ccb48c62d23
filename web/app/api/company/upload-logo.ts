import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-04, V-06: the company's new logo. */
export async function uploadLogo(file: File): Promise<void> {
  const body = new FormData();
  body.set('file', file);
  await callFunction('company-settings', { query: { action: 'upload_logo' }, body });
  refresh();
}
