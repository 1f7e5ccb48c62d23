import type { Factor } from '@supabase/supabase-js';
import { phoneInvalid } from '@parrain/domain/messages';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../transport/api-error.ts';
import { authCall } from '../transport/auth-call.ts';
import { refreshProfile } from '../transport/session.ts';

/** A second step that counts: an application, a security key, a telephone; beside them, codes on paper (AU-17). */
export interface SecondFactor {
  id: string;
  kind: 'totp' | 'webauthn' | 'phone' | 'recovery-codes';
  name: string;
  createdAt: string;
}

/** The secret of an application that is being added, shown this once. */
export interface TotpEnrolment {
  factorId: string;
  /** An image, as an address. */
  qrCode: string;
  secret: string;
  uri: string;
}

export const secondFactorsQuery = queryOptions({ queryKey: ['second-factors'], queryFn: readSecondFactors });

/** The second steps of the signed-in person, even if only by their password so far. */
export async function readSecondFactors(): Promise<SecondFactor[]> {
  const factors = await authCall((auth) => auth.mfa.listFactors());
  return secondFactorsOf(factors.all);
}

/** Those of an answer that count, in the words of the screens. */
export function secondFactorsOf(factors: readonly Factor[]): SecondFactor[] {
  return factors.filter((factor) => factor.status === 'verified').map(toSecondFactor);
}

/** Begins with an application: its secret, as a picture and as a text. What was begun before and left is forgotten. */
export async function beginTotp(name: string): Promise<TotpEnrolment> {
  await forgetUnfinished();
  const enrolled = await authCall((auth) => auth.mfa.enroll({ factorType: 'totp', friendlyName: name }));
  return {
    factorId: enrolled.id,
    qrCode: enrolled.totp.qr_code,
    secret: enrolled.totp.secret,
    uri: enrolled.totp.uri,
  };
}

async function forgetUnfinished(): Promise<void> {
  const { all } = await authCall((auth) => auth.mfa.listFactors());
  for (const factor of all) {
    if (factor.status === 'unverified') await authCall((auth) => auth.mfa.unenroll({ factorId: factor.id }));
  }
}

/** Begins with a telephone: its number, to which a first code is sent. */
export async function beginPhone(name: string, phone: string): Promise<{ factorId: string; challengeId: string }> {
  const number = internationalNumber(phone);
  if (!/^\+\d{8,15}$/u.test(number)) throw new ApiError({ status: 400, code: 'validation_failed', text: phoneInvalid });
  await forgetUnfinished();
  const { id: factorId } = await authCall(
    (auth) => auth.mfa.enroll({ factorType: 'phone', friendlyName: name, phone: number }),
    'phoneEnrolment',
  );
  return { factorId, challengeId: await sendPhoneCode(factorId) };
}

/** « 06 12 34 56 78 » as the whole world dials it. */
function internationalNumber(phone: string): string {
  const digits = phone.replaceAll(/[^\d+]/g, '');
  if (digits.startsWith('00')) return `+${digits.slice(2)}`;
  return digits.startsWith('0') ? `+33${digits.slice(1)}` : digits;
}

/** Forgets an application whose first code never came. */
export async function abandonTotp(factorId: string): Promise<void> {
  await authCall((auth) => auth.mfa.unenroll({ factorId }));
}

/** A code of the application: adds it for good the first time, then raises the session to its second level. */
export async function confirmTotp(factorId: string, code: string): Promise<void> {
  await authCall((auth) => auth.mfa.challengeAndVerify({ factorId, code }));
}

/** Sends a code to the telephone that is the second step; gives the question that the code answers. */
export async function sendPhoneCode(factorId: string): Promise<string> {
  const { id } = await authCall((auth) => auth.mfa.challenge({ factorId, channel: 'sms' }), 'phoneCodeRequest');
  return id;
}

/** The code of the message. */
export async function confirmPhone(factorId: string, challengeId: string, code: string): Promise<void> {
  await authCall((auth) => auth.mfa.verify({ factorId, challengeId, code }), 'phoneCode');
}

/** A touch of the key: the browser asks for it. */
export async function confirmSecurityKey(factorId: string): Promise<void> {
  await authCall((auth) => auth.mfa.webauthn.authenticate({ factorId }), 'securityKey');
}

/** Adds a security key as a second step: the browser asks for it. */
export async function addSecurityKey(name: string): Promise<void> {
  await authCall((auth) => auth.mfa.webauthn.register({ friendlyName: name }), 'securityKey');
}

/** Removes a second step; the session's level follows at once, and so does what the company asks of its admins. */
export async function removeSecondFactor(factorId: string): Promise<void> {
  await authCall((auth) => auth.mfa.unenroll({ factorId }));
  await authCall((auth) => auth.refreshSession());
  await refreshProfile();
}

function toSecondFactor(
  factor: Pick<Factor, 'id' | 'friendly_name' | 'created_at'> & { factor_type: string },
): SecondFactor {
  return {
    id: factor.id,
    kind: kinds[factor.factor_type] ?? 'totp',
    name: factor.friendly_name ?? '',
    createdAt: factor.created_at,
  };
}

const kinds: Readonly<Record<string, SecondFactor['kind']>> = {
  totp: 'totp',
  webauthn: 'webauthn',
  phone: 'phone',
  recovery_code: 'recovery-codes',
};
