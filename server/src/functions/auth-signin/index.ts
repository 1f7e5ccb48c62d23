import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { signInForm } from '@parrain/domain/forms/sign-in';
import type { ProfileRow } from '@parrain/domain/wire';

import { signInWithPassword } from '#auth';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';

/** F-01: the session, at the top level and as `session`, with the person's profile, whose role says where to go. */
export default { '': { callers: 'everyone', run: signIn } } satisfies ProductFunction;

async function signIn(call: Call): Promise<FunctionResponse> {
  const credentials = parsePayload(signInForm, call.body ?? {});
  const session = await signInWithPassword(call.services, { ...credentials, request: call.request });
  // Not as the person: with a temporary password they may read nothing yet, and the page needs their role all the same.
  const { rows } = await call.db.queryAsService<ProfileRow>('the profile of who signs in', {
    text: `select id, full_name, email, phone, role, company, commercial_id, created_at
      from public.profiles where id = $1`,
    values: [session.user.id],
  });
  const metadata = session.user['app_metadata'];
  const isPasswordDue =
    typeof metadata === 'object' &&
    metadata !== null &&
    'password_change_required' in metadata &&
    metadata.password_change_required === true;
  return answer({ success: true, ...session, session, profile: rows[0], password_change_required: isPasswordDue });
}
