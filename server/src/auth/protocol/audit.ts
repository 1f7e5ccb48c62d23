import type { Transaction } from '#platform/database';

import type { Origin } from './operation.ts';

export type AuditAction =
  | 'api_key_rotated'
  | 'code_refused'
  | 'codes_closed'
  | 'confirmation_requested'
  | 'email_change_half_confirmed'
  | 'email_change_requested'
  | 'email_changed'
  | 'factor_enrolled'
  | 'factor_refused'
  | 'factor_removed'
  | 'factor_updated'
  | 'factor_used'
  | 'factor_verified'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'invited'
  | 'link_generated'
  | 'login'
  | 'login_refused'
  | 'logout'
  | 'master_key_changed'
  | 'passkey_added'
  | 'passkey_refused'
  | 'passkey_removed'
  | 'passkey_renamed'
  | 'password_changed'
  | 'phone_change_requested'
  | 'phone_changed'
  | 'provider_refused'
  | 'reauthentication_requested'
  | 'recovery_code_refused'
  | 'recovery_code_used'
  | 'recovery_codes_made'
  | 'recovery_codes_removed'
  | 'recovery_requested'
  | 'refresh_token_reused'
  | 'sign_in_code_requested'
  | 'sign_in_link_requested'
  | 'signing_keys_rotated'
  | 'signup'
  | 'signup_anonymous'
  | 'signup_repeated'
  | 'token_refreshed'
  | 'user_created'
  | 'user_deleted'
  | 'user_modified'
  | 'user_updated'
  | 'verified';

/** Writes an act to the audit trail, in its own transaction. The detail never holds a secret or an address. */
export async function audit(
  tx: Transaction,
  origin: Origin,
  action: AuditAction,
  userId: string | null,
  detail: Readonly<Record<string, string | number | boolean | null>> = {},
): Promise<void> {
  await tx.query('insert into auth.audit_entries (user_id, action, ip, detail) values ($1, $2, $3, $4)', [
    userId,
    action,
    origin.ip,
    detail,
  ]);
}
