import { requireEmail } from '../accounts/identity-fields.ts';
import { normalizedEmail } from '../protocol/account.ts';
import { AuthError } from '../protocol/errors.ts';

/** What somebody else says of a person who stands before us, in the same words whoever says it. */
export type Assertion = {
  /** As identities name it: `google`, `web3`, `sso:<uuid>`. */
  readonly provider: string;
  /** Who it is there, for ever. */
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  /** From a company's own service: such people are an account apart, whatever their address. */
  readonly isSso: boolean;
  readonly fullName: string | null;
  /** Kept with the identity. */
  readonly data: Readonly<Record<string, unknown>>;
};

const TEXT_MAX = 1000;

/** A claim's text, bounded and printable; null where it is none. */
export function textClaim(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return text === '' || text.length > TEXT_MAX ? null : text;
}

/** An address as accounts are told apart by it; null where it is none that we could write to. */
export function emailClaim(value: unknown): string | null {
  const text = textClaim(value);
  if (text === null) return null;
  try {
    return requireEmail(normalizedEmail(text));
  } catch (error) {
    if (error instanceof AuthError) return null;
    throw error;
  }
}

/** Some providers write their truth as text. */
export function isTrueClaim(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1';
}
