import type { Transaction } from '#platform/database';

import { AuthError } from '../protocol/errors.ts';
import type { Credential, NewCredential } from './webauthn.ts';

/** The public keys of a person's authenticators: of second factors and, without a factor, passkeys. */

export type StoredCredential = Credential & {
  readonly id: string;
  readonly user_id: string;
  readonly factor_id: string | null;
};

const COLUMNS = 'id, user_id, factor_id, credential_id, public_key, sign_count, transports';

export async function credentialsOf(tx: Transaction, userId: string): Promise<StoredCredential[]> {
  const { rows } = await tx.query<StoredCredential>(
    `select ${COLUMNS} from auth.webauthn_credentials where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows;
}

/** Race: the row is locked until the end of the transaction, so that of two answers with the same count one passes. */
export async function lockCredential(tx: Transaction, credentialId: string): Promise<StoredCredential | null> {
  const { rows } = await tx.query<StoredCredential>(
    `select ${COLUMNS} from auth.webauthn_credentials where credential_id = $1 for update`,
    [credentialId],
  );
  return rows[0] ?? null;
}

/** Stores a new credential; null for one that is registered already, with this person or another. */
export async function insertCredential(
  tx: Transaction,
  owner: { readonly userId: string; readonly factorId: string | null },
  credential: NewCredential,
): Promise<{ readonly id: string; readonly created_at: Date } | null> {
  const { rows } = await tx.query<{ id: string; created_at: Date }>(
    `insert into auth.webauthn_credentials
       (user_id, factor_id, credential_id, public_key, sign_count, transports, aaguid, is_backed_up)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id, created_at`,
    [
      owner.userId,
      owner.factorId,
      credential.credential_id,
      Buffer.from(credential.public_key),
      credential.sign_count,
      [...credential.transports],
      credential.aaguid,
      credential.is_backed_up,
    ],
  );
  return rows[0] ?? null;
}

export async function noteUse(
  tx: Transaction,
  id: string,
  use: { readonly signCount: number; readonly isBackedUp: boolean },
): Promise<void> {
  await tx.query(
    `update auth.webauthn_credentials set sign_count = $2, is_backed_up = $3, last_used_at = now() where id = $1`,
    [id, use.signCount, use.isBackedUp],
  );
}

export function credentialExists(): AuthError {
  return new AuthError(422, 'webauthn_credential_exists', 'This authenticator is already registered');
}
