import { Failure } from '@parrain/domain/failure';
import { id, optionalId, optionalLine, optionalPhone, optionalText, personName } from '@parrain/domain/forms/fields';
import { companyLengthMax } from '@parrain/domain/forms/limits';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { clientNotSelected, commercialInvalid, nameRequired } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';

const named = z.object({ client_id: id(clientNotSelected, { failure: 'client_not_found' }) });

const clients: Edited = {
  name: ({ body }) => `client:${String(body?.['client_id'])}`,
  read: async (tx, { body }) => {
    const { client_id: clientId } = parsePayload(named, body);
    const { rows } = await tx.query<Record<string, unknown>>(
      `select full_name as name, phone, company, notes, commercial_id from public.profiles where id = $1 and role = 'client'`,
      [clientId],
    );
    if (rows[0] === undefined) throw new Failure('client_not_found');
    return rows[0];
  },
};

/**
 * AD-06: corrects what is known of a client, their e-mail excepted (it is how they sign in). An admin may also move them
 * to another commercial, with their open referrals; without `commercial_id` they stay where they are.
 */
export default {
  '': { callers: ['commercial', 'admin'], run: keepingOthers(clients, updateClient) },
} satisfies ProductFunction;

const payload = z.extend(named, {
  name: personName(nameRequired),
  phone: optionalPhone(),
  company: optionalLine(companyLengthMax),
  notes: optionalText(),
  commercial_id: optionalId(commercialInvalid),
});

async function updateClient(call: UserCall): Promise<FunctionResponse> {
  const client = parsePayload(payload, call.body);
  const { rows } = await call.db.queryAs<{ client: unknown }>(call.identity, {
    text: 'select to_json(c) as client from private.update_client($1, $2, $3, $4, $5, $6) c',
    values: [client.client_id, client.name, client.phone, client.company, client.notes, client.commercial_id],
  });
  return answer({ success: true, message: 'Client mis à jour', data: rows[0]?.client });
}
