import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

import type { Transaction } from '#platform/database';
import type { Secrets } from '#platform/secrets';

import type { IssuedToken } from '../messages/mails.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import type { Scope } from '../protocol/operation.ts';
import { CODE_ATTEMPTS_MAX, WRONG_CODES_PER_DAY } from '../protocol/settings.ts';

/** The purpose of a token; a person has at most one of each. */
export type TokenKind =
  /** For a new account: registration, invitation, and the codes of telephones. */
  | 'confirmation'
  /** A way in without the password: to choose another one, or in its place. */
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'phone_change'
  | 'reauthentication';

/** Makes a token, which replaces one of the same kind. */
export async function issueOneTimeToken(
  tx: Transaction,
  { services, settings }: Scope,
  token: {
    readonly userId: string;
    readonly kind: TokenKind;
    /** The address or the number of the message: the code is good with that one only. */
    readonly sentTo: string;
    readonly redirectTo: string | null;
    /** The asking client's challenge: the link then gives a code to exchange in place of a session. */
    readonly challenge?: string | null;
    /** The lifetime of the code, where it is not that of a mail. */
    readonly codeSeconds?: number;
    /** True where the other address must confirm as well. */
    readonly needsOther?: boolean;
  },
): Promise<IssuedToken> {
  const challenge = token.challenge ?? null;
  const link = `${challenge === null ? '' : PKCE_PREFIX}${randomBytes(32).toString('base64url')}`;
  const code = (await secondsWithoutCodes(tx, token.userId)) > 0 ? null : String(randomInt(1_000_000)).padStart(6, '0');
  await tx.query(
    `insert into auth.one_time_tokens as t (user_id, kind, token_hash, code_hash, relates_to, redirect_to, expires_at,
       code_expires_at, code_challenge, needs_other)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), now() + make_interval(secs => $8), $9, $10)
     on conflict (user_id, kind) do update set token_hash = excluded.token_hash, code_hash = excluded.code_hash,
       relates_to = excluded.relates_to, redirect_to = excluded.redirect_to, attempts = 0, created_at = now(),
       expires_at = excluded.expires_at, code_expires_at = excluded.code_expires_at, code_challenge = excluded.code_challenge,
       needs_other = excluded.needs_other`,
    [
      token.userId,
      token.kind,
      linkHash(services.secrets, link),
      code === null ? null : codeHash(services.secrets, token.userId, token.kind, code),
      token.sentTo,
      token.redirectTo,
      settings.oneTimeTokenSeconds,
      token.codeSeconds ?? settings.oneTimeCodeSeconds,
      challenge,
      token.needsOther ?? false,
    ],
  );
  return { token: link, code };
}

const PKCE_PREFIX = 'pkce_';

/**
 * Seconds for which this account takes no codes: after twenty wrong ones of any purpose within a day. Its password,
 * passkeys and links stay good: a stranger who guesses locks nobody out.
 */
export async function secondsWithoutCodes(tx: Transaction, userId: string): Promise<number> {
  const { rows } = await tx.query<{ wait: number }>(
    `select case when wrong_codes >= $2
       then greatest(0, ceil(extract(epoch from wrong_codes_since + interval '1 day' - now()))) else 0 end::int as wait
     from auth.users where id = $1 for no key update`,
    [userId, WRONG_CODES_PER_DAY],
  );
  return rows[0]?.wait ?? 0;
}

/** Counts a wrong code. @returns true for the last one that the account takes today */
async function isLastWrongCode(tx: Transaction, userId: string): Promise<boolean> {
  const { rows } = await tx.query<{ wrong_codes: number }>(
    `update auth.users set
       wrong_codes = case when wrong_codes_since > now() - interval '1 day' then wrong_codes + 1 else 1 end,
       wrong_codes_since = case when wrong_codes_since > now() - interval '1 day' then wrong_codes_since else now() end
     where id = $1 returning wrong_codes`,
    [userId],
  );
  return rows[0]?.wrong_codes === WRONG_CODES_PER_DAY;
}

/** The column of the last message of a kind: using its token up, or guessing at it, does not change it. */
const SENT_AT: Readonly<Record<TokenKind, string>> = {
  confirmation: 'confirmation_sent_at',
  recovery: 'recovery_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
  phone_change: 'phone_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
};

/**
 * Seconds that the cooldown of this kind of message still lasts for this person; 0 for none. Closes a race: the person's
 * row is locked until the end of the transaction, so that the second of two simultaneous requests sees the first's message.
 */
export async function secondsCoolingDown(
  tx: Transaction,
  { settings }: Scope,
  userId: string,
  kind: TokenKind,
): Promise<number> {
  const { rows } = await tx.query<{ wait: number }>(
    `select greatest(0, ceil(coalesce(extract(epoch from ${SENT_AT[kind]} - now()) + $2, 0)))::int as wait
     from auth.users where id = $1 for no key update`,
    [userId, settings.mailCooldownSeconds],
  );
  return rows[0]?.wait ?? 0;
}

/** A good token, now used up. */
export type Consumed = {
  readonly userId: string;
  readonly kind: TokenKind;
  readonly sentTo: string;
  readonly challenge: string | null;
  readonly needsOther: boolean;
};

/** Uses up the token of a link. @returns its owner's token, or null. Of two simultaneous uses one gets it. */
export async function consumeLinkToken(
  tx: Transaction,
  { services }: Scope,
  kinds: readonly TokenKind[],
  token: string,
): Promise<Consumed | null> {
  const hash = linkHash(services.secrets, token);
  // Lock order, against deadlocks: the person first, then their tokens.
  await tx.query(
    `select from auth.users u where u.id = (select t.user_id from auth.one_time_tokens t where t.token_hash = $1)
     for no key update`,
    [hash],
  );
  const { rows } = await tx.query<TokenRow & { readonly is_live: boolean }>(
    `delete from auth.one_time_tokens where token_hash = $1 and kind = any($2)
     returning user_id, kind, relates_to, code_challenge, needs_other, expires_at > now() as is_live`,
    [hash, [...kinds]],
  );
  const [row] = rows;
  return row?.is_live === true ? consumed(row) : null;
}

/** The owner of a link's token, without using it up; null for a token that is not good. */
export async function peekLinkToken(
  tx: Transaction,
  { services }: Scope,
  kinds: readonly TokenKind[],
  token: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ user_id: string }>(
    'select user_id from auth.one_time_tokens where token_hash = $1 and kind = any($2) and expires_at > now()',
    [linkHash(services.secrets, token), [...kinds]],
  );
  return rows[0]?.user_id ?? null;
}

/** The people whose codes wait at this address or number, the latest first. */
export async function waitingAt(tx: Transaction, kinds: readonly TokenKind[], to: string): Promise<string[]> {
  const { rows } = await tx.query<{ user_id: string }>(
    `select user_id from auth.one_time_tokens
     where relates_to = $1 and kind = any($2) and coalesce(code_expires_at, expires_at) > now() and code_hash is not null
     group by user_id order by max(created_at) desc`,
    [to, [...kinds]],
  );
  return rows.map(({ user_id: userId }) => userId);
}

/**
 * Uses up the code that was sent to this address or number. A wrong one is counted, and the fifth voids the code: the count
 * must be committed. The link of the same mail stays good, since it cannot be guessed: else a stranger who knows an address
 * could keep its owner from ever following one.
 */
export async function consumeCode(
  tx: Transaction,
  scope: Scope,
  kinds: readonly TokenKind[],
  sent: { readonly userId: string; readonly to: string; readonly code: string },
): Promise<Consumed | null> {
  const isClosed = (await secondsWithoutCodes(tx, sent.userId)) > 0;
  const { rows } = await tx.query<TokenRow & { id: string; code_hash: Buffer | null; attempts: number }>(
    `select id, user_id, kind, relates_to, code_challenge, needs_other, code_hash, attempts from auth.one_time_tokens
     where user_id = $1 and kind = any($2) and relates_to = $3 and coalesce(code_expires_at, expires_at) > now()
       and code_hash is not null
     order by kind for update`,
    [sent.userId, [...kinds], sent.to],
  );
  for (const row of rows) {
    const given = codeHash(scope.services.secrets, sent.userId, row.kind, sent.code);
    if (row.code_hash !== null && timingSafeEqual(given, row.code_hash) && !isClosed) {
      await tx.query('delete from auth.one_time_tokens where id = $1', [row.id]);
      return consumed(row);
    }
    await audit(tx, scope.origin, 'code_refused', sent.userId, { kind: row.kind });
    await tx.query(
      `update auth.one_time_tokens set attempts = attempts + 1, code_hash = case when attempts + 1 < $2 then code_hash end
       where id = $1`,
      [row.id, CODE_ATTEMPTS_MAX],
    );
  }
  if (rows.length > 0 && (await isLastWrongCode(tx, sent.userId))) await tellCodesClosed(tx, scope, sent.userId);
  return null;
}

async function tellCodesClosed(tx: Transaction, scope: Scope, userId: string): Promise<void> {
  await audit(tx, scope.origin, 'codes_closed', userId);
  const { rows } = await tx.query<{ email: string | null }>('select email from auth.users where id = $1', [userId]);
  await tellSecurityChange(tx, scope, { email: rows[0]?.email ?? null }, { kind: 'codes_closed' });
}

/**
 * Defence against a timing attack: the work of a refusal where no code waits, so that the latency does not reveal an
 * account.
 */
export async function consumeNothing(
  tx: Transaction,
  scope: Scope,
  kinds: readonly TokenKind[],
  sent: { readonly to: string; readonly code: string },
): Promise<void> {
  await consumeCode(tx, scope, kinds, { ...sent, userId: NOBODY });
  codeHash(scope.services.secrets, NOBODY, 'recovery', sent.code);
  await audit(tx, scope.origin, 'code_refused', null);
  await tx.query('update auth.one_time_tokens set attempts = attempts + 1 where id = $1', [NOBODY]);
  await isLastWrongCode(tx, NOBODY);
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

type TokenRow = {
  readonly user_id: string;
  readonly kind: TokenKind;
  readonly relates_to: string;
  readonly code_challenge: string | null;
  readonly needs_other: boolean;
};

function consumed({ user_id, kind, relates_to, code_challenge, needs_other }: TokenRow): Consumed {
  return { userId: user_id, kind, sentTo: relates_to, challenge: code_challenge, needsOther: needs_other };
}

/** Voids the pending tokens of a person: after a confirmation, a new password or a new address. */
export async function clearOneTimeTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `with exchanged as (delete from auth.flow_states where user_id = $1)
     delete from auth.one_time_tokens where user_id = $1`,
    [userId],
  );
}

function linkHash(secrets: Secrets, token: string): Buffer {
  return createHmac('sha256', secrets.derive('one-time-token')).update(`link:${token}`).digest();
}

function codeHash(secrets: Secrets, userId: string, kind: TokenKind, code: string): Buffer {
  return createHmac('sha256', secrets.derive('one-time-token')).update(`code:${userId}:${kind}:${code}`).digest();
}
