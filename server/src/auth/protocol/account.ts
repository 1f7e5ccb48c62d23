import { addressForm } from '@parrain/domain/email-address';

import type { Transaction } from '#platform/database';

/** A person's account as every operation reads it: the user, their role, and a bar where there is one. */
export type Account = {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly encrypted_password: string | null;
  /** Chosen by another person, for one sign-in (V-19). */
  readonly is_password_temporary: boolean;
  /** False for a temporary password that expired or was used. */
  readonly is_password_usable: boolean;
  readonly password_change_required: boolean;
  readonly email_confirmed_at: Date | null;
  /** The first proof of the mailbox; being confirmed shows nothing where accounts are confirmed without a mail. */
  readonly email_proven_at: Date | null;
  readonly phone_confirmed_at: Date | null;
  readonly invited_at: Date | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_sent_at: Date | null;
  readonly new_email: string | null;
  readonly email_change_sent_at: Date | null;
  readonly new_phone: string | null;
  readonly phone_change_sent_at: Date | null;
  readonly reauthentication_sent_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly raw_app_meta_data: Readonly<Record<string, unknown>>;
  readonly raw_user_meta_data: Readonly<Record<string, unknown>>;
  readonly is_anonymous: boolean;
  /** From a company's own sign-in service, which alone changes their address and how they sign in. */
  readonly is_sso_user: boolean;
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly role: string | null;
  readonly full_name: string | null;
  /** Banned, deactivated or deleted: no session is opened or kept. */
  readonly is_barred: boolean;
  readonly identities: readonly IdentityRow[];
  readonly factors: readonly FactorRow[];
};

export type IdentityRow = {
  readonly identity_id: string;
  readonly id: string;
  readonly user_id: string;
  readonly identity_data: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly last_sign_in_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly email: string | null;
};

export type FactorType = FactorRow['factor_type'];

/** A second factor (AU-17), without its secret. */
export type FactorRow = {
  readonly id: string;
  readonly factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code';
  readonly status: 'unverified' | 'verified';
  readonly friendly_name: string;
  readonly phone: string | null;
  readonly last_challenged_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};

/** Every column of a `FactorRow`, from `auth.factors f`. */
export const FACTOR_AS_JSON = `jsonb_build_object('id', f.id, 'factor_type', f.factor_type, 'status', f.status,
  'friendly_name', f.friendly_name, 'phone', f.phone, 'last_challenged_at', f.last_challenged_at,
  'created_at', f.created_at, 'updated_at', f.updated_at)`;

/** Every column of an `Account`, from `auth.users u` and its profile `p`. */
export const ACCOUNT_COLUMNS = `
  u.id, u.email, u.phone, u.encrypted_password,
  u.temporary_password_until is not null as is_password_temporary,
  coalesce(u.temporary_password_until > now(), true) as is_password_usable,
  u.password_change_required, u.email_confirmed_at, u.email_proven_at, u.phone_confirmed_at, u.invited_at, u.confirmation_sent_at,
  u.recovery_sent_at, u.new_email, u.email_change_sent_at, u.new_phone, u.phone_change_sent_at,
  u.reauthentication_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.is_anonymous, u.is_sso_user,
  u.banned_until, u.deleted_at, u.created_at, u.updated_at, p.role, p.full_name,
  (u.deleted_at is not null or p.deactivated_at is not null or coalesce(u.banned_until > now(), false)) as is_barred,
  coalesce((select jsonb_agg(jsonb_build_object('identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id,
    'identity_data', i.identity_data, 'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at,
    'created_at', i.created_at, 'updated_at', i.updated_at, 'email', i.email) order by i.created_at, i.id)
    from auth.identities i where i.user_id = u.id), '[]') as identities,
  coalesce((select jsonb_agg(${FACTOR_AS_JSON} order by f.created_at, f.id)
    from auth.factors f where f.user_id = u.id), '[]') as factors`;

export const ACCOUNT_TABLES = `auth.users u left join public.profiles p on p.id = u.id`;

/** The normal form of an address, or of what is none: two addresses with the same form are one account (DF-30). */
export const normalizedEmail = addressForm;

export async function accountById(tx: Transaction, id: string): Promise<Account | null> {
  const { rows } = await tx.query<Account>(`select ${ACCOUNT_COLUMNS} from ${ACCOUNT_TABLES} where u.id = $1`, [id]);
  return rows[0] ?? null;
}

/** @throws Error where there is none: for an account this transaction has just written or locked. */
export async function existingAccount(tx: Transaction, id: string): Promise<Account> {
  const account = await accountById(tx, id);
  if (account === null) throw new Error('The account is gone');
  return account;
}

/** The account that signs in with this address. Accounts of a company's own sign-in service are not among them. */
export const ACCOUNT_BY_EMAIL = `select ${ACCOUNT_COLUMNS} from ${ACCOUNT_TABLES}
  where u.email = $1 and not u.is_sso_user and u.deleted_at is null`;

export async function accountByEmail(tx: Transaction, email: string): Promise<Account | null> {
  const { rows } = await tx.query<Account>(ACCOUNT_BY_EMAIL, [normalizedEmail(email)]);
  return rows[0] ?? null;
}
