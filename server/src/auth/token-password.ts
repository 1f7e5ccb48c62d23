import { z } from 'zod';

import { AuthError, validationFailed } from './errors.ts';
import { parseBody } from './operation.ts';
import type { Answer, Call } from './operation.ts';
import { signIn } from './sign-in.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().default(''),
});

/** POST /token?grant_type=password (AU-02). */
export async function passwordGrant(call: Call): Promise<Answer> {
  const { email, phone, password } = parseBody(call.request, body);
  if (email !== '' && phone !== '')
    throw validationFailed('Only an email address or phone number should be provided on login.');
  if (email === '' && phone === '') throw validationFailed('missing email or phone');
  if (phone !== '') throw new AuthError(422, 'phone_provider_disabled', 'Phone logins are disabled');
  return { body: await signIn(call, { email, password }) };
}
