import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { commercialInvalid } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** AD-05: a deactivated commercial may sign in again. */
export default { '': { callers: ['admin'], run: reactivateCommercial } } satisfies ProductFunction;

const payload = z.object({ commercial_id: id(commercialInvalid, { failure: 'commercial_not_found' }) });

async function reactivateCommercial(call: UserCall): Promise<FunctionResponse> {
  const { commercial_id: commercialId } = parsePayload(payload, call.body);
  const { rows } = await call.db.queryAs<{ commercial: { full_name: string } }>(call.identity, {
    text: 'select to_json(c) as commercial from private.reactivate_commercial($1) c',
    values: [commercialId],
  });
  const commercial = rows[0]?.commercial;
  return answer({ success: true, message: `Commercial ${commercial?.full_name ?? ''} réactivé`, data: commercial });
}
