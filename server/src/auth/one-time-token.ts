import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

import type { Transaction } from '#platform/database';
import type { Secrets } from '#platform/secrets';

import type { Scope } from './operation.ts';
import { CODE_ATTEMPTS_MAX } from './settings.ts';

/** What a token is for; a person has at most one of each. */
export type TokenKind = 'confirmation' | 'recovery';

/** What leaves in the mail. Only hashes stay here. */
export type IssuedToken = {
  /** For the link: 256 random bits, which the code says nothing about. */
  readonly token: string;
  /** Six figures to type. */
  readonly code: string;
};

/** Makes a token in place of the one of the same kind. */
export async function issueOneTimeToken(
  tx: Transaction,
  { services, settings }: Scope,
  token: {
    readonly userId: string;
    readonly kind: TokenKind;
    readonly email: string;
    readonly redirectTo: string | null;
  },
): Promise<IssuedToken> {
  const link = randomBytes(32).toString('base64url');
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await tx.query(
    `insert into auth.one_time_tokens as t (user_id, kind, token_hash, code_hash, relates_to, redirect_to, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
     on conflict (user_id, kind) do update set token_hash = excluded.token_hash, code_hash = excluded.code_hash,
       relates_to = excluded.relates_to, redirect_to = excluded.redirect_to, attempts = 0, created_at = now(),
       expires_at = excluded.expires_at`,
    [
      token.userId,
      token.kind,
      linkHash(services.secrets, link),
      codeHash(services.secrets, token.userId, token.kind, code),
      token.email,
      token.redirectTo,
      settings.oneTimeTokenSeconds,
    ],
  );
  return { token: link, code };
}

/**
 * Whether a mail of this kind left for this person too short a time ago for another. The person's row is held until the
 * end of the transaction: of two that ask at once, the second sees the first's mail.
 */
export async function isCoolingDown(
  tx: Transaction,
  { settings }: Scope,
  userId: string,
  kind: TokenKind,
): Promise<boolean> {
  await tx.query('select from auth.users where id = $1 for no key update', [userId]);
  const { rows } = await tx.query(
    `select from auth.one_time_tokens
     where user_id = $1 and kind = $2 and created_at > now() - make_interval(secs => $3)`,
    [userId, kind, settings.mailCooldownSeconds],
  );
  return rows.length > 0;
}

/** Uses up the token of a link: whose it was, or null. Two that come at once: one gets it. */
export async function consumeLinkToken(
  tx: Transaction,
  { services }: Scope,
  kinds: readonly TokenKind[],
  token: string,
): Promise<{ readonly userId: string; readonly kind: TokenKind } | null> {
  const { rows } = await tx.query<{ user_id: string; kind: TokenKind; is_live: boolean }>(
    `delete from auth.one_time_tokens where token_hash = $1 and kind = any($2)
     returning user_id, kind, expires_at > now() as is_live`,
    [linkHash(services.secrets, token), [...kinds]],
  );
  const [row] = rows;
  return row?.is_live === true ? { userId: row.user_id, kind: row.kind } : null;
}

/** Uses up the code of a person. A wrong one is counted, and the fifth ends the token: the count must be committed. */
export async function consumeCode(
  tx: Transaction,
  { services }: Scope,
  kinds: readonly TokenKind[],
  userId: string,
  code: string,
): Promise<{ readonly userId: string; readonly kind: TokenKind } | null> {
  const { rows } = await tx.query<{ id: string; kind: TokenKind; code_hash: Buffer | null; attempts: number }>(
    `select id, kind, code_hash, attempts from auth.one_time_tokens
     where user_id = $1 and kind = any($2) and expires_at > now() order by kind for update`,
    [userId, [...kinds]],
  );
  for (const row of rows) {
    const given = codeHash(services.secrets, userId, row.kind, code);
    if (row.code_hash !== null && timingSafeEqual(given, row.code_hash)) {
      await tx.query('delete from auth.one_time_tokens where id = $1', [row.id]);
      return { userId, kind: row.kind };
    }
    await tx.query(
      row.attempts + 1 >= CODE_ATTEMPTS_MAX
        ? 'delete from auth.one_time_tokens where id = $1'
        : 'update auth.one_time_tokens set attempts = attempts + 1 where id = $1',
      [row.id],
    );
  }
  return null;
}

/** A confirmed person, a new password, a new address: whatever was pending before is void. */
export async function clearOneTimeTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.one_time_tokens where user_id = $1', [userId]);
}

function linkHash(secrets: Secrets, token: string): Buffer {
  return createHmac('sha256', secrets.derive('one-time-token')).update(`link:${token}`).digest();
}

function codeHash(secrets: Secrets, userId: string, kind: TokenKind, code: string): Buffer {
  return createHmac('sha256', secrets.derive('one-time-token')).update(`code:${userId}:${kind}:${code}`).digest();
}
