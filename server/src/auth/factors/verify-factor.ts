import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, sessionNotFound, validationFailed } from '../protocol/errors.ts';
import type { Operation, SessionCall } from '../protocol/operation.ts';
import { isUuid, parseBody } from '../protocol/request.ts';
import { requireAal } from '../sessions/aal.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { raiseSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';
import { credentialExists, insertCredential, lockCredential, noteUse } from '../webauthn/credentials.ts';
import { claimedCredential, registeredCredential, signCountOf } from '../webauthn/webauthn.ts';
import { factorsOf, lockFactor, METHODS, notAsked, refuseAnonymous, requireFactorId } from './factor.ts';
import type { LockedFactor } from './factor.ts';
import { isPhoneCode, requirePhoneOn } from './phone-factor.ts';
import { stepOfCode } from './totp.ts';

const body = z.looseObject({
  challenge_id: z.string().default(''),
  code: z.string().max(64).default(''),
  webauthn: z.looseObject({ type: z.string().default(''), credential_response: z.unknown() }).optional(),
});
type Given = z.output<typeof body>;

/**
 * POST /factors/{id}/verify (AU-17): the right answer makes the factor count and the session one of the second level, in
 * one transaction with all that follows from it.
 */
export const verifyFactor: Operation = {
  method: 'POST',
  url: '/factors/:factorId/verify',
  bodyBytesMax: 65_536,
  access: 'session',
  limit: { name: 'factor-verify', capacity: 30, perSeconds: 120 },
  async handle(call) {
    refuseAnonymous(call.session.account);
    const factorId = requireFactorId(call.request);
    const given = parseBody(call.request, body);
    const outcome = await call.db.asService('auth: verify factor', (tx) => verify(tx, call, factorId, given));
    if (outcome instanceof AuthError) throw outcome;
    return { body: await sessionObject(call, outcome) };
  },
};

/** A refusal is returned, not thrown, so that the count of wrong answers is committed. */
async function verify(
  tx: Transaction,
  call: SessionCall,
  factorId: string,
  given: Given,
): Promise<OpenSession | AuthError> {
  const { session } = call;
  const { account } = session;
  const factor = await lockFactor(tx, account.id, factorId);
  // A factor enrolled before the account was protected may be a stranger's: it counts only with the factor that protects
  // the account now.
  if (factor.status === 'unverified') requireAal(session, 403, await factorsOf(tx, account.id));
  const challenge = await challengeOf(tx, factor, given.challenge_id);
  if (challenge instanceof AuthError) return challenge;
  if (factor.wait > 0) {
    return new AuthError(429, 'over_request_rate_limit', 'Too many wrong codes: this factor has to wait', {
      retryAfterSeconds: Math.ceil(factor.wait),
    });
  }

  const answer = await answerOf(tx, call, factor, challenge, given);
  if (answer instanceof AuthError) return answer;
  if (answer === null) {
    await tx.query('update auth.factors set failures = failures + 1, failed_at = clock_timestamp() where id = $1', [
      factor.id,
    ]);
    await audit(tx, call.origin, 'factor_refused', account.id, { factor: factor.id });
    return new AuthError(422, 'mfa_verification_failed', REFUSALS[factor.factor_type]);
  }
  return accept(tx, call, factor, challenge, answer.step);
}

/** Marks a right answer and raises the session. `step` is the time step of a code, null for other factors. */
async function accept(
  tx: Transaction,
  call: SessionCall,
  factor: LockedFactor,
  challenge: Challenge,
  step: number | null,
): Promise<OpenSession> {
  const { session, origin } = call;
  const { account } = session;
  const isNew = factor.status === 'unverified';
  await tx.query(
    `with answered as (
       update auth.challenges set answered_at = now() where id = $2
     ), others as (
       delete from auth.factors where user_id = $3 and factor_type = $4 and status = 'unverified' and id <> $1
     )
     update auth.factors set status = 'verified', failures = 0, failed_at = null, last_step = coalesce($5, last_step),
       updated_at = now() where id = $1`,
    [factor.id, challenge.id, account.id, factor.factor_type, step],
  );
  const raised = await raiseSession(
    tx,
    call,
    { id: session.id, userId: account.id },
    { id: factor.id, method: METHODS[factor.factor_type] },
  );
  if (raised === null) throw sessionNotFound();
  // Phones change networks in the middle of a sign-in: another address is noted, not refused.
  await audit(tx, origin, isNew ? 'factor_verified' : 'factor_used', account.id, {
    factor: factor.id,
    session: session.id,
    same_address: challenge.ip === origin.ip,
  });
  if (isNew) await tellSecurityChange(tx, call, account, { kind: 'factor_added', type: factor.factor_type });
  return raised;
}

const REFUSALS: Readonly<Record<LockedFactor['factor_type'], string>> = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'Invalid WebAuthn response',
  recovery_code: 'Invalid recovery code',
};

type Challenge = {
  readonly id: string;
  readonly ip: string | null;
  readonly webauthn_challenge: string | null;
  readonly code_hash: Buffer | null;
};

async function challengeOf(tx: Transaction, factor: LockedFactor, id: string): Promise<Challenge | AuthError> {
  if (!isUuid(id)) return validationFailed('challenge_id must be an UUID');
  const { rows } = await tx.query<Challenge & { is_over: boolean; is_answered: boolean }>(
    `select id, ip, webauthn_challenge, code_hash, expires_at <= now() as is_over, answered_at is not null as is_answered
     from auth.challenges where id = $1 and factor_id = $2 for update`,
    [id, factor.id],
  );
  const [challenge] = rows;
  if (challenge === undefined) {
    return new AuthError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found');
  }
  if (challenge.is_answered) {
    return new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge has already been answered');
  }
  if (challenge.is_over) {
    return new AuthError(422, 'mfa_challenge_expired', 'MFA challenge has expired, verify against another challenge');
  }
  return challenge;
}

/** The time step of a right code, thirty seconds long. */
type RightCode = { readonly step: number | null };

/** Null for a wrong answer, which is counted. */
async function answerOf(
  tx: Transaction,
  call: SessionCall,
  factor: LockedFactor,
  challenge: Challenge,
  given: Given,
): Promise<RightCode | AuthError | null> {
  switch (factor.factor_type) {
    case 'totp': {
      const code = requireCode(given);
      if (factor.secret_sealed === null) throw new Error('An authenticator application has no secret');
      const step = /^\d{6}$/u.test(code) ? stepOfCode(call, factor.id, factor.secret_sealed, code) : null;
      // Replay: neither a used code nor an older one is good again.
      return step === null || (factor.last_step !== null && step <= factor.last_step) ? null : { step };
    }
    case 'phone': {
      requirePhoneOn(call, 'verify');
      const code = requireCode(given);
      const { code_hash: hash } = challenge;
      return hash !== null && isPhoneCode(call, factor.id, hash, code) ? { step: null } : null;
    }
    case 'recovery_code':
      return notAsked();
    case 'webauthn':
      return authenticatorAnswer(tx, call, factor, challenge, given);
  }
}

function requireCode(given: Given): string {
  const code = given.code.replaceAll(/\s/gu, '');
  if (code === '') throw validationFailed('Code needs to be non-empty');
  return code;
}

async function authenticatorAnswer(
  tx: Transaction,
  call: SessionCall,
  factor: LockedFactor,
  { webauthn_challenge: question }: Challenge,
  { webauthn }: Given,
): Promise<RightCode | AuthError | null> {
  const type = factor.status === 'unverified' ? 'create' : 'request';
  if (webauthn?.type !== type) return validationFailed(`webauthn.type must be ${type} for this factor`);
  if (question === null) return null;
  const { credential_response: response } = webauthn;
  if (type === 'create') {
    const credential = await registeredCredential(call, response, question, 'factor');
    if (credential === null) return null;
    const stored = await insertCredential(tx, { userId: call.session.account.id, factorId: factor.id }, credential);
    return stored === null ? credentialExists() : { step: null };
  }
  const claimed = claimedCredential(response);
  const credential = claimed === null ? null : await lockCredential(tx, claimed.id);
  if (credential === null || credential.factor_id !== factor.id) return null;
  const use = await signCountOf(call, response, question, 'factor', credential);
  if (use === null) return null;
  await noteUse(tx, credential.id, use);
  return { step: null };
}
