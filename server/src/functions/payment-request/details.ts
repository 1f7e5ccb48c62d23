import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { requestNotSelected } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { inClear } from './bank-details.ts';
import type { RequestRow } from './own-requests.ts';

const wanted = z.object({ request_id: id(requestNotSelected, { failure: 'request_not_found' }) });

/** V-18: one request with its details in clear, for its owner, or for an admin; the admin's reading is in the audit trail. */
export async function showDetails(call: UserCall): Promise<FunctionResponse> {
  const { request_id: requestId } = parsePayload(wanted, call.body);
  const { rows } = await call.db.queryAs<{ request: RequestRow; sealed: Buffer | null }>(call.identity, {
    text: `select to_json(r) as request, private.reveal_payment_details(r.id) as sealed
      from public.payment_requests r where r.id = $1`,
    values: [requestId],
  });
  const [row] = rows;
  if (row === undefined) throw new Failure('request_not_found');
  const details = inClear(call.services.secrets, row.request.payment_details, row.sealed);
  return answer({ success: true, data: { ...row.request, payment_details: details } });
}
