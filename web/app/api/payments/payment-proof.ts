import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** PO-03: the file that proves a payment; another one replaces it. */
export async function attachProof(requestId: string, file: File): Promise<void> {
  const body = new FormData();
  body.set('request_id', requestId);
  body.set('name', file.name);
  body.set('file', file);
  await callFunction('payment-request', { query: { action: 'attach_proof' }, body });
  refresh();
}

/** PO-03: that file, for its payee and the admins. */
export async function readProof(requestId: string): Promise<File> {
  const { data } = await callFunction<{ data: { name: string; content_type: string; content: string } }>(
    'payment-request',
    { body: { action: 'proof', request_id: requestId } },
  );
  const bytes = Uint8Array.from(atob(data.content), (character) => character.codePointAt(0) ?? 0);
  return new File([bytes], data.name, { type: data.content_type });
}
