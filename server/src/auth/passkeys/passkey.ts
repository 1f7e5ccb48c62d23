import type { FastifyRequest } from 'fastify';

import type { Transaction } from '#platform/database';

import { AuthError, invalidPathId } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { isUuid, pathValue } from '../protocol/request.ts';

/** A passkey as lists show it, without its key. */
export type PasskeyRow = {
  readonly id: string;
  readonly friendly_name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
};

export const PASSKEY_COLUMNS = 'id, friendly_name, created_at, last_used_at';

export function passkeyObject(passkey: PasskeyRow): Readonly<Record<string, unknown>> {
  return {
    id: passkey.id,
    ...(passkey.friendly_name === '' ? {} : { friendly_name: passkey.friendly_name }),
    created_at: passkey.created_at.toISOString(),
    ...(passkey.last_used_at === null ? {} : { last_used_at: passkey.last_used_at.toISOString() }),
  };
}

export async function passkeysOf(tx: Transaction, userId: string): Promise<PasskeyRow[]> {
  const { rows } = await tx.query<PasskeyRow>(
    `select ${PASSKEY_COLUMNS} from auth.webauthn_credentials
     where user_id = $1 and factor_id is null order by created_at, id`,
    [userId],
  );
  return rows;
}

/** @throws AuthError webauthn_credential_not_found for another person's */
export async function deletePasskey(tx: Transaction, userId: string, id: string): Promise<void> {
  const { rowCount } = await tx.query(
    'delete from auth.webauthn_credentials where id = $1 and user_id = $2 and factor_id is null',
    [id, userId],
  );
  if (rowCount === 0) throw passkeyNotFound();
}

export function requirePasskeyId(request: FastifyRequest): string {
  const id = pathValue(request, 'passkeyId');
  if (!isUuid(id)) throw invalidPathId('passkey_id');
  return id.toLowerCase();
}

export function passkeyNotFound(): AuthError {
  return new AuthError(404, 'webauthn_credential_not_found', 'Passkey not found');
}

type ChallengeKind = 'passkey_registration' | 'passkey_authentication';

/** Stores the challenge that the authenticator signs. A sign-in's has no person yet. */
export async function insertChallenge(
  tx: Transaction,
  { settings, origin }: Scope,
  challenge: { readonly kind: ChallengeKind; readonly userId: string | null; readonly text: string },
): Promise<{ readonly challenge_id: string; readonly expires_at: number }> {
  const { rows } = await tx.query<{ challenge_id: string; expires_at: number }>(
    `insert into auth.challenges (kind, user_id, webauthn_challenge, ip, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))
     returning id as challenge_id, floor(extract(epoch from expires_at))::int as expires_at`,
    [challenge.kind, challenge.userId, challenge.text, origin.ip, settings.challengeSeconds],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The challenge is gone');
  return row;
}

/** Uses a challenge up before its answer is read: it is good for one try, of one caller. */
export async function consumeChallenge(
  { db }: Scope,
  challenge: { readonly kind: ChallengeKind; readonly userId: string | null; readonly id: string },
): Promise<string> {
  const { rows } = isUuid(challenge.id)
    ? await db.queryAsService<{ webauthn_challenge: string; is_over: boolean }>('auth: passkey challenge', {
        text: `delete from auth.challenges where id = $1 and kind = $2 and user_id is not distinct from $3::uuid
          returning webauthn_challenge, expires_at <= now() as is_over`,
        values: [challenge.id, challenge.kind, challenge.userId],
      })
    : { rows: [] };
  const [row] = rows;
  if (row === undefined) throw new AuthError(400, 'webauthn_challenge_not_found', 'WebAuthn challenge not found');
  if (row.is_over) throw new AuthError(400, 'webauthn_challenge_expired', 'WebAuthn challenge has expired');
  return row.webauthn_challenge;
}

export function verificationFailed(): AuthError {
  return new AuthError(400, 'webauthn_verification_failed', 'WebAuthn verification failed');
}
