import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';

import { networkOf } from '#platform/network';

import { existingAccount } from './account.ts';
import type { Account } from './account.ts';
import { audit } from './audit.ts';
import { AuthError, validationFailed } from './errors.ts';
import { challengeFields, challengeOf } from './flow-state.ts';
import { parseBody, queryValue } from './operation.ts';
import type { Call, Operation } from './operation.ts';
import { requireChannel, whoeverIsFirst } from './otp.ts';
import { requireGoodPassword } from './password-rules.ts';
import { accountByPhone, requirePhone, requirePhoneProvider } from './phone.ts';
import { redirectTarget } from './redirect.ts';
import { openSession, sessionObject } from './session.ts';
import type { OpenSession } from './session.ts';
import {
  createAccount,
  createPhoneAccount,
  disputePassword,
  fullNameFrom,
  hashToKeep,
  phoneFrom,
  requireBoundedMetadata,
  requireEmail,
  SIGN_UP_LIMIT,
  signUp,
  withReadPassword,
} from './sign-up.ts';
import type { ReadPassword } from './sign-up.ts';
import { sendCode } from './sms-code.ts';

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
  isForPeople: true,
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
      case 'pending':
        return { body: newUser(call, 'email', outcome.account.email ?? '', { data, account: outcome.account }) };
      case 'taken':
        if (settings.isAutoconfirmed) throw new AuthError(422, 'user_already_exists', 'User already registered');
        return { body: newUser(call, 'email', requireEmail(email), { data, account: null }) };
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
  await requireGoodPassword(password, { email: null, fullName }, call);
  requireBoundedMetadata(data, call);
  const open = (read: ReadPassword): Promise<Account> =>
    call.db.asService('auth: sign up', async (tx) => {
      const existing = await accountByPhone(tx, phone);
      if (existing !== null) {
        await audit(tx, call.origin, 'signup_repeated', existing.id);
        const isWaiting = existing.phone_confirmed_at === null && !existing.is_barred;
        if (isWaiting) await disputePassword(tx, existing, read);
        return existing;
      }
      const id = randomUUID();
      await createPhoneAccount(tx, { id, phone, passwordHash: hashToKeep(read), fullName, data });
      await audit(tx, call.origin, 'signup', id, { method: 'phone' });
      return existingAccount(tx, id);
    });
  const account = await withReadPassword(
    password,
    () => passwordOfWaiting(call, phone),
    (read) => whoeverIsFirst(() => open(read)),
  );
  // The owner of a number that has an account is sent a way in, as /otp does: who else asks sees no difference.
  await sendCode(call, { userId: account.id, phone, kind: 'confirmation', isWithheld: account.is_barred });
  const isWaiting = account.phone_confirmed_at === null && !account.is_barred;
  return newUser(call, 'phone', phone, { data, account: isWaiting ? account : null });
}

/** The password of an account whose number nobody has confirmed yet; null where there is none. */
async function passwordOfWaiting({ db }: Call, phone: string): Promise<string | null> {
  const account = await db.asService('auth: sign up', (tx) => accountByPhone(tx, phone), { readOnly: true });
  return account === null || account.phone_confirmed_at !== null ? null : account.encrypted_password;
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

/**
 * The user that a registration is answered before it is confirmed. It says what the request said and nothing of what there
 * was before: an address or a number that has an account already is answered the same, with an id that leads nowhere.
 */
function newUser(
  { services }: Call,
  provider: 'email' | 'phone',
  name: string,
  { data, account }: { readonly data: Readonly<Record<string, unknown>>; readonly account: Account | null },
): Readonly<Record<string, unknown>> {
  const invented = (what: string): string =>
    uuidOf(
      createHmac('sha256', services.secrets.derive('invented-user')).update(`${what}:${provider}:${name}`).digest(),
    );
  const id = account?.id ?? invented('user');
  const now = services.clock.now().toISOString();
  const said = { ...data, sub: id, [provider]: name, email_verified: false, phone_verified: false };
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email: provider === 'email' ? name : '',
    phone: provider === 'phone' ? name : '',
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider], role: 'client' },
    user_metadata: said,
    identities: [
      {
        identity_id: account?.identities[0]?.identity_id ?? invented('identity'),
        id,
        user_id: id,
        identity_data: said,
        provider,
        last_sign_in_at: now,
        created_at: now,
        updated_at: now,
        ...(provider === 'email' ? { email: name } : {}),
      },
    ],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}

/** These bytes as a random UUID is written (version 4). */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
