import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';

import { sendSms } from '../messages/sms.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { tooSoon, validationFailed } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { issueOneTimeToken, secondsCoolingDown, secondsWithoutCodes } from './one-time-token.ts';
import type { TokenKind } from './one-time-token.ts';

export type SmsKind = Extract<TokenKind, 'confirmation' | 'recovery' | 'phone_change' | 'reauthentication'>;

const SENT_AT: Readonly<Record<SmsKind, string>> = {
  confirmation: 'confirmation_sent_at',
  recovery: 'recovery_sent_at',
  phone_change: 'phone_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
};

/**
 * Makes a code and sends it to a number. A failed sending leaves no code and starts no cooldown.
 * @throws AuthError over_sms_send_rate_limit, sms_send_failed
 */
export async function sendCode(
  scope: Scope,
  {
    userId,
    phone,
    kind,
    isWithheld = false,
  }: {
    readonly userId: string;
    readonly phone: string;
    readonly kind: SmsKind;
    /** For a barred person: nothing is sent, and the cooldown is the same as for everybody. */
    readonly isWithheld?: boolean;
  },
): Promise<void> {
  const { db, settings } = scope;
  const text = await db.asService('auth: code by text message', async (tx) => {
    const wait = (await secondsCoolingDown(tx, scope, userId, kind)) || (await secondsWithoutCodes(tx, userId));
    if (wait > 0) throw tooSoon('sms', wait);
    const { code } = await issueOneTimeToken(tx, scope, {
      userId,
      kind,
      sentTo: phone,
      redirectTo: null,
      codeSeconds: settings.smsCodeSeconds,
    });
    await tx.query(`update auth.users set ${SENT_AT[kind]} = now() where id = $1`, [userId]);
    await audit(tx, scope.origin, 'sign_in_code_requested', userId, { kind });
    return textOf(tx, scope, code ?? '');
  });
  if (isWithheld) return;
  try {
    await sendSms(scope, { to: phone, text });
  } catch (error) {
    await db.asService('auth: code by text message', (tx) =>
      tx.query(
        `with unsent as (update auth.users set ${SENT_AT[kind]} = null where id = $1)
         delete from auth.one_time_tokens where user_id = $1 and kind = $2`,
        [userId, kind],
      ),
    );
    throw error;
  }
}

async function textOf(tx: Transaction, scope: Scope, code: string): Promise<string> {
  const { companyName: name } = await readSender(tx, scope.settings.siteUrl);
  const minutes = Math.round(scope.settings.smsCodeSeconds / 60);
  return `${name} : votre code est ${code}. Il est valable ${minutes} minutes. Ne le donnez à personne.`;
}

/** A registration that was never confirmed may be a stranger's: its password goes when the number's owner signs in. */
export function kindOfWayIn({
  phone_confirmed_at: confirmedAt,
  encrypted_password: password,
}: Pick<Account, 'phone_confirmed_at' | 'encrypted_password'>): SmsKind {
  return confirmedAt === null && password !== null ? 'recovery' : 'confirmation';
}

/** Text messages are the only channel there is. @throws AuthError validation_failed */
export function requireChannel(channel: string): void {
  if (!['', 'sms', 'whatsapp'].includes(channel))
    throw validationFailed('Invalid channel, supported values are sms or whatsapp');
}
