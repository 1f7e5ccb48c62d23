import { withoutInvisible } from '@parrain/domain/visible-text';

import type { Transaction } from '#platform/database';

import { ACCOUNT_COLUMNS, ACCOUNT_TABLES } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { AuthSettings } from '../protocol/settings.ts';

/** A number in its stored form: E.164 without its +. @throws AuthError validation_failed */
export function requirePhone(text: string): string {
  const phone = withoutInvisible(text).replace(/^\+|\s+/gu, '');
  if (!/^[1-9]\d{1,14}$/u.test(phone)) throw validationFailed('Invalid phone number format (E.164 required)');
  return phone;
}

/** @throws AuthError phone_provider_disabled where no text message can leave */
export function requirePhoneProvider(settings: AuthSettings, status: 400 | 422, what: string): void {
  if (settings.smsUrl === null) throw new AuthError(status, 'phone_provider_disabled', `Phone ${what} are disabled`);
}

export const ACCOUNT_BY_PHONE = `select ${ACCOUNT_COLUMNS} from ${ACCOUNT_TABLES}
  where u.phone = $1 and not u.is_sso_user and u.deleted_at is null`;

export async function accountByPhone(tx: Transaction, phone: string): Promise<Account | null> {
  const { rows } = await tx.query<Account>(ACCOUNT_BY_PHONE, [phone]);
  return rows[0] ?? null;
}
