import { appointmentForm } from '@parrain/domain/forms/appointment';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** DF-10: the appointments that visitors asked for, as admins see them and say that they answered. */
export default {
  list: { method: 'GET', callers: ['admin'], run: list },
  handle: { callers: ['admin'], run: handle },
} satisfies ProductFunction;

async function list(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs(
    call.identity,
    {
      text: 'select id, name, email, phone, preferred_slot, message, created_at, total::integer from private.appointments_shown()',
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

async function handle(call: UserCall): Promise<FunctionResponse> {
  const { appointmentId } = parsePayload(appointmentForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select from private.end_appointment($1)', values: [appointmentId] });
  return answer({ success: true, message: 'Demande de rendez-vous traitée' });
}
