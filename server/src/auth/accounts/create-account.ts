import { randomUUID } from 'node:crypto';

import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { audit } from '../protocol/audit.ts';
import type { Origin } from '../protocol/operation.ts';
import { fullNameFrom, phoneFrom } from './identity-fields.ts';

export type NewAccount = {
  readonly id: string;
  /** Null for an account by telephone or wallet, or an anonymous one. */
  readonly email: string | null;
  readonly passwordHash: string | null;
  readonly role: string;
  readonly fullName: string;
  readonly phone: string | null;
  readonly isConfirmed: boolean;
  readonly userMetadata: Readonly<Record<string, unknown>>;
};

/** Creates the user, the identity and the profile in one statement. */
export async function createAccount(tx: Transaction, account: NewAccount): Promise<void> {
  await tx.query(
    `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => $4, p_full_name => $5,
       p_phone => $6, p_email_confirmed_at => case when $7::boolean then now() end, p_user_metadata => $8)`,
    [
      account.id,
      account.email,
      account.passwordHash,
      account.role,
      account.fullName,
      account.phone,
      account.isConfirmed,
      account.userMetadata,
    ],
  );
}

/** Sets the number by which an account signs in, of the user and of the identity; its code confirms it later. */
export async function setPhone(tx: Transaction, userId: string, phone: string): Promise<void> {
  await tx.query(
    `with numbered as (
       update auth.users set phone = $2, new_phone = null, updated_at = now(),
         raw_app_meta_data = '{"provider": "phone", "providers": ["phone"]}'::jsonb || raw_app_meta_data where id = $1
     )
     insert into auth.identities as i (user_id, provider, provider_id, identity_data)
     values ($1, 'phone', $1::text, jsonb_build_object('sub', $1::text, 'phone', $2::text, 'email_verified', false, 'phone_verified', false))
     on conflict (provider, provider_id) do update
       set identity_data = i.identity_data || jsonb_build_object('phone', $2::text), updated_at = now()`,
    [userId, phone],
  );
}

/** True for the database's refusal of an address that has an account. */
export function isTaken(error: unknown): boolean {
  return isDatabaseError(error) && error.code === 'PR001' && error.message === 'email_taken';
}

/**
 * Opens a client's account for a person whom the company names: unconfirmed, its user_metadata exactly `data`.
 * @returns its id
 */
export async function openInvited(
  tx: Transaction,
  {
    email,
    data,
    passwordHash,
  }: {
    readonly email: string;
    /** The user_metadata; the name and the telephone of the profile are read there. */
    readonly data: Readonly<Record<string, unknown>>;
    readonly passwordHash: string | null;
  },
): Promise<string> {
  const id = randomUUID();
  await createAccount(tx, {
    id,
    email,
    passwordHash,
    role: 'client',
    fullName: fullNameFrom(data, email),
    phone: phoneFrom(data),
    isConfirmed: false,
    userMetadata: data,
  });
  return id;
}

type Registration = {
  readonly passwordHash: string | null;
  readonly fullName: string;
  /** The client's own user_metadata. No right is ever read from it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** For the audit trail, where the way in is not the usual address and password. */
  readonly method?: 'otp' | 'phone';
};

/** Opens a client's account for a person who registers by address. @returns its id */
export async function registerByEmail(
  tx: Transaction,
  origin: Origin,
  {
    email,
    profilePhone,
    isConfirmed = false,
    ...registration
  }: Registration & {
    readonly email: string;
    /** Shown on the profile; it is no way to sign in. */
    readonly profilePhone: string | null;
    /** True where accounts are confirmed without a mail. */
    readonly isConfirmed?: boolean;
  },
): Promise<string> {
  const id = randomUUID();
  const { passwordHash, fullName, data } = registration;
  await createAccount(tx, {
    id,
    email,
    passwordHash,
    role: 'client',
    fullName,
    phone: profilePhone,
    isConfirmed,
    userMetadata: { ...data, sub: id, email, email_verified: isConfirmed, phone_verified: false },
  });
  await auditRegistration(tx, origin, id, registration);
  return id;
}

/** Opens a client's account for a person who registers by telephone; the number waits for its code. @returns its id */
export async function registerByPhone(
  tx: Transaction,
  origin: Origin,
  { phone, ...registration }: Registration & { readonly phone: string },
): Promise<string> {
  const id = randomUUID();
  const { passwordHash, fullName, data } = registration;
  await createAccount(tx, {
    id,
    email: null,
    passwordHash,
    role: 'client',
    fullName,
    phone: `+${phone}`,
    isConfirmed: false,
    userMetadata: { ...data, sub: id, phone, email_verified: false, phone_verified: false },
  });
  await setPhone(tx, id, phone);
  await auditRegistration(tx, origin, id, registration);
  return id;
}

async function auditRegistration(tx: Transaction, origin: Origin, id: string, { method }: Registration): Promise<void> {
  await audit(tx, origin, 'signup', id, method === undefined ? {} : { method });
}

/** Resolves the race of two openings of one account: the loser of the unique index runs again and finds the winner's. */
export async function retryOnDuplicate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseError(error) || error.code !== '23505') throw error;
    return work();
  }
}
