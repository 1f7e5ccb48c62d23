import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { requirePhone } from '../accounts/phone.ts';
import type { FactorType } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { Operation, Scope, SessionCall } from '../protocol/operation.ts';
import { friendlyName, parseBody } from '../protocol/request.ts';
import { requireAal } from '../sessions/aal.ts';
import { factorsOf, lockPerson, refuseAnonymous } from './factor.ts';
import { refuseSecondPhone, replaceUnfinished, requirePhoneOn } from './phone-factor.ts';
import { newTotpSecret } from './totp.ts';

const ISSUER_LENGTH_MAX = 100;

const body = z.looseObject({
  factor_type: z.string().default(''),
  friendly_name: friendlyName.default(''),
  issuer: z.string().max(ISSUER_LENGTH_MAX).default(''),
  phone: z.string().default(''),
});
type Enrolment = z.output<typeof body>;

/** POST /factors (AU-17): a new second factor, which counts from its first right answer on. */
export const enrolFactor: Operation = {
  method: 'POST',
  url: '/factors',
  access: 'session',
  limit: { name: 'factors', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const given = parseBody(call.request, body);
    refuseAnonymous(call.session.account);
    const id = randomUUID();
    const made = newFactor(call, id, given);
    requireAal(call.session, 403);
    await call.db.asService('auth: enrol factor', async (tx) => {
      await requireRoom(tx, call, given, made);
      await tx.query(
        `insert into auth.factors (id, user_id, factor_type, friendly_name, secret_sealed, phone)
         values ($1, $2, $3, $4, $5, $6)`,
        [id, call.session.account.id, made.type, given.friendly_name, made.secretSealed, made.phone],
      );
      await audit(tx, call.origin, 'factor_enrolled', call.session.account.id, { factor: id, type: made.type });
    });
    return { body: { id, type: made.type, friendly_name: given.friendly_name, ...made.shown } };
  },
};

type NewFactor = {
  readonly type: FactorType;
  readonly secretSealed: Buffer | null;
  readonly phone: string | null;
  /** Shown by this answer alone. */
  readonly shown: Readonly<Record<string, unknown>>;
};

function newFactor(call: SessionCall, id: string, given: Enrolment): NewFactor {
  switch (given.factor_type) {
    case 'totp': {
      const { account } = call.session;
      const secret = newTotpSecret(call, id, {
        issuer: given.issuer === '' ? new URL(call.settings.siteUrl).host : given.issuer,
        account: account.email ?? account.phone ?? account.id,
      });
      return {
        type: 'totp',
        secretSealed: secret.sealed,
        phone: null,
        shown: { totp: { qr_code: secret.qrCode, secret: secret.base32, uri: secret.uri } },
      };
    }
    case 'phone': {
      requirePhoneOn(call, 'enroll');
      const phone = requirePhone(given.phone);
      return { type: 'phone', secretSealed: null, phone, shown: { phone } };
    }
    case 'webauthn':
      return { type: 'webauthn', secretSealed: null, phone: null, shown: {} };
    default:
      throw validationFailed('factor_type needs to be totp, phone, or webauthn');
  }
}

/** Race: with the person's row locked, the second of two simultaneous enrolments sees the first. */
async function requireRoom(tx: Transaction, call: SessionCall, given: Enrolment, { phone }: NewFactor): Promise<void> {
  const { session, settings } = call;
  await lockPerson(tx, session.account.id);
  await forgetAbandoned(tx, call, session.account.id);
  if (phone !== null) await replaceUnfinished(tx, session.account.id, phone);
  const factors = await factorsOf(tx, session.account.id);
  requireAal(session, 403, factors);
  if (phone !== null) refuseSecondPhone(factors);
  if (factors.length >= settings.factorsMax) {
    throw new AuthError(422, 'too_many_enrolled_mfa_factors', 'Maximum number of enrolled factors reached');
  }
  if (factors.some((factor) => factor.friendly_name === given.friendly_name)) {
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${given.friendly_name}" for this user already exists`,
    );
  }
}

/** An abandoned enrolment gives up its name and its place after some minutes. */
async function forgetAbandoned(tx: Transaction, { settings }: Scope, userId: string): Promise<void> {
  await tx.query(
    `delete from auth.factors f where f.user_id = $1 and f.status = 'unverified'
       and f.created_at < now() - make_interval(secs => $2)
       and not exists (select from auth.challenges c where c.factor_id = f.id and c.expires_at > now())`,
    [userId, settings.challengeSeconds],
  );
}
