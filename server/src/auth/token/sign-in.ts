import { neighbourhoodOf, networkOf } from '#platform/network';

import { ACCOUNT_BY_PHONE } from '../accounts/phone.ts';
import { hashPassword, needsRehash, verifyPassword } from '../passwords/password-hash.ts';
import { passwordWeakness } from '../passwords/password-rules.ts';
import { ACCOUNT_BY_EMAIL, normalizedEmail } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, notConfirmed, rateLimited, userBanned } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { PASSWORD_BYTES_MAX } from '../protocol/settings.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import type { SessionObject } from '../sessions/session-answer.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';

/**
 * Signs in by e-mail or telephone and password (AU-02). An unknown address, a wrong password and a used or expired
 * temporary password (V-19) get the same refusal in the same time.
 * @throws AuthError invalid_credentials, email_not_confirmed, user_banned, over_request_rate_limit
 */
export async function signIn(
  scope: Scope,
  credentials: ({ readonly email: string } | { readonly phone: string }) & { readonly password: string },
): Promise<SessionObject> {
  const { origin, settings } = scope;
  // The address or the number: attempts are counted by it, known or unknown.
  const isByPhone = 'phone' in credentials;
  const name = isByPhone ? credentials.phone : normalizedEmail(credentials.email).slice(0, 320);
  const network = networkOf(origin.ip);
  await takeSignInAttempt(scope, name, network);

  let signedIn: SignedIn | null = null;
  for (let tries = 0; signedIn === null; tries += 1) {
    if (tries === TRIES_MAX) throw invalidCredentials();
    signedIn = await openWith(scope, { name, isByPhone, network, password: credentials.password });
  }
  const { account, session } = signedIn;

  const weakness = passwordWeakness(
    credentials.password,
    { email: account.email, fullName: account.full_name },
    settings,
  );
  const answer = await sessionObject(scope, session);
  return weakness === null ? answer : { ...answer, weak_password: weakness };
}

type Credentials = {
  readonly name: string;
  readonly isByPhone: boolean;
  readonly network: string;
  readonly password: string;
};

type SignedIn = { readonly account: Account; readonly session: OpenSession };

/** The password is read again where another sign-in has just rehashed it. */
const TRIES_MAX = 3;

/** Opens the session of this password's owner. Null where another request changed or rehashed the password in between. */
async function openWith(scope: Scope, given: Credentials): Promise<SignedIn | null> {
  const account = await checkedAccount(scope, given);
  const knownHash = account.encrypted_password;
  const newHash = needsRehash(knownHash) ? await hashPassword(given.password) : knownHash;
  const session = await openSessionOf(scope, { id: account.id, knownHash, newHash, ...given });
  return session === null ? null : { account, session };
}

/** The account of right credentials that may sign in. @throws AuthError invalid_credentials, email_not_confirmed, user_banned */
async function checkedAccount(
  scope: Scope,
  { name, isByPhone, password }: Credentials,
): Promise<Account & { readonly encrypted_password: string }> {
  const { rows } = await scope.db.queryAsService<Account>('auth: sign in', {
    text: isByPhone ? ACCOUNT_BY_PHONE : ACCOUNT_BY_EMAIL,
    values: [name],
  });
  const account = rows[0] ?? null;
  const knownHash = account?.encrypted_password ?? null;
  const isBounded = Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
  const isRight = await verifyPassword(isBounded ? password : '', isBounded ? knownHash : null);
  if (account === null || knownHash === null || !isRight || !account.is_password_usable) {
    await refuse(scope, name, account);
    throw invalidCredentials();
  }
  if (account.is_barred) throw userBanned(400);
  if (isByPhone && account.phone_confirmed_at === null) throw notConfirmed(400, 'phone');
  if (!isByPhone && account.email_confirmed_at === null) throw notConfirmed(400, 'email');
  return { ...account, encrypted_password: knownHash };
}

/** Uses up a temporary password, keeps the new hash and opens the session; null where the known hash is not the row's any more. */
async function openSessionOf(
  scope: Scope,
  {
    id,
    knownHash,
    newHash,
    name,
    network,
  }: Credentials & { readonly id: string; readonly knownHash: string; readonly newHash: string },
): Promise<OpenSession | null> {
  const { db, origin } = scope;
  return db.asService('auth: sign in', async (tx) => {
    // Race: the row decides. Of two first sign-ins with a temporary password one passes, and a password that was changed
    // meanwhile opens nothing.
    const { rowCount } = await tx.query(
      `update auth.users set encrypted_password = $3,
         -- Credentials that were never shown came by mail: their use proves the mailbox.
         email_proven_at = case when email_proven_at is null and temporary_password_until is not null and exists (
             select from private.mails m where m.id = invitation_mail_id and m.status not in ('failed', 'withdrawn'))
           then now() else email_proven_at end,
         temporary_password_until = case when temporary_password_until is not null then '-infinity'::timestamptz end
       where id = $1 and encrypted_password = $2 and (temporary_password_until is null or temporary_password_until > now())`,
      [id, knownHash, newHash],
    );
    if (rowCount !== 1) return null;
    await tx.query(
      `with given_back as (update private.rate_limits set tokens = tokens + 1 where bucket = $3)
       select private.sign_in_succeeded($1, $2)`,
      [name, network, neighbourhoodBucket(origin.ip)],
    );
    await audit(tx, origin, 'login', id, { method: 'password' });
    return openSession(tx, scope, id, 'password');
  });
}

/** Credential stuffing: wrong passwords for any number of accounts, from neighbouring addresses. */
const NEIGHBOURHOOD_TRIES_PER_MINUTE = 300;

function neighbourhoodBucket(ip: string): string {
  return `auth:password-around:${neighbourhoodOf(ip)}`;
}

async function takeSignInAttempt({ db, origin }: Scope, email: string, network: string): Promise<void> {
  const { rows } = await db.queryAsService<{ wait: number }>('auth: sign-in attempts', {
    text: 'select greatest(private.begin_sign_in($1, $2, $3), private.take_token($4, $5, 60))::float8 as wait',
    values: [email, network, origin.ip, neighbourhoodBucket(origin.ip), NEIGHBOURHOOD_TRIES_PER_MINUTE],
  });
  const wait = rows[0]?.wait ?? 0;
  if (wait > 0) {
    throw rateLimited(Math.ceil(wait));
  }
}

async function refuse({ db, origin }: Scope, email: string, account: Account | null): Promise<void> {
  await db.asService('auth: sign-in refused', async (tx) => {
    await tx.query('select private.sign_in_failed($1)', [email]);
    await audit(tx, origin, 'login_refused', account?.id ?? null);
  });
}

function invalidCredentials(): AuthError {
  return new AuthError(400, 'invalid_credentials', 'Invalid login credentials');
}
