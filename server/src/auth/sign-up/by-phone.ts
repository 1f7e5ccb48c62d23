import { registerByPhone, retryOnDuplicate } from '../accounts/create-account.ts';
import { fullNameFrom, requireBoundedMetadata } from '../accounts/identity-fields.ts';
import { accountByPhone } from '../accounts/phone.ts';
import { sendCode } from '../codes/sms-code.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import type { Call } from '../protocol/operation.ts';
import { disputePassword, hashOfNewAccount, withComparedPassword } from './disputed-password.ts';
import type { ComparedPassword } from './disputed-password.ts';
import { newUser } from './invented-user.ts';

/**
 * A registration by telephone: the number is confirmed by the code that is sent to it. A number that has a confirmed
 * account is answered as a new one.
 */
export async function signUpByPhone(
  call: Call,
  request: { readonly phone: string; readonly password: string; readonly data: Readonly<Record<string, unknown>> },
): Promise<Readonly<Record<string, unknown>>> {
  const { phone, password, data } = request;
  const fullName = fullNameFrom(data, '');
  await requireGoodPassword(password, { email: null, fullName }, call);
  requireBoundedMetadata(data, call);
  const open = (read: ComparedPassword): Promise<Account> =>
    call.db.asService('auth: sign up', async (tx) => {
      const existing = await accountByPhone(tx, phone);
      if (existing !== null) {
        await audit(tx, call.origin, 'signup_repeated', existing.id);
        const isWaiting = existing.phone_confirmed_at === null && !existing.is_barred;
        if (isWaiting) await disputePassword(tx, existing, read);
        return existing;
      }
      const passwordHash = hashOfNewAccount(read);
      return existingAccount(
        tx,
        await registerByPhone(tx, call.origin, { phone, passwordHash, fullName, data, method: 'phone' }),
      );
    });
  const account = await withComparedPassword(
    password,
    () => unconfirmedPassword(call, phone),
    (read) => retryOnDuplicate(() => open(read)),
  );
  // The owner of a number that has an account gets a code, as by /otp; another asker sees no difference.
  await sendCode(call, { userId: account.id, phone, kind: 'confirmation', isWithheld: account.is_barred });
  const isWaiting = account.phone_confirmed_at === null && !account.is_barred;
  return newUser(call, 'phone', phone, { data, account: isWaiting ? account : null });
}

/** The password hash of an unconfirmed account of this number; null where there is none. */
async function unconfirmedPassword({ db }: Call, phone: string): Promise<string | null> {
  const account = await db.asService('auth: sign up', (tx) => accountByPhone(tx, phone), { readOnly: true });
  return account === null || account.phone_confirmed_at !== null ? null : account.encrypted_password;
}
