import { randomUUID } from 'node:crypto';

import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { fullNameFrom, phoneFrom } from './identity-fields.ts';

export type NewAccount = {
  readonly id: string;
  /** Null for who signs in by telephone, by wallet, or without a name. */
  readonly email: string | null;
  readonly passwordHash: string | null;
  readonly role: string;
  readonly fullName: string;
  readonly phone: string | null;
  readonly isConfirmed: boolean;
  readonly userMetadata: Readonly<Record<string, unknown>>;
};

/** The user, the identity and the profile, together. */
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

/** The account of a telephone number, not yet confirmed: a client's. */
export async function createPhoneAccount(
  tx: Transaction,
  account: {
    readonly id: string;
    readonly phone: string;
    readonly passwordHash: string | null;
    readonly fullName: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { id, phone, data } = account;
  await createAccount(tx, {
    id,
    email: null,
    passwordHash: account.passwordHash,
    role: 'client',
    fullName: account.fullName,
    phone: `+${phone}`,
    isConfirmed: false,
    userMetadata: { ...data, sub: id, phone, email_verified: false, phone_verified: false },
  });
  await setPhone(tx, id, phone);
}

/** The number by which an account signs in, not confirmed by this: the user's and the identity's. */
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

/** Whether the database refused an account because its address has one. */
export function isTaken(error: unknown): boolean {
  return isDatabaseError(error) && error.code === 'PR001' && error.message === 'email_taken';
}

/** Opens a client's account that waits for its owner to confirm it. @returns its id */
export async function openUnconfirmed(
  tx: Transaction,
  {
    email,
    data,
    passwordHash,
  }: {
    readonly email: string;
    /** What the account remembers of itself; its name and telephone are read there. */
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

/** Of two that open the account of a number at once, the second finds the first's. */
export async function whoeverIsFirst<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseError(error) || error.code !== '23505') throw error;
    return work();
  }
}
