import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { inClear } from './bank-details.ts';
import { checkNamedClient } from './own-requests.ts';
import type { RequestRow } from './own-requests.ts';

/** F-09: the caller's own requests, newest first, with their own payment details in clear (V-18). */
export async function listRequests(call: UserCall): Promise<FunctionResponse> {
  checkNamedClient(call);
  const { rows } = await call.db.queryAs<{ request: RequestRow; details_sealed: Buffer | null }>(
    call.identity,
    { text: 'select to_json(m.request) as request, m.details_sealed from private.my_payment_requests() m' },
    { readOnly: true },
  );
  return answer({
    success: true,
    data: rows.map(({ request, details_sealed: sealed }) => ({
      ...request,
      payment_details: inClear(call.services.secrets, request.payment_details, sealed),
    })),
  });
}
