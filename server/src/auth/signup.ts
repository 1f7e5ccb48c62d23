import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { AuthError, validationFailed } from './errors.ts';
import { parseBody, queryValue } from './operation.ts';
import type { Operation } from './operation.ts';
import { redirectTarget } from './redirect.ts';
import { sessionObject } from './session.ts';
import { fullNameFrom, phoneFrom, SIGN_UP_LIMIT, signUp } from './sign-up.ts';
import { userObject } from './user-object.ts';

const body = z.looseObject({
  email: z.string().optional(),
  phone: z.string().optional(),
  password: z.string().optional(),
  data: z.record(z.string(), z.unknown()).default({}),
});

/** POST /signup (AU-01): a session where accounts are confirmed at once, else the user alone and a mail. */
export const signup: Operation = {
  method: 'POST',
  url: '/signup',
  access: 'public',
  limit: SIGN_UP_LIMIT,
  async handle(call) {
    const { settings } = call;
    if (settings.isSignupDisabled) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
    const { email, phone, password, data } = parseBody(call.request, body);
    if (email !== undefined && email !== '' && phone !== undefined && phone !== '') {
      throw validationFailed('Only an email address or phone number should be provided on signup.');
    }
    if ((email ?? '') === '' && (phone ?? '') === '') {
      throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
    }
    if (password === undefined || password === '') throw validationFailed('Signup requires a valid password');
    if (email === undefined || email === '') {
      throw new AuthError(400, 'phone_provider_disabled', 'Phone signups are disabled');
    }

    const outcome = await signUp(call, {
      email,
      password,
      data,
      fullName: fullNameFrom(data, email),
      phone: phoneFrom(data),
      redirectTo: redirectTarget(queryValue(call.request, 'redirect_to'), settings),
      opensSession: true,
    });
    switch (outcome.kind) {
      case 'signed_in':
        return { body: await sessionObject(call, outcome.session) };
      case 'created':
        return { body: userObject(outcome.account) };
      case 'pending':
        // An invited person's data is not shown to whoever types their address.
        return {
          body:
            outcome.account.invited_at === null
              ? userObject(outcome.account)
              : { ...userObject(outcome.account), user_metadata: {}, identities: [] },
        };
      case 'taken':
        if (settings.isAutoconfirmed) throw new AuthError(422, 'user_already_exists', 'User already registered');
        return { body: obfuscatedUser(email, data) };
    }
  },
};

/** What somebody who registers an address that has an account is told: a user that looks new and leads nowhere. */
function obfuscatedUser(email: string, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const now = new Date().toISOString();
  return {
    id: randomUUID(),
    aud: 'authenticated',
    role: '',
    email: email.trim().toLowerCase(),
    phone: '',
    confirmation_sent_at: now,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}
