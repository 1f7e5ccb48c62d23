import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { invitationSent, personNotSelected } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { limitTries, newCredentials, settle } from '../invitation.ts';

/**
 * FX-08: what became of an invitation that was « en cours d'envoi ». Where its mail never leaves, the person gets another
 * temporary password, shown once, in place of the one that the mail held.
 */
export default { '': { callers: ['commercial', 'admin'], run: tellOutcome } } satisfies ProductFunction;

const payload = z.object({ person_id: id(personNotSelected) });

type Pending = { readonly email: string; readonly full_name: string; readonly mail_id: string | null };

async function tellOutcome(call: UserCall): Promise<FunctionResponse> {
  const { person_id: personId } = parsePayload(payload, call.body ?? {});
  await limitTries(call);
  const { services, db, identity } = call;
  const { rows } = await db.queryAs<Pending>(identity, {
    text: 'select email, full_name, mail_id from private.pending_invitation($1)',
    values: [personId],
  });
  const [pending] = rows;
  if (pending === undefined) throw new Error('pending_invitation gave no row');
  const emailState = await settle(services, pending.mail_id);
  const common = { success: true, loginEmail: pending.email };
  if (emailState !== 'not_sent') {
    return answer({ ...common, emailSent: emailState === 'sent', emailState, message: invitationSent[emailState] });
  }
  const { temporaryPassword, passwordHash, temporaryUntil } = await newCredentials(services);
  const renewed = await db.queryAs<{ is_renewed: boolean }>(identity, {
    text: 'select private.renew_invitation($1, $2, $3) as is_renewed',
    values: [personId, passwordHash, temporaryUntil],
  });
  // Race: newer credentials were issued, or the person has signed in meanwhile.
  if (renewed.rows[0]?.is_renewed !== true) {
    return answer({ ...common, emailSent: false, emailState: 'sending', message: invitationSent.sending });
  }
  const shown = { emailSent: false, emailState, tempPassword: temporaryPassword };
  return answer({ ...common, ...shown, message: invitationSent[emailState] });
}
