import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { bearerOf } from '#platform/identity';

import { AuthError } from './errors.ts';
import type { Scope } from './operation.ts';

const TIMEOUT_MS = 10_000;

const body = z.object({
  gotrue_meta_security: z.object({ captcha_token: z.string().min(1).max(10_000) }),
});
const verdict = z.object({ success: z.boolean() });

/**
 * Requires the token of a passed captcha, where one is configured. Servers that hold the secret key need none.
 * @throws AuthError captcha_failed
 */
export async function requireCaptcha(
  { services, settings, origin }: Scope,
  request: Pick<FastifyRequest, 'headers'> & { readonly body?: unknown },
): Promise<void> {
  const { captcha } = settings;
  if (captcha === null) return;
  const bearer = bearerOf(request.headers.authorization);
  if (bearer !== null && services.keys.resolve(bearer) === 'secret' && request.headers.origin === undefined) return;
  const given = body.safeParse(request.body);
  if (!given.success) throw refused('no captcha_token found');
  const form = new URLSearchParams({
    secret: captcha.secret,
    response: given.data.gotrue_meta_security.captcha_token,
    remoteip: origin.ip,
  });
  let isPassed: boolean;
  try {
    const response = await fetch(captcha.url, {
      method: 'POST',
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    isPassed = verdict.parse(await response.json()).success;
  } catch (error) {
    services.log.warn({ err: error }, 'The captcha service does not answer');
    // Fail closed: a stranger could take the captcha service down to get in. The client retries by itself.
    throw new AuthError(503, 'unexpected_failure', 'captcha verification process failed', { retryAfterSeconds: 5 });
  }
  if (!isPassed) throw refused('invalid captcha_token');
}

function refused(why: string): AuthError {
  return new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${why})`);
}
