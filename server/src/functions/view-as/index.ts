import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** UI-15: an admin sees the screen of a commercial or a client, and changes nothing there. */
export default { '': { callers: ['admin'], run: viewAs } } satisfies ProductFunction;

const payload = z.object({ person_id: id('Choisissez une personne.', { failure: 'not_found' }) });

/** Long enough to look, short enough to be forgotten in an open tab; another press begins another view. */
const VIEW_SECONDS = 1800;

/** Each view has its entry in the audit trail; its token ends with the admin's own session, and its transactions read only. */
async function viewAs(call: UserCall): Promise<FunctionResponse> {
  const { person_id: personId } = parsePayload(payload, call.body ?? {});
  const { services, identity, db } = call;
  const { rows } = await db.queryAs<{ email: string | null; full_name: string; role: string }>(identity, {
    text: 'select email, full_name, role from private.begin_view($1)',
    values: [personId],
  });
  const [person] = rows;
  if (person === undefined) throw new Error('begin_view gave no row');
  const { full_name: name, role } = person;
  const user = {
    id: personId,
    email: person.email ?? '',
    app_metadata: { role },
    user_metadata: {},
    aud: 'authenticated',
  };
  const { token, expiresIn } = await services.tokens.sign(
    {
      sub: personId,
      session_id: identity.claims.session_id,
      act: { sub: call.userId },
      role: 'authenticated',
      email: user.email,
      app_metadata: user.app_metadata,
      user_metadata: user.user_metadata,
      aal: identity.claims['aal'],
      is_anonymous: false,
    },
    { expiresInSeconds: VIEW_SECONDS },
  );
  return answer({
    success: true,
    message: `Écran de ${name}, en lecture seule`,
    access_token: token,
    expires_in: expiresIn,
    user,
  });
}
