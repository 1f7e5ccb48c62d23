import { setTimeout } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { TOTP } from 'otpauth';

/** Validity of a code, in milliseconds. */
const PERIOD_MS = 30_000;

/** An authenticator application that somebody enrolled: it gives the code of an instant. */
export type Application = {
  readonly factorId: string;
  readonly secret: string;
  readonly code: (at?: number) => string;
};

/** Enrols an authenticator application; it counts from its first right code on. */
export async function enrolTotp(client: SupabaseClient, friendlyName = 'Application'): Promise<Application> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
  if (error !== null) throw error;
  return applicationOf(data.id, data.totp.secret);
}

export function applicationOf(factorId: string, secret: string): Application {
  const totp = new TOTP({ secret });
  return { factorId, secret, code: (at = Date.now()) => totp.generate({ timestamp: at }) };
}

/**
 * Gives the second factor with the code of the present thirty seconds, of those before (`step` -1) or after (1). A code is good
 * once: who needs several takes other steps. Near the end of a period it waits for the next one, because a code of the step
 * before would be two steps old, and refused, when it arrives.
 */
export async function passTotp(client: SupabaseClient, application: Application, step: -1 | 0 | 1 = 0): Promise<void> {
  const { factorId } = application;
  const challenge = await client.auth.mfa.challenge({ factorId });
  if (challenge.error !== null) throw challenge.error;
  const left = PERIOD_MS - (Date.now() % PERIOD_MS);
  // A timer may fire a little before its time.
  if (step === -1 && left < 10_000) await setTimeout(left + 50);
  const { error } = await client.auth.mfa.verify({
    factorId,
    challengeId: challenge.data.id,
    code: application.code(Date.now() + step * PERIOD_MS),
  });
  if (error !== null) throw error;
}
