import { clientInvitationForm } from '@parrain/domain/forms/client-invitation';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { inviteAccount } from '../invitation.ts';

/** F-13, V-11, AD-06: a commercial invites a client of their own; an admin one of the commercial they name, if any. */
export default { '': { callers: ['commercial', 'admin'], run: inviteClient } } satisfies ProductFunction;

async function inviteClient(call: UserCall): Promise<FunctionResponse> {
  const person = parsePayload(clientInvitationForm, call.body ?? {});
  return inviteAccount(call, 'client', person, ({ id, passwordHash, temporaryUntil }) => ({
    text: 'select id, full_name, email from private.invite_client($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      id,
      person.email,
      person.name,
      person.phone,
      person.company,
      person.notes,
      person.commercialId,
      passwordHash,
      temporaryUntil,
    ],
  }));
}
