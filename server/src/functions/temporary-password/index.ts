import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { personNotSelected } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { limitInvitations, sendCredentials } from '../invitation.ts';
import type { Invited } from '../invitation.ts';

/**
 * V-19: a new temporary password for a commercial or a client whose own is lost, by an admin; by a commercial for a client of theirs who
 * never signed in (decision 0092). It goes the way of an invitation's.
 */
export default {
  may: { method: 'GET', callers: ['commercial', 'admin'], run: tellRight },
  give: { callers: ['commercial', 'admin'], run: give },
} satisfies ProductFunction;

const payload = z.object({ person_id: id(personNotSelected, { failure: 'not_found' }) });

async function tellRight(call: UserCall): Promise<FunctionResponse> {
  const { person_id: personId } = parsePayload(payload, call.request.query ?? {});
  const { rows } = await call.db.queryAs<{ may: boolean }>(call.identity, {
    text: 'select private.may_give_temporary_password($1) as may',
    values: [personId],
  });
  return answer({ success: true, data: { may: rows[0]?.may === true } });
}

type Given = Invited['profile'] & { readonly role: Invited['as']; readonly former_mail_id: string | null };

async function give(call: UserCall): Promise<FunctionResponse> {
  const { person_id: personId } = parsePayload(payload, call.body ?? {});
  return sendCredentials(call, { named: 'person', isRenewal: true }, async (tx, { passwordHash, temporaryUntil }) => {
    const { rows } = await tx.query<Given>(
      'select id, full_name, email, role, former_mail_id from private.give_temporary_password($1, $2, $3)',
      [personId, passwordHash, temporaryUntil],
    );
    const [given] = rows;
    if (given === undefined) throw new Error('give_temporary_password gave no row');
    const { role: as, former_mail_id: formerMailId, ...profile } = given;
    await limitInvitations(tx, call, profile.email);
    // Its password is worth nothing any more.
    await tx.asService('the former password is not mailed', () => call.services.mail.withdraw(tx, formerMailId));
    return { profile, as };
  });
}
