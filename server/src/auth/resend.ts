import { z } from 'zod';

import { accountByEmail } from './account.ts';
import { requestEmailChange } from './change-address.ts';
import { AuthError, validationFailed } from './errors.ts';
import { challengeFields, challengeOf } from './flow-state.ts';
import { requestMail } from './mail-requests.ts';
import { parseBody, queryValue } from './operation.ts';
import type { Call, Operation } from './operation.ts';
import { accountByPhone, requirePhone } from './phone.ts';
import { redirectTarget } from './redirect.ts';
import { requireEmail } from './sign-up.ts';
import { sendCode } from './sms-code.ts';

const body = z.looseObject({
  type: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
  ...challengeFields,
});

/** POST /resend (AU-10): the message once more, to whoever still waits for it; the same answer for everybody. */
export const resend: Operation = {
  method: 'POST',
  url: '/resend',
  access: 'public',
  limit: { name: 'resend', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const given = parseBody(call.request, body);
    const { type, email, phone } = given;
    const challenge = challengeOf(given);
    switch (type) {
      case 'signup':
      case 'email_change': {
        if (phone !== '' || email === '') throw validationFailed(`Type provided requires an email address`);
        const address = requireEmail(email);
        const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
        if (type === 'signup') await requestMail(call, { kind: 'confirmation', email: address, redirectTo, challenge });
        else await quietly(() => emailChangeAgain(call, address, { redirectTo, challenge }));
        return { body: {} };
      }
      case 'sms':
      case 'phone_change':
        if (email !== '' || phone === '') throw validationFailed('Type provided requires a phone number');
        await quietly(() => codeAgain(call, type, requirePhone(phone)));
        return { body: {} };
      default:
        throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change');
    }
  },
};

/** To both addresses of a change that is waited for, by the current one. */
async function emailChangeAgain(
  call: Call,
  email: string,
  way: { readonly redirectTo: string; readonly challenge: string | null },
): Promise<void> {
  await call.db.asService('auth: resend', async (tx) => {
    const account = await accountByEmail(tx, email);
    if (account === null || account.new_email === null || account.is_barred) return;
    await requestEmailChange(tx, call, account, { email: account.new_email, ...way });
  });
}

async function codeAgain(call: Call, type: 'sms' | 'phone_change', phone: string): Promise<void> {
  if (call.settings.smsUrl === null) return;
  const userId = await call.db.asService(
    'auth: resend',
    async (tx) => {
      if (type === 'phone_change') {
        const { rows } = await tx.query<{ id: string }>('select id from auth.users where new_phone = $1', [phone]);
        return rows.length === 1 ? (rows[0]?.id ?? null) : null;
      }
      const account = await accountByPhone(tx, phone);
      return account === null || account.phone_confirmed_at !== null || account.is_barred ? null : account.id;
    },
    { readOnly: true },
  );
  if (userId !== null) await sendCode(call, { userId, phone, kind: type === 'sms' ? 'confirmation' : 'phone_change' });
}

/** A refusal would tell that somebody waits for a message. */
async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AuthError) || error.code === 'validation_failed') throw error;
  }
}
