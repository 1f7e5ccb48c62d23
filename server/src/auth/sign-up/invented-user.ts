import { createHmac } from 'node:crypto';

import type { Account } from '../protocol/account.ts';
import type { Call } from '../protocol/operation.ts';

/**
 * The user in the answer to an unconfirmed registration, made from the request alone. A known address or number gets the
 * same answer, with an id that leads nowhere: it reveals no account.
 */
export function newUser(
  { services }: Call,
  provider: 'email' | 'phone',
  name: string,
  { data, account }: { readonly data: Readonly<Record<string, unknown>>; readonly account: Account | null },
): Readonly<Record<string, unknown>> {
  const invented = (what: string): string =>
    uuidOf(
      createHmac('sha256', services.secrets.derive('invented-user')).update(`${what}:${provider}:${name}`).digest(),
    );
  const id = account?.id ?? invented('user');
  const now = services.clock.now().toISOString();
  const metadata = { ...data, sub: id, [provider]: name, email_verified: false, phone_verified: false };
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email: provider === 'email' ? name : '',
    phone: provider === 'phone' ? name : '',
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider], role: 'client' },
    user_metadata: metadata,
    identities: [
      {
        identity_id: account?.identities[0]?.identity_id ?? invented('identity'),
        id,
        user_id: id,
        identity_data: metadata,
        provider,
        last_sign_in_at: now,
        created_at: now,
        updated_at: now,
        ...(provider === 'email' ? { email: name } : {}),
      },
    ],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  };
}

/** These bytes in the form of a random UUID (version 4). */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
