import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import * as z from 'zod/mini';

import { readSender } from '#platform/mail-layout';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { secondFactorResetMail } from '../mails/second-factor-reset.ts';

/** AU-17: an admin lets a commercial, a client or an accountant who lost their second factor in again. They are told by mail. */
export default { '': { callers: ['admin'], run: resetSecondFactor } } satisfies ProductFunction;

const payload = z.object({ person_id: id('Choisissez une personne.', { failure: 'not_found' }) });

async function resetSecondFactor(call: UserCall): Promise<FunctionResponse> {
  const { person_id: personId } = parsePayload(payload, call.body ?? {});
  const { services, identity, db } = call;
  return db.transactionAs(identity, async (tx) => {
    const { rows } = await tx.query<{ email: string | null; full_name: string; removed: number }>(
      'select email, full_name, removed from private.reset_second_factors($1)',
      [personId],
    );
    const [person] = rows;
    if (person === undefined) throw new Error('The person is gone');
    const { email, full_name: name, removed } = person;
    if (removed > 0 && email !== null && email !== '') {
      await tx.asService('second factor reset: mail', async () => {
        const sender = await readSender(tx, services.publicUrl());
        await services.mail.enqueue(tx, secondFactorResetMail(sender, email, name));
      });
    }
    const message =
      removed > 0 ? `Double authentification de ${name} retirée` : `${name} n’a pas de double authentification`;
    return answer({ success: true, message, removed });
  });
}
