import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

import type { Scope } from '../protocol/operation.ts';

/** Codes of an authenticator application: SHA-1, six digits, thirty seconds, as every application understands. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
const PURPOSE = 'totp-secret';

/** A new secret, for the person's application and, sealed for its factor, for us. */
export function newTotpSecret(
  { services }: Scope,
  factorId: string,
  label: { readonly issuer: string; readonly account: string },
): { readonly sealed: Buffer; readonly base32: string; readonly uri: string; readonly qrCode: string } {
  const secret = new Secret({ size: SECRET_BYTES });
  const uri = totpOf(secret, label).toString();
  return {
    sealed: services.secrets.seal(PURPOSE, Buffer.from(secret.bytes), factorId),
    base32: secret.base32,
    uri,
    // Named colours: the client puts the picture in an address, where a « # » would end it.
    qrCode: renderSVG(uri, { ecc: 'M', border: 4, pixelSize: 6, whiteColor: 'white', blackColor: 'black' }),
  };
}

/** The thirty seconds that a code belongs to: the present ones, those before or those after; null for a wrong code. */
export function stepOfCode({ services }: Scope, factorId: string, sealed: Uint8Array, code: string): number | null {
  const bytes = new Uint8Array(services.secrets.open(PURPOSE, sealed, factorId));
  const timestamp = services.clock.now().getTime();
  const delta = totpOf(new Secret({ buffer: bytes.buffer })).validate({ token: code, timestamp, window: 1 });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: Secret, label?: { readonly issuer: string; readonly account: string }): TOTP {
  return new TOTP({
    secret,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    ...(label === undefined ? {} : { issuer: label.issuer, label: label.account }),
  });
}
