import { commercialInvitationForm } from '@parrain/domain/forms/commercial-invitation';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { inviteAccount } from '../invitation.ts';

/** F-06, V-08: an admin invites a commercial. */
export default { '': { callers: ['admin'], run: inviteCommercial } } satisfies ProductFunction;

async function inviteCommercial(call: UserCall): Promise<FunctionResponse> {
  const person = parsePayload(commercialInvitationForm, call.body ?? {});
  return inviteAccount(call, 'commercial', person, ({ id, passwordHash, temporaryUntil }) => ({
    text: 'select id, full_name, email from private.invite_commercial($1, $2, $3, $4, $5, $6)',
    values: [id, person.email, person.name, person.phone, passwordHash, temporaryUntil],
  }));
}
