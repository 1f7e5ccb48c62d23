import { reauthenticationMail } from '../messages/mails.ts';
import { audit } from '../protocol/audit.ts';
import { notConfirmed, tooSoon, validationFailed } from '../protocol/errors.ts';
import type { Operation, SessionCall } from '../protocol/operation.ts';
import { requireMailToken } from '../protocol/send-limits.ts';
import { issueOneTimeToken, secondsCoolingDown, secondsWithoutCodes } from './one-time-token.ts';
import { sendCode } from './sms-code.ts';

/** GET /reauthenticate (AU-14): a code to the confirmed address or number, for a change that asks for fresh proof. */
export const reauthenticate: Operation = {
  method: 'GET',
  url: '/reauthenticate',
  access: 'session',
  limit: { name: 'reauthenticate', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { account } = call.session;
    const { email, phone } = account;
    if (email !== null && email !== '') {
      if (account.email_confirmed_at === null) throw notConfirmed(422, 'email');
      await byMail(call, email);
    } else if (phone !== null && phone !== '') {
      if (account.phone_confirmed_at === null) throw notConfirmed(422, 'phone');
      await sendCode(call, { userId: account.id, phone, kind: 'reauthentication' });
    } else {
      throw validationFailed('Reauthentication requires the user to have an email or a phone number');
    }
    return { body: {} };
  },
};

async function byMail(call: SessionCall, email: string): Promise<void> {
  const { account } = call.session;
  await call.db.asService('auth: reauthenticate', async (tx) => {
    const wait =
      (await secondsCoolingDown(tx, call, account.id, 'reauthentication')) ||
      (await secondsWithoutCodes(tx, account.id));
    if (wait > 0) throw tooSoon('email', wait);
    await requireMailToken(tx, call);
    const { code } = await issueOneTimeToken(tx, call, {
      userId: account.id,
      kind: 'reauthentication',
      sentTo: email,
      redirectTo: null,
    });
    await tx.query('update auth.users set reauthentication_sent_at = now() where id = $1', [account.id]);
    await audit(tx, call.origin, 'reauthentication_requested', account.id);
    await call.services.mail.enqueue(tx, await reauthenticationMail(tx, call, email, code ?? ''));
  });
}
