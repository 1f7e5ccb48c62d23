import { id, optionalId } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { commercialInvalid } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** AD-05: a commercial with clients or sales is deactivated, after handing both over where asked; one with nothing is removed. */
export default { '': { callers: ['admin'], run: removeCommercial } } satisfies ProductFunction;

const payload = z.object({
  commercial_id: id(commercialInvalid, { failure: 'commercial_not_found' }),
  reassign_to: optionalId(commercialInvalid),
});

type Outcome = { readonly outcome: 'removed' | 'deactivated'; readonly full_name: string };

async function removeCommercial(call: UserCall): Promise<FunctionResponse> {
  const { commercial_id: commercialId, reassign_to: reassignTo } = parsePayload(payload, call.body);
  const { rows } = await call.db.queryAs<Outcome>(call.identity, {
    text: 'select outcome, full_name from private.remove_commercial($1, $2)',
    values: [commercialId, reassignTo],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('remove_commercial gave no row');
  const message =
    row.outcome === 'removed'
      ? `Commercial ${row.full_name} supprimé avec succès !`
      : `Commercial ${row.full_name} désactivé : ses clients et ses ventes sont conservés.`;
  return answer({ success: true, outcome: row.outcome, message });
}
