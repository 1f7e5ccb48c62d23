import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';

import { expect } from './company.ts';
import type { Company } from './company.ts';

export type OfficialClients = {
  /** Signs in by the official client, and replaces the temporary password. */
  readonly enter: (email: string, temporaryPassword: string) => Promise<SupabaseClient>;
  /** Calls a function of the product. */
  readonly call: <Answer>(client: SupabaseClient, name: string, body: Record<string, unknown>) => Promise<Answer>;
};

/** The product without its screens: people of a company, each with a client of their own. */
export async function officialClients(company: Company, password: string): Promise<OfficialClients> {
  const { publishableKey } = (await (await fetch(`${company.url}/config.json`)).json()) as { publishableKey: string };
  return {
    async enter(email, temporaryPassword) {
      const client: SupabaseClient = createClient(company.url, publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
      expect((await client.auth.signInWithPassword({ email, password: temporaryPassword })).error).toBeNull();
      expect((await client.auth.updateUser({ password })).error).toBeNull();
      return client;
    },
    async call<Answer>(client: SupabaseClient, name: string, body: Record<string, unknown>): Promise<Answer> {
      const { data, error } = await client.functions.invoke<Answer>(name, { body });
      if (error !== null || data === null) throw new Error(`${name}: ${String(error)}`);
      return data;
    },
  };
}
