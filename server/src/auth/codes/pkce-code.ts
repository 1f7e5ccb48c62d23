import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { isUuid } from '../protocol/request.ts';
import type { SignInMethod } from '../sessions/session.ts';

/** The time that a code waits for its exchange. */
const CODE_SECONDS = 300;
const PURPOSE = 'provider-tokens';

/** The fields of a body by which a client asks for a code in place of a session (PKCE). */
export const challengeFields = {
  code_challenge: z.string().default(''),
  code_challenge_method: z.string().default(''),
};

/**
 * The challenge that a client sent; null where it sent none. Only SHA-256: a plain one proves nothing to a reader of the
 * address bar.
 * @throws AuthError validation_failed
 */
export function challengeOf(given: {
  readonly code_challenge: string;
  readonly code_challenge_method: string;
}): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = given;
  if (challenge === '' && method === '') return null;
  if (challenge === '' || method === '') {
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge');
  }
  if (method.toLowerCase() !== 's256') throw validationFailed('code_challenge_method must be s256');
  if (!/^[\w.~-]{43,128}$/u.test(challenge))
    throw validationFailed('code challenge has to be between 43 and 128 characters');
  return challenge;
}

export type ProviderTokens = { readonly accessToken: string; readonly refreshToken?: string };

/** A proven identity that waits for its exchange. */
export type Flow = {
  readonly userId: string;
  readonly method: SignInMethod;
  readonly provider: string | null;
  readonly providerTokens: ProviderTokens | null;
  readonly notAfter: Date | null;
};

/** Makes the code that the client exchanges for its session, with the verifier of its challenge (AU-04). */
export async function issueAuthCode(
  tx: Transaction,
  { services }: Scope,
  flow: {
    readonly userId: string;
    readonly challenge: string;
    readonly method: SignInMethod;
    readonly provider?: string;
    readonly providerTokens?: ProviderTokens;
    readonly notAfter?: Date;
  },
): Promise<string> {
  const id = randomUUID();
  const code = randomUUID();
  const sealed =
    flow.providerTokens === undefined ? null : services.secrets.seal(PURPOSE, JSON.stringify(flow.providerTokens), id);
  await tx.query(
    `insert into auth.flow_states (id, user_id, code_hash, code_challenge, method, provider, provider_tokens_sealed,
       session_not_after, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
    [
      id,
      flow.userId,
      hashOf(code),
      flow.challenge,
      flow.method,
      flow.provider ?? null,
      sealed,
      flow.notAfter ?? null,
      CODE_SECONDS,
    ],
  );
  return code;
}

/**
 * Uses a code up: of twenty simultaneous exchanges, one gets the session. A refusal is returned, not thrown, so that the
 * end of an expired code is committed.
 */
export async function exchangeAuthCode(
  tx: Transaction,
  { services }: Scope,
  code: string,
  verifier: string,
): Promise<Flow | AuthError> {
  const { rows } = await tx.query<FlowRow>(
    `select id, user_id, code_challenge, method, provider, provider_tokens_sealed, session_not_after, expires_at <= now() as is_over
     from auth.flow_states where code_hash = $1 for update`,
    [hashOf(isUuid(code) ? code.toLowerCase() : code)],
  );
  const [row] = rows;
  if (row === undefined) {
    return new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
  }
  const given = createHash('sha256').update(verifier).digest('base64url');
  const isRight =
    given.length === row.code_challenge.length && timingSafeEqual(Buffer.from(given), Buffer.from(row.code_challenge));
  if (!row.is_over && !isRight) {
    return new AuthError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier');
  }
  await tx.query('delete from auth.flow_states where id = $1', [row.id]);
  if (row.is_over) return new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired');
  return {
    userId: row.user_id,
    method: row.method,
    provider: row.provider,
    providerTokens:
      row.provider_tokens_sealed === null
        ? null
        : providerTokens.parse(
            JSON.parse(services.secrets.open(PURPOSE, row.provider_tokens_sealed, row.id).toString()),
          ),
    notAfter: row.session_not_after,
  };
}

type FlowRow = {
  readonly id: string;
  readonly user_id: string;
  readonly code_challenge: string;
  readonly method: SignInMethod;
  readonly provider: string | null;
  readonly provider_tokens_sealed: Buffer | null;
  readonly session_not_after: Date | null;
  readonly is_over: boolean;
};

const providerTokens = z.object({ accessToken: z.string(), refreshToken: z.string().exactOptional() });

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
