import { id, optionalId } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { clientAssigned, clientNotSelected, commercialInvalid, saleNotSelected } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** More open referrals than one client has. */
const SALES_MAX = 10_000;

/**
 * NV-04, NV-09: moves a client from the commercial that was on screen to another, with their open referrals. The answer names the
 * referrals that moved; named in `only_sale_ids` on the way back, they alone return.
 */
export default { '': { callers: ['admin'], run: assignClient } } satisfies ProductFunction;

const payload = z.object({
  client_id: id(clientNotSelected, { failure: 'client_not_found' }),
  commercial_id: id(commercialInvalid, { failure: 'commercial_not_found' }),
  seen_commercial_id: optionalId(commercialInvalid),
  only_sale_ids: z.optional(z.nullable(z.array(id(saleNotSelected)).check(z.maxLength(SALES_MAX)))),
});

async function assignClient(call: UserCall): Promise<FunctionResponse> {
  const move = parsePayload(payload, call.body);
  const { rows } = await call.db.queryAs<{ moved: readonly string[] }>(call.identity, {
    text: 'select private.assign_client($1, $2, $3, $4) as moved',
    values: [move.client_id, move.commercial_id, move.seen_commercial_id, move.only_sale_ids ?? null],
  });
  return answer({ success: true, message: clientAssigned, moved_sale_ids: rows[0]?.moved ?? [] });
}
