import type { SupabaseClient } from '@supabase/supabase-js';
import { TOTP } from 'otpauth';

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

/** Gives the second factor with the code of an instant. A code is good once: who needs several takes other instants. */
export async function passTotp(client: SupabaseClient, application: Application, at = Date.now()): Promise<void> {
  const { error } = await client.auth.mfa.challengeAndVerify({
    factorId: application.factorId,
    code: application.code(at),
  });
  if (error !== null) throw error;
}
