import { z } from 'zod';

import { requirePhone, requirePhoneProvider } from '../accounts/phone.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { OperationReply, Call } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { signIn } from './sign-in.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().default(''),
});

/** POST /token?grant_type=password (AU-02). */
export async function passwordGrant(call: Call): Promise<OperationReply> {
  const { email, phone, password } = parseBody(call.request, body);
  if (email !== '' && phone !== '')
    throw validationFailed('Only an email address or phone number should be provided on login.');
  if (email === '' && phone === '') throw validationFailed('missing email or phone');
  if (phone === '') return { body: await signIn(call, { email, password }) };
  requirePhoneProvider(call.settings, 422, 'logins');
  return { body: await signIn(call, { phone: requirePhone(phone), password }) };
}
