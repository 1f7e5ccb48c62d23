import type { Account, FactorRow, IdentityRow } from '../protocol/account.ts';

/** The user as the client reads it. Absent keys stay absent; `email` and `phone` are always text. */
export type UserObject = Readonly<Record<string, unknown>> & { readonly id: string };

export function userObject(account: Account): UserObject {
  return {
    id: account.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: account.email ?? '',
    ...time('email_confirmed_at', account.email_confirmed_at),
    ...time('invited_at', account.invited_at),
    phone: account.phone ?? '',
    ...time('phone_confirmed_at', account.phone_confirmed_at),
    ...time('confirmation_sent_at', account.confirmation_sent_at),
    ...time('confirmed_at', earlier(account.email_confirmed_at, account.phone_confirmed_at)),
    ...time('recovery_sent_at', account.recovery_sent_at),
    ...text('new_email', account.new_email),
    ...time('email_change_sent_at', account.email_change_sent_at),
    ...text('new_phone', account.new_phone),
    ...time('phone_change_sent_at', account.phone_change_sent_at),
    ...time('reauthentication_sent_at', account.reauthentication_sent_at),
    ...time('last_sign_in_at', account.last_sign_in_at),
    app_metadata: appMetadata(account),
    user_metadata: account.raw_user_meta_data,
    ...(account.factors.length === 0 ? {} : { factors: account.factors.map(factorObject) }),
    identities: account.identities.map(identityObject),
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
    ...time('banned_until', account.banned_until),
    ...time('deleted_at', account.deleted_at),
    is_anonymous: account.is_anonymous,
  };
}

/**
 * The metadata that only the server writes: the providers, the role of the profile, a due change of password (V-19).
 */
export function appMetadata(account: Account): Readonly<Record<string, unknown>> {
  const providers = [...new Set(account.identities.map((identity) => identity.provider))];
  const [provider] = providers;
  return {
    ...account.raw_app_meta_data,
    ...(provider === undefined ? {} : { provider, providers }),
    ...(account.role === null ? {} : { role: account.role }),
    ...(account.password_change_required ? { password_change_required: true } : {}),
  };
}

function identityObject(identity: IdentityRow): Readonly<Record<string, unknown>> {
  return {
    identity_id: identity.identity_id,
    id: identity.id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    last_sign_in_at: isoTime(identity.last_sign_in_at ?? identity.created_at),
    created_at: isoTime(identity.created_at),
    updated_at: isoTime(identity.updated_at),
    ...text('email', identity.email),
  };
}

/** A second factor as the client reads it, without its secret. */
export function factorObject(factor: FactorRow): Readonly<Record<string, unknown>> & { readonly id: string } {
  return {
    id: factor.id,
    created_at: isoTime(factor.created_at),
    updated_at: isoTime(factor.updated_at),
    status: factor.status,
    ...text('friendly_name', factor.friendly_name),
    factor_type: factor.factor_type,
    phone: factor.phone ?? '',
    last_challenged_at: factor.last_challenged_at === null ? null : isoTime(factor.last_challenged_at),
  };
}

function isoTime(value: string): string {
  return new Date(value).toISOString();
}

function earlier(first: Date | null, second: Date | null): Date | null {
  if (first === null || second === null) return first ?? second;
  return first < second ? first : second;
}

function time(key: string, value: Date | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [key]: value.toISOString() };
}

function text(key: string, value: string | null): Readonly<Record<string, string>> {
  return value === null || value === '' ? {} : { [key]: value };
}
