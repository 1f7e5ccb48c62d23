import { Failure } from '@parrain/domain/failure';
import { batchNamedForm } from '@parrain/domain/forms/payment-batch';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { createHash } from 'node:crypto';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { openFile } from './sealed-file.ts';

/** PO-01: the file of a released batch, the same bytes each time; the reading is in the trail before it leaves. */
export async function batchFile(call: UserCall): Promise<FunctionResponse> {
  const { batchId } = parsePayload(batchNamedForm, call.body);
  const { rows } = await call.db.queryAs<{ number: number; sealed: Buffer; sha256: Buffer }>(call.identity, {
    text: 'select number, sealed, sha256 from private.batch_file($1)',
    values: [batchId],
  });
  const [stored] = rows;
  if (stored === undefined) throw new Failure('batch_not_found');
  const file = openFile(call.services.secrets, batchId, stored.sealed);
  if (!createHash('sha256').update(file).digest().equals(stored.sha256))
    throw new Error('A bank file is not what was kept');
  return answer({ success: true, data: { name: `virements-${stored.number}.xml`, content: file.toString() } });
}
