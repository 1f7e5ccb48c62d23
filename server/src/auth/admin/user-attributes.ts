import { isRole } from '@parrain/domain/role';
import { z } from 'zod';

import { hashPassword, isKnownHash } from '../passwords/password-hash.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';

/** The attributes of a user that an administrator may set, at creation and later. */
export const userAttributes = z.looseObject({
  id: z.string().optional(),
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().default(''),
  password_hash: z.string().default(''),
  email_confirm: z.boolean().default(false),
  phone_confirm: z.boolean().default(false),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
  ban_duration: z.string().optional(),
  role: z
    .literal(['', 'authenticated'], 'Only authenticated is a role here; app_metadata.role says what the person is')
    .optional(),
});
export type UserAttributes = z.output<typeof userAttributes>;

/** The hash of the given password, or the given hash; null where neither is given. */
export async function hashFrom(
  { password, password_hash: hash }: Pick<UserAttributes, 'password' | 'password_hash'>,
  owner: { readonly email: string | null; readonly fullName: string | null },
  scope: Scope,
): Promise<string | null> {
  if (password !== '' && hash !== '') throw validationFailed('Only a password or a password hash should be provided');
  if (hash !== '') {
    if (!isKnownHash(hash))
      throw validationFailed('The password hash must be bcrypt, argon2i, argon2id or fbscrypt, of a reasonable cost');
    return hash;
  }
  if (password === '') return null;
  await requireGoodPassword(password, owner, scope);
  return hashPassword(password);
}

/** The role in app_metadata; everywhere else the profile names it. @throws AuthError for an unknown one */
export function roleFrom(metadata: Readonly<Record<string, unknown>> | undefined): string | null {
  const role = metadata?.['role'] ?? null;
  if (role === null) return null;
  if (!isRole(role)) throw validationFailed('app_metadata.role must be admin, commercial or client');
  return role;
}

/** The app_metadata to store, without the keys that every reading derives. */
export function storedAppMetadata(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !DERIVED.has(key)));
}

const DERIVED = new Set(['role', 'provider', 'providers', 'password_change_required']);

const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/u;
const SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
const BAN_SECONDS_MAX = 100 * 365 * 86_400;

/** The seconds of a ban (« 24h », « 1h30m »), 0 for « none », null where none is given. */
export function banSeconds(duration: string | undefined): number | null {
  if (duration === undefined || duration === '') return null;
  if (duration === 'none') return 0;
  if (duration.length > 50 || !DURATION.test(duration)) throw validationFailed('invalid format for ban duration');
  let seconds = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gu)) {
    seconds += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  }
  return Math.min(seconds, BAN_SECONDS_MAX);
}
