import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';

import { sendSms } from '../messages/sms.ts';
import type { TextMessage } from '../messages/sms.ts';
import type { Operation, SessionCall } from '../protocol/operation.ts';
import { credentialsOf } from '../webauthn/credentials.ts';
import { creationOptions, requestOptions } from '../webauthn/webauthn.ts';
import { lockFactor, notAsked, refuseAnonymous, requireFactorId } from './factor.ts';
import type { LockedFactor } from './factor.ts';
import { newPhoneCode, requirePhoneOn } from './phone-factor.ts';

/** POST /factors/{id}/challenge (AU-17): a question to a factor, good for some minutes and for one answer. */
export const challengeFactor: Operation = {
  method: 'POST',
  url: '/factors/:factorId/challenge',
  access: 'session',
  limit: { name: 'factor-challenge', capacity: 30, perSeconds: 120 },
  async handle(call) {
    refuseAnonymous(call.session.account);
    const factorId = requireFactorId(call.request);
    const { challenge, sms } = await call.db.asService('auth: challenge factor', async (tx) => {
      const factor = await lockFactor(tx, call.session.account.id, factorId);
      return ask(tx, call, factor);
    });
    // After the commit: no row is locked while the provider answers.
    if (sms !== undefined) await sendOrForget(call, challenge, sms);
    return { body: challenge };
  },
};

async function ask(
  tx: Transaction,
  call: SessionCall,
  factor: LockedFactor,
): Promise<{ readonly challenge: Challenge; readonly sms?: TextMessage }> {
  switch (factor.factor_type) {
    case 'totp':
      return { challenge: await insertChallenge(tx, call, factor, {}) };
    case 'phone': {
      requirePhoneOn(call, 'verify');
      const { codeHash, sms } = await newPhoneCode(tx, call, factor);
      return { challenge: await insertChallenge(tx, call, factor, { codeHash }), sms };
    }
    case 'recovery_code':
      throw notAsked();
    case 'webauthn':
      return { challenge: await askAuthenticator(tx, call, factor) };
  }
}

/** A code that could not be sent leaves no question behind, and the next may be asked for at once. */
async function sendOrForget(call: SessionCall, challenge: Challenge, sms: TextMessage): Promise<void> {
  try {
    await sendSms(call, sms);
  } catch (error) {
    await call.db.asService('auth: challenge factor', async (tx) => {
      await tx.query(
        `with forgotten as (delete from auth.challenges where id = $1 returning factor_id)
         update auth.factors set last_challenged_at = null where id in (select factor_id from forgotten)`,
        [challenge.id],
      );
    });
    throw error;
  }
}

/** A new factor registers its authenticator; a verified one lets it sign. */
async function askAuthenticator(tx: Transaction, call: SessionCall, factor: LockedFactor): Promise<Challenge> {
  const { account } = call.session;
  const known = await credentialsOf(tx, account.id);
  const isNew = factor.status === 'unverified';
  const options = isNew
    ? await creationOptions(call, account, (await readSender(tx, call.settings.siteUrl)).companyName, 'factor', known)
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
