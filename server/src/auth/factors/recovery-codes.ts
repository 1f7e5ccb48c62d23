import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, factorNameTaken, sessionNotFound } from '../protocol/errors.ts';
import type { Operation, Scope, SessionCall } from '../protocol/operation.ts';
import { friendlyName, parseBody } from '../protocol/request.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { raiseSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';
import { factorNotFound, factorsOf, lockFactor, lockPerson } from './factor.ts';

/**
 * Codes on paper for a person who lost their other factor (AU-17): ten, each good once. A trigger holds that they never
 * stand alone: without another verified factor there are none.
 */
const COUNT = 10;
const LENGTH = 16;
/** No characters that look alike when copied by hand. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const DEFAULT_NAME = 'Recovery codes';
const URL = '/factors/recovery-codes';

const limit = { name: 'factors', capacity: 30, perSeconds: 300 };

/** GET /factors/recovery-codes: how many are left, at any level. */
export const recoveryCodesStatus: Operation = {
  method: 'GET',
  url: URL,
  access: 'session',
  async handle({ db, session }) {
    const { rows } = await db.queryAsService<{ id: string; total: number; remaining: number }>(
      'auth: recovery codes',
      {
        text: `select f.id, count(*)::int as total, count(*) filter (where c.used_at is null)::int as remaining
          from auth.factors f join auth.recovery_codes c on c.factor_id = f.id
          where f.user_id = $1 and f.factor_type = 'recovery_code' group by f.id`,
        values: [session.account.id],
      },
      { readOnly: true },
    );
    const [status] = rows;
    if (status === undefined) throw factorNotFound();
    return { body: { id: status.id, type: 'recovery_code', total: status.total, remaining: status.remaining } };
  },
};

const naming = z.looseObject({ friendly_name: friendlyName.default('') });

/** POST /factors/recovery-codes: the codes, shown this once. */
export const makeRecoveryCodes: Operation = {
  method: 'POST',
  url: URL,
  access: 'session',
  limit,
  async handle(call) {
    const { friendly_name: given } = parseBody(call.request, naming);
    const name = given === '' ? DEFAULT_NAME : given;
    const { account } = call.session;
    const body = await call.db.asService('auth: make recovery codes', async (tx) => {
      await lockPerson(tx, account.id);
      const factors = await factorsOf(tx, account.id);
      if (!factors.some(({ status }) => status === 'verified')) {
        throw new AuthError(422, 'mfa_recovery_codes_sole_factor', 'Recovery codes cannot be the only factor');
      }
      requireSecondLevel(call);
      if (factors.some((factor) => factor.factor_type === 'recovery_code')) {
        throw new AuthError(422, 'mfa_verified_factor_exists', 'Recovery codes already exist: regenerate them');
      }
      if (factors.some((factor) => factor.friendly_name === name)) {
        throw factorNameTaken();
      }
      const id = randomUUID();
      await tx.query(
        `insert into auth.factors (id, user_id, factor_type, status, friendly_name)
         values ($1, $2, 'recovery_code', 'verified', $3)`,
        [id, account.id, name],
      );
      return fill(tx, call, { id, name });
    });
    return { body };
  },
};

/** POST /factors/recovery-codes/regenerate: new ones in place of all the others. */
export const remakeRecoveryCodes: Operation = {
  method: 'POST',
  url: `${URL}/regenerate`,
  access: 'session',
  limit,
  async handle(call) {
    const body = await call.db.asService('auth: make recovery codes', async (tx) => {
      const factor = await requireCodes(tx, call.session.account.id);
      requireSecondLevel(call);
      await tx.query('delete from auth.recovery_codes where factor_id = $1', [factor.id]);
      await tx.query('update auth.factors set failures = 0, failed_at = null, updated_at = now() where id = $1', [
        factor.id,
      ]);
      return fill(tx, call, factor);
    });
    return { body };
  },
};

/** DELETE /factors/recovery-codes. */
export const removeRecoveryCodes: Operation = {
  method: 'DELETE',
  url: URL,
  access: 'session',
  limit,
  async handle(call) {
    const { account } = call.session;
    const body = await call.db.asService('auth: remove recovery codes', async (tx) => {
      const { id } = await requireCodes(tx, account.id);
      requireSecondLevel(call);
      await tx.query('delete from auth.factors where id = $1', [id]);
      await audit(tx, call.origin, 'recovery_codes_removed', account.id, { factor: id });
      await tellSecurityChange(tx, call, account, { kind: 'recovery_codes_removed' });
      return { id };
    });
    return { body };
  },
};

const answer = z.looseObject({ code: z.string().max(100).default('') });

/** POST /factors/recovery-codes/verify: one code, used up, raises the session. A mail tells its owner. */
export const useRecoveryCode: Operation = {
  method: 'POST',
  url: `${URL}/verify`,
  access: 'session',
  limit: { name: 'factor-verify', capacity: 30, perSeconds: 120 },
  async handle(call) {
    const code = parseBody(call.request, answer).code.replaceAll(/[\s-]/gu, '').toLowerCase();
    const outcome = await call.db.asService('auth: use recovery code', (tx) => use(tx, call, code));
    if (outcome instanceof AuthError) throw outcome;
    return { body: await sessionObject(call, outcome) };
  },
};

/** A refusal is returned, not thrown, so that the count of wrong codes is committed. */
async function use(tx: Transaction, call: SessionCall, code: string): Promise<OpenSession | AuthError> {
  const { session, origin } = call;
  const { account } = session;
  await lockPerson(tx, account.id);
  const known = (await factorsOf(tx, account.id)).find((factor) => factor.factor_type === 'recovery_code');
  if (known === undefined) return wrongCode();
  const factor = await lockFactor(tx, account.id, known.id);
  if (factor.wait > 0) {
    return new AuthError(429, 'mfa_recovery_codes_locked', 'Too many wrong codes: recovery codes have to wait', {
      retryAfterSeconds: Math.ceil(factor.wait),
    });
  }
  const { rowCount } = await tx.query(
    'update auth.recovery_codes set used_at = now() where factor_id = $1 and code_hash = $2 and used_at is null',
    [factor.id, hashOf(call, factor.id, code)],
  );
  if (rowCount !== 1) {
    await tx.query('update auth.factors set failures = failures + 1, failed_at = clock_timestamp() where id = $1', [
      factor.id,
    ]);
    await audit(tx, origin, 'recovery_code_refused', account.id, { factor: factor.id });
    return wrongCode();
  }
  const { rows } = await tx.query<{ remaining: number }>(
    `with cleared as (
       update auth.factors set failures = 0, failed_at = null, last_challenged_at = now(), updated_at = now() where id = $1
     )
     select count(*)::int as remaining from auth.recovery_codes where factor_id = $1 and used_at is null`,
    [factor.id],
  );
  const remaining = rows[0]?.remaining ?? 0;
  const raised = await raiseSession(
    tx,
    call,
    { id: session.id, userId: account.id },
    { id: factor.id, method: 'mfa/recovery_code' },
  );
  if (raised === null) throw sessionNotFound();
  await audit(tx, origin, 'recovery_code_used', account.id, { factor: factor.id, session: session.id, remaining });
  await tellSecurityChange(tx, call, account, { kind: 'recovery_code_used', remaining });
  return raised;
}

/** New codes of a factor, as their owner reads them once. */
async function fill(
  tx: Transaction,
  call: SessionCall,
  factor: { readonly id: string; readonly name: string },
): Promise<Readonly<Record<string, unknown>>> {
  const { account } = call.session;
  const codes = Array.from({ length: COUNT }, newCode);
  await tx.query('insert into auth.recovery_codes (factor_id, code_hash) select $1, unnest($2::bytea[])', [
    factor.id,
    codes.map((code) => hashOf(call, factor.id, code)),
  ]);
  await audit(tx, call.origin, 'recovery_codes_made', account.id, { factor: factor.id });
  await tellSecurityChange(tx, call, account, { kind: 'recovery_codes_made' });
  return { id: factor.id, type: 'recovery_code', friendly_name: factor.name, total: codes.length, codes };
}

/** @throws AuthError mfa_factor_not_found */
async function requireCodes(tx: Transaction, userId: string): Promise<{ readonly id: string; readonly name: string }> {
  await lockPerson(tx, userId);
  const factor = (await factorsOf(tx, userId)).find(({ factor_type: type }) => type === 'recovery_code');
  if (factor === undefined) throw factorNotFound();
  return { id: factor.id, name: factor.friendly_name };
}

function requireSecondLevel({ session }: SessionCall): void {
  if (session.aal === 'aal2') return;
  throw new AuthError(403, 'insufficient_aal', 'AAL2 session is required for this operation');
}

function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Nearly eighty random bits need no slow hash; the key keeps a stolen table worthless. */
function hashOf({ services }: Scope, factorId: string, code: string): Buffer {
  return createHmac('sha256', services.secrets.derive('recovery-code')).update(`${factorId}:${code}`).digest();
}

function wrongCode(): AuthError {
  return new AuthError(422, 'mfa_verification_failed', 'Invalid recovery code');
}
