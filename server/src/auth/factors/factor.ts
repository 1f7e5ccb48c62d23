import type { FastifyRequest } from 'fastify';

import type { Transaction } from '#platform/database';

import { FACTOR_AS_JSON } from '../protocol/account.ts';
import type { FactorRow, FactorType } from '../protocol/account.ts';
import { AuthError, invalidPathId, validationFailed } from '../protocol/errors.ts';
import { isUuid, pathValue } from '../protocol/request.ts';
import type { SecondMethod } from '../sessions/session.ts';

/** A factor with its secret, its row locked until the end of the transaction. */
export type LockedFactor = {
  readonly id: string;
  readonly factor_type: FactorType;
  readonly status: FactorRow['status'];
  readonly friendly_name: string;
  readonly phone: string | null;
  readonly secret_sealed: Buffer | null;
  readonly last_step: number | null;
  /** Seconds until the next try. */
  readonly wait: number;
};

export const METHODS: Readonly<Record<FactorType, SecondMethod>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
  recovery_code: 'mfa/recovery_code',
};

/** The factor's id in the path. @throws AuthError validation_failed with 404 for anything that is no id */
export function requireFactorId(request: FastifyRequest): string {
  const id = pathValue(request, 'factorId');
  if (!isUuid(id)) throw invalidPathId('factor_id');
  return id.toLowerCase();
}

/** Locks the person's row: everything about their factors happens in sequence. */
export async function lockPerson(tx: Transaction, userId: string): Promise<void> {
  await tx.query('select from auth.users where id = $1 for no key update', [userId]);
}

/** @throws AuthError mfa_factor_not_found for another person's */
export async function lockFactor(tx: Transaction, userId: string, factorId: string): Promise<LockedFactor> {
  await lockPerson(tx, userId);
  const { rows } = await tx.query<LockedFactor>(
    `select f.id, f.factor_type, f.status, f.friendly_name, f.phone, f.secret_sealed, f.last_step,
       private.factor_wait(f) as wait
     from auth.factors f where f.id = $1 and f.user_id = $2 for update`,
    [factorId, userId],
  );
  const [factor] = rows;
  if (factor === undefined) throw factorNotFound();
  return factor;
}

export async function factorsOf(tx: Transaction, userId: string): Promise<FactorRow[]> {
  const { rows } = await tx.query<{ factor: FactorRow }>(
    `select ${FACTOR_AS_JSON} as factor from auth.factors f where f.user_id = $1 order by f.created_at, f.id`,
    [userId],
  );
  return rows.map(({ factor }) => factor);
}

export function factorNotFound(): AuthError {
  return new AuthError(404, 'mfa_factor_not_found', 'Factor not found');
}

/** Recovery codes answer no challenge: they have endpoints of their own. */
export function notAsked(): AuthError {
  return validationFailed('Recovery codes are managed under /factors/recovery-codes');
}

/** Anonymous people have nothing that a second factor would protect. @throws AuthError no_authorization */
export function refuseAnonymous({ is_anonymous: isAnonymous }: { readonly is_anonymous: boolean }): void {
  if (isAnonymous) throw new AuthError(403, 'no_authorization', 'MFA is not available to anonymous users');
}
