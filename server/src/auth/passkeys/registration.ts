import { z } from 'zod';

import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';

import { factorsOf, lockPerson, refuseAnonymous } from '../factors/factor.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, ssoManaged } from '../protocol/errors.ts';
import type { Operation, SessionCall } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { requireAal } from '../sessions/aal.ts';
import { credentialExists, credentialsOf, insertCredential } from '../webauthn/credentials.ts';
import { creationOptions, registeredCredential } from '../webauthn/webauthn.ts';
import { consumeChallenge, insertChallenge, passkeyObject, passkeysOf, verificationFailed } from './passkey.ts';

const limit = { name: 'passkeys', capacity: 30, perSeconds: 300 };

/** POST /passkeys/registration/options: the options from which the browser creates a passkey. */
export const passkeyRegistrationOptions: Operation = {
  method: 'POST',
  url: '/passkeys/registration/options',
  access: 'session',
  limit,
  async handle(call) {
    const { account } = call.session;
    requireOwnWay(account);
    requireAal(call.session, 403);
    const body = await call.db.asService('auth: passkey registration', async (tx) => {
      await requireRoom(tx, call);
      const known = await credentialsOf(tx, account.id);
      const options = await creationOptions(
        call,
        account,
        (await readSender(tx, call.settings.siteUrl)).companyName,
        'passkey',
        known,
      );
      const challenge = await insertChallenge(tx, call, {
        kind: 'passkey_registration',
        userId: account.id,
        text: options.challenge,
      });
      return { ...challenge, options };
    });
    return { body };
  },
};

const answer = z.looseObject({ challenge_id: z.string().default(''), credential: z.unknown() });

/** POST /passkeys/registration/verify: the passkey becomes the account's. A mail tells its owner. */
export const passkeyRegistration: Operation = {
  method: 'POST',
  url: '/passkeys/registration/verify',
  bodyBytesMax: 65_536,
  access: 'session',
  limit,
  async handle(call) {
    const { account } = call.session;
    requireOwnWay(account);
    requireAal(call.session, 403);
    const given = parseBody(call.request, answer);
    const challenge = await consumeChallenge(call, {
      kind: 'passkey_registration',
      userId: account.id,
      id: given.challenge_id,
    });
    const credential = await registeredCredential(call, given.credential, challenge, 'passkey');
    if (credential === null) throw verificationFailed();
    const body = await call.db.asService('auth: passkey registration', async (tx) => {
      await requireRoom(tx, call);
      const stored = await insertCredential(tx, { userId: account.id, factorId: null }, credential);
      if (stored === null) throw credentialExists();
      await audit(tx, call.origin, 'passkey_added', account.id, { passkey: stored.id });
      await tellSecurityChange(tx, call, account, { kind: 'passkey_added' });
      return passkeyObject({ id: stored.id, friendly_name: '', created_at: stored.created_at, last_used_at: null });
    });
    return { body };
  },
};

/** No passkey for an anonymous person, whom it would outlive, nor for a person whom a company's sign-in service admits. */
function requireOwnWay(account: Account): void {
  refuseAnonymous(account);
  if (account.is_sso_user) throw ssoManaged('Accounts of a company’s own sign-in service have no passkeys');
}

/** Called with the person's row locked. */
async function requireRoom(tx: Transaction, { session, settings }: SessionCall): Promise<void> {
  await lockPerson(tx, session.account.id);
  requireAal(session, 403, await factorsOf(tx, session.account.id));
  if ((await passkeysOf(tx, session.account.id)).length >= settings.factorsMax) {
    throw new AuthError(422, 'too_many_passkeys', 'Maximum number of passkeys reached');
  }
}
