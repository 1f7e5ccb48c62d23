import type { OidcProvider } from '#platform/identity-providers';

import { emailClaim, isTrueClaim, textClaim } from '../assertion.ts';
import type { Assertion } from '../assertion.ts';

/** An assertion from an OpenID provider's claims. An address is verified only by the provider's own word. */
export function assertionOfClaims(
  provider: OidcProvider,
  claims: Readonly<Record<string, unknown>> & { readonly sub: string },
): Assertion {
  const email = emailClaim(claims['email']);
  const isEmailVerified =
    email !== null &&
    (provider.isEmailTrusted ||
      isTrueClaim(claims['email_verified']) ||
      // Microsoft's claim that the address's domain is the directory's own.
      (provider.tenant !== null && isTrueClaim(claims['xms_edov'])));
  const fullName =
    textClaim(claims['name']) ??
    ([textClaim(claims['given_name']), textClaim(claims['family_name'])].filter((part) => part !== null).join(' ') ||
      null);
  const picture = textClaim(claims['picture']);
  const username = textClaim(claims['preferred_username']);
  return {
    provider: provider.name,
    subject: claims.sub,
    email,
    isEmailVerified,
    isSso: false,
    fullName,
    data: {
      iss: provider.issuer,
      sub: claims.sub,
      provider_id: claims.sub,
      ...(fullName === null ? {} : { name: fullName, full_name: fullName }),
      ...(username === null ? {} : { preferred_username: username }),
      ...(picture === null ? {} : { picture, avatar_url: picture }),
      ...(email === null ? {} : { email }),
      email_verified: isEmailVerified,
      phone_verified: false,
    },
  };
}
