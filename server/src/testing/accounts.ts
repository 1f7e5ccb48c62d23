import type { Role } from '@parrain/domain/role';
import { createClient } from '@supabase/supabase-js';
import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';

import type { Reachable, TestServer } from './index.ts';
import { hashPassword } from '../auth/index.ts';

export const PASSWORD = 'trois-petits-chats-7';

export type TestAccount = { readonly id: string; readonly email: string; readonly password: string };

let hashOfPassword: Promise<string> | undefined;

/** An account with a known password, written directly. */
export async function anAccount(
  server: TestServer,
  details: {
    readonly role?: Role;
    readonly fullName?: string;
    readonly password?: string;
    /** Good for one sign-in before this many hours have gone by (V-19). */
    readonly temporaryHours?: number;
    readonly isConfirmed?: boolean;
  } = {},
): Promise<TestAccount> {
  const id = randomUUID();
  const email = `personne-${id.slice(0, 8)}@example.fr`;
  const password = details.password ?? PASSWORD;
  const hash = password === PASSWORD ? await (hashOfPassword ??= hashPassword(PASSWORD)) : await hashPassword(password);
  await server.database.asOwner(
    `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => $4, p_full_name => $5,
       p_temporary_until => now() + make_interval(hours => $6), p_email_confirmed_at => case when $7 then now() end)`,
    [
      id,
      email,
      hash,
      details.role ?? 'client',
      details.fullName ?? 'Claire Martin',
      details.temporaryHours ?? null,
      details.isConfirmed ?? true,
    ],
  );
  if (details.isConfirmed !== false) await server.database.asOwner('select private.prove_email($1)', [id]);
  return { id, email, password };
}

/** The official client as it is, of a visitor with a key. `headers` go with every request. */
export function clientOf(server: Reachable, headers: Record<string, string> = {}, key?: string): SupabaseClient {
  return createClient(server.url, key ?? server.services.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { headers },
  });
}

/** The official client with the secret key, as a server has it. */
export function administratorOf(server: TestServer): SupabaseClient {
  return clientOf(server, {}, server.services.keys.secretKey);
}

/** A client that signed in, with its session. */
export async function signedIn(
  server: TestServer,
  account: TestAccount,
  headers: Record<string, string> = {},
): Promise<{ readonly client: SupabaseClient; readonly session: Session }> {
  const client = clientOf(server, headers);
  const { data, error } = await client.auth.signInWithPassword({ email: account.email, password: account.password });
  if (error !== null) throw error;
  return { client, session: data.session };
}

/** The raw answer of POST /token?grant_type=refresh_token. */
export async function refreshWith(
  server: TestServer,
  refreshToken: string,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await server.fetch('/auth/v1/token?grant_type=refresh_token', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ refresh_token: refreshToken }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The first link in a mail's text. What its fragment says can be read as its query can, and nothing secret stands in that. */
export function linkIn(text: string): URL {
  const [, url] = /(https?:\/\/\S+)/u.exec(text) ?? [];
  if (url === undefined) throw new Error('This mail has no link');
  const link = new URL(url);
  for (const secret of ['token', 'token_hash', 'code']) {
    if (link.searchParams.has(secret)) throw new Error(`This link carries its ${secret} in the query`);
  }
  for (const [name, value] of new URLSearchParams(link.hash.slice(1))) link.searchParams.set(name, value);
  const token = link.searchParams.get('token') ?? link.searchParams.get('token_hash');
  if (token !== null) for (const name of ['token', 'token_hash']) link.searchParams.set(name, token);
  link.hash = '';
  return link;
}

/** Ends the cooldowns of addresses and numbers, as if the minute after a message had gone by for those who ask for one. */
export async function endCooldowns(server: Pick<TestServer, 'database'>): Promise<void> {
  await server.database.asOwner(`delete from private.rate_limits where bucket like 'auth:cooldown:%'`);
}
