import { emailAddress } from '@parrain/domain/email-address';
import { phoneLengthMax } from '@parrain/domain/forms/limits';
import { hasSite } from '@parrain/domain/name';
import { writtenPhone } from '@parrain/domain/phone';
import { isVisible } from '@parrain/domain/visible-text';

import { validationFailed } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';

/**
 * A profile's name: from the request's metadata, else the part of the address before the @. A name may not hold the address
 * of a site (FX-04).
 */
export function fullNameFrom(data: Readonly<Record<string, unknown>>, email: string): string {
  const beforeTheAt = email.split('@')[0]?.replaceAll('.', ' ');
  for (const given of [data['full_name'], data['name'], beforeTheAt]) {
    if (typeof given !== 'string') continue;
    const name = given
      .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 120)
      .trim();
    if (isVisible(name) && name.isWellFormed() && !hasSite(name)) return name;
  }
  return 'Sans nom';
}

export function phoneFrom(data: Readonly<Record<string, unknown>>): string | null {
  const phone = data['phone'];
  return typeof phone === 'string' ? writtenPhone(phone, phoneLengthMax) : null;
}

/** An address in its one form, by the rule of every form (DF-30). @throws AuthError */
export function requireEmail(text: string): string {
  const email = emailAddress(text);
  if (email === null) throw validationFailed('Unable to validate email address: invalid format');
  return email;
}

const METADATA_DEPTH_MAX = 32;

/** Every access token carries the metadata: it must stay small, and shallow enough for any reader. */
export function requireBoundedMetadata(data: Readonly<Record<string, unknown>>, { settings }: Scope): void {
  if (
    isDeeperThan(METADATA_DEPTH_MAX, data) ||
    Buffer.byteLength(JSON.stringify(data)) > settings.userMetadataBytesMax
  ) {
    throw validationFailed('User metadata is too large');
  }
  requireStorable(data);
}

/** @throws AuthError validation_failed for a text or a key that PostgreSQL's JSON cannot hold */
export function requireStorable(data: Readonly<Record<string, unknown>>): void {
  if (!isStorable(data)) throw validationFailed('A value holds characters that cannot be stored');
}

/** Half a surrogate pair and NUL are valid text in JavaScript, and not in PostgreSQL's JSON. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
