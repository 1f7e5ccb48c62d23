import { clientDeletionPayload } from '@parrain/domain/forms/client-invitation';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { clientDeleted } from '@parrain/domain/messages';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** F-14, V-13: removes a client on whom nothing hangs. */
export default { '': { callers: ['commercial', 'admin'], run: deleteClient } } satisfies ProductFunction;

async function deleteClient(call: UserCall): Promise<FunctionResponse> {
  const { clientId } = parsePayload(clientDeletionPayload, call.body);
  const { rows } = await call.db.queryAs<{ name: string }>(call.identity, {
    text: 'select private.delete_client($1) as name',
    values: [clientId],
  });
  return answer({ success: true, message: clientDeleted(rows[0]?.name ?? '') });
}
