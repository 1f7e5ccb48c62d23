import { requireEmail } from '../accounts/identity-fields.ts';
import { AuthError } from '../protocol/errors.ts';

/** The claims about a person, in one shape for every provider. */
export type Assertion = {
  /** The provider's name in identities: `google`, `web3`, `sso:<uuid>`. */
  readonly provider: string;
  /** The person's lasting id at the provider. */
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  /** From a company's own service: such people have an account apart, even with a known address. */
  readonly isSso: boolean;
  readonly fullName: string | null;
  /** Stored with the identity. */
  readonly data: Readonly<Record<string, unknown>>;
};

const TEXT_MAX = 1000;

/** The text of a claim, bounded and printable; null where it is none. */
export function textClaim(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return text === '' || text.length > TEXT_MAX ? null : text;
}

/** An address in the normal form of accounts; null for one that cannot be written to. */
export function emailClaim(value: unknown): string | null {
  const text = textClaim(value);
  if (text === null) return null;
  try {
    return requireEmail(text);
  } catch (error) {
    if (error instanceof AuthError) return null;
    throw error;
  }
}

/** Some providers write booleans as text. */
export function isTrueClaim(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1';
}
