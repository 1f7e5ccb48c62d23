import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { requestNotSelected } from '@parrain/domain/messages';
import { proofAttached } from '@parrain/domain/payment-messages';
import { proofTypeOf } from '@parrain/domain/payment-proof';
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';

import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceForFile } from '../once.ts';

const PURPOSE = 'payment-proof';
const requestId = id(requestNotSelected, { failure: 'request_not_found' });
const wanted = z.object({ request_id: requestId });

/** PO-03: the file that proves a payment, by its content a PDF or an image; another one replaces it. Kept sealed. */
export async function attachProof(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? new Failure('proof_refused') : error;
  });
  const { request_id: request } = parsePayload(wanted, { request_id: fields.get('request_id') ?? '' });
  const type = proofTypeOf(file);
  if (type === null) throw new Failure('proof_refused');
  return onceForFile(call, { file, fields }, async (tx) => {
    await tx.query('select private.attach_proof($1, $2, $3, $4, $5, $6)', [
      request,
      fileName(fields.get('name'), 'justificatif'),
      type,
      file.length,
      createHash('sha256').update(file).digest(),
      call.services.secrets.seal(PURPOSE, file, request),
    ]);
    return answer({ success: true, message: proofAttached });
  });
}

/** The name of a file as it was given, in one line and without a folder. */
export function fileName(given: string | undefined, otherwise: string): string {
  return (
    (given ?? '')
      .replaceAll(/[\p{C}/\\]/gu, ' ')
      .trim()
      .slice(-200) || otherwise
  );
}

/** PO-03: the same bytes again, for the payee and the admins. */
export async function readProof(call: UserCall): Promise<FunctionResponse> {
  const { request_id: request } = parsePayload(wanted, call.body);
  const { rows } = await call.db.queryAs<{ name: string; content_type: string; sha256: Buffer; sealed: Buffer }>(
    call.identity,
    { text: 'select name, content_type, sha256, sealed from private.payment_proof($1)', values: [request] },
    { readOnly: true },
  );
  const [stored] = rows;
  if (stored === undefined) throw new Failure('proof_not_found');
  const file = call.services.secrets.open(PURPOSE, stored.sealed, request);
  if (!createHash('sha256').update(file).digest().equals(stored.sha256))
    throw new Error('A proof is not what was kept');
  return answer({
    success: true,
    data: { name: stored.name, content_type: stored.content_type, content: file.toString('base64') },
  });
}
