import type { Transaction } from '#platform/database';

import { credentialsOf } from '../credentials.ts';
import { AuthError } from '../errors.ts';
import { companyOf } from '../mails.ts';
import type { Operation, SessionCall } from '../operation.ts';
import { creationOptions, requestOptions } from '../webauthn.ts';
import { lockFactor, refuseAnonymous, requireFactorId } from './factor.ts';
import type { LockedFactor } from './factor.ts';

/** POST /factors/{id}/challenge (AU-17): a question to a factor, good for some minutes and for one answer. */
export const challengeFactor: Operation = {
  method: 'POST',
  url: '/factors/:factorId/challenge',
  access: 'session',
  limit: { name: 'factor-challenge', capacity: 30, perSeconds: 120 },
  async handle(call) {
    refuseAnonymous(call.session.account);
    const factorId = requireFactorId(call.request);
    return {
      body: await call.db.asService('auth: challenge factor', async (tx) => {
        const factor = await lockFactor(tx, call.session.account.id, factorId);
        return ask(tx, call, factor);
      }),
    };
  },
};

async function ask(tx: Transaction, call: SessionCall, factor: LockedFactor): Promise<Challenge> {
  switch (factor.factor_type) {
    case 'totp':
      return insertChallenge(tx, call, factor, {});
    case 'phone':
      throw new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone');
    case 'webauthn':
      return askAuthenticator(tx, call, factor);
  }
}

/** A new factor registers its authenticator; a verified one lets it sign. */
async function askAuthenticator(tx: Transaction, call: SessionCall, factor: LockedFactor): Promise<Challenge> {
  const { account } = call.session;
  const known = await credentialsOf(tx, account.id);
  const isNew = factor.status === 'unverified';
  const options = isNew
    ? await creationOptions(call, account, (await companyOf(tx, call)).name, 'factor', known)
    : await requestOptions(
        call,
        'factor',
        known.filter((credential) => credential.factor_id === factor.id),
      );
  const challenge = await insertChallenge(tx, call, factor, { webauthnChallenge: options.challenge });
  return {
    ...challenge,
    webauthn: { type: isNew ? 'create' : 'request', credential_options: { publicKey: options } },
  };
}

type Challenge = {
  readonly id: string;
  readonly type: string;
  readonly expires_at: number;
  readonly webauthn?: unknown;
};

async function insertChallenge(
  tx: Transaction,
  { settings, origin }: SessionCall,
  factor: LockedFactor,
  question: { readonly webauthnChallenge?: string; readonly codeHash?: Buffer },
): Promise<Challenge> {
  const { rows } = await tx.query<{ id: string; expires_at: number }>(
    `with told as (
       update auth.factors set last_challenged_at = now(), updated_at = now() where id = $1
     )
     insert into auth.challenges (kind, factor_id, webauthn_challenge, code_hash, ip, expires_at)
     values ('factor', $1, $2, $3, $4, now() + make_interval(secs => $5))
     returning id, floor(extract(epoch from expires_at))::int as expires_at`,
    [factor.id, question.webauthnChallenge ?? null, question.codeHash ?? null, origin.ip, settings.challengeSeconds],
  );
  const [challenge] = rows;
  if (challenge === undefined) throw new Error('The challenge is gone');
  return { id: challenge.id, type: factor.factor_type, expires_at: challenge.expires_at };
}
