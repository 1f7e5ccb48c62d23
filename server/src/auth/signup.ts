import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { existingAccount } from './account.ts';
import { audit } from './audit.ts';
import { AuthError, validationFailed } from './errors.ts';
import { challengeFields, challengeOf } from './flow-state.ts';
import { networkOf, parseBody, queryValue } from './operation.ts';
import type { Call, Operation } from './operation.ts';
import { requireChannel, whoeverIsFirst } from './otp.ts';
import { hashPassword } from './password-hash.ts';
import { requireGoodPassword } from './password-rules.ts';
import { accountByPhone, requirePhone, requirePhoneProvider } from './phone.ts';
import { redirectTarget } from './redirect.ts';
import { openSession, sessionObject } from './session.ts';
import type { OpenSession } from './session.ts';
import {
  createAccount,
  createPhoneAccount,
  fullNameFrom,
  phoneFrom,
  requireBoundedMetadata,
  SIGN_UP_LIMIT,
  signUp,
} from './sign-up.ts';
import { sendCode } from './sms-code.ts';
import { userObject } from './user-object.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().default(''),
  data: z.record(z.string(), z.unknown()).default({}),
  channel: z.string().default(''),
  ...challengeFields,
});

/** POST /signup (AU-01): a session where accounts are confirmed at once, else the user alone and a mail or text message. */
export const signup: Operation = {
  method: 'POST',
  url: '/signup',
  access: 'public',
  limit: SIGN_UP_LIMIT,
  async handle(call) {
    const { settings } = call;
    if (settings.isSignupDisabled) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
    const given = parseBody(call.request, body);
    const { email, phone, password, data } = given;
    if (email !== '' && phone !== '') {
      throw validationFailed('Only an email address or phone number should be provided on signup.');
    }
    if (email === '' && phone === '') return { body: await sessionObject(call, await signUpAnonymously(call, data)) };
    if (password === '') throw validationFailed('Signup requires a valid password');
    const challenge = challengeOf(given);
    if (email === '') {
      if (challenge !== null) throw validationFailed('PKCE is not supported with a phone number');
      requireChannel(given.channel);
      requirePhoneProvider(settings, 400, 'signups');
      return { body: await signUpByPhone(call, { phone: requirePhone(phone), password, data }) };
    }

    const outcome = await signUp(call, {
      email,
      password,
      data,
      fullName: fullNameFrom(data, email),
      phone: phoneFrom(data),
      redirectTo: redirectTarget(queryValue(call.request, 'redirect_to'), settings),
      challenge,
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
        return { body: obfuscatedUser({ email: email.trim().toLowerCase() }, 'email', data) };
    }
  },
};

/**
 * A registration by telephone: the number is confirmed by the code that is sent to it. A number that has a confirmed
 * account is answered as a new one.
 */
async function signUpByPhone(
  call: Call,
  request: { readonly phone: string; readonly password: string; readonly data: Readonly<Record<string, unknown>> },
): Promise<Readonly<Record<string, unknown>>> {
  const { phone, password, data } = request;
  const fullName = fullNameFrom(data, '');
  requireGoodPassword(password, { email: null, fullName }, call.settings);
  requireBoundedMetadata(data, call);
  const hash = await hashPassword(password);
  const account = await whoeverIsFirst(() =>
    call.db.asService('auth: sign up', async (tx) => {
      const existing = await accountByPhone(tx, phone);
      if (existing !== null) {
        await audit(tx, call.origin, 'signup_repeated', existing.id);
        return existing;
      }
      const id = randomUUID();
      await createPhoneAccount(tx, { id, phone, passwordHash: hash, fullName, data });
      await audit(tx, call.origin, 'signup', id, { method: 'phone' });
      return existingAccount(tx, id);
    }),
  );
  if (account.phone_confirmed_at !== null || account.is_barred) return obfuscatedUser({ phone }, 'phone', data);
  await sendCode(call, { userId: account.id, phone, kind: 'confirmation' });
  return userObject(
    await call.db.asService('auth: sign up', (tx) => existingAccount(tx, account.id), { readOnly: true }),
  );
}

const ANONYMOUS_LIMIT = { capacity: 30, perSeconds: 3600 };

/** Somebody who looks around before they have a name: a client without anything, removed after a month. */
async function signUpAnonymously(call: Call, data: Readonly<Record<string, unknown>>): Promise<OpenSession> {
  if (!call.settings.isAnonymousAllowed) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  requireBoundedMetadata(data, call);
  const wait = await call.services.rateLimit.takeToken(`auth:anonymous:${networkOf(call.origin.ip)}`, ANONYMOUS_LIMIT);
  if (wait > 0) {
    throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds: wait });
  }
  const id = randomUUID();
  return call.db.asService('auth: sign up', async (tx) => {
    await createAccount(tx, {
      id,
      email: null,
      passwordHash: null,
      role: 'client',
      fullName: fullNameFrom(data, ''),
      phone: null,
      isConfirmed: false,
      userMetadata: data,
    });
    await tx.query('update auth.users set is_anonymous = true where id = $1', [id]);
    await audit(tx, call.origin, 'signup_anonymous', id);
    return openSession(tx, call, id, 'anonymous');
  });
}

/** What somebody who registers what has an account is told: a user that looks new and leads nowhere. */
function obfuscatedUser(
  name: { readonly email: string } | { readonly phone: string },
  provider: 'email' | 'phone',
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const now = new Date().toISOString();
  return {
    id: randomUUID(),
    aud: 'authenticated',
    role: '',
    email: '',
    phone: '',
    ...name,
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}
