import { demoAccounts, demoPassword } from '@parrain/database/demo';
import type { FastifyInstance } from 'fastify';

import type { Services } from './platform/services.ts';

/** /config.json: what the page must know before it can call anything. */
export default async function publicConfig(app: FastifyInstance, services: Services): Promise<void> {
  const { config, keys, publicUrl } = services;
  app.get('/config.json', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    return {
      // Never the name that a request gives itself. The page that came under another one asks where it came from.
      apiUrl: publicUrl(),
      publishableKey: keys.publishableKey,
      demo: await demoHint(services),
      calendlyUrl: config.calendlyUrl,
    };
  });
}

export type DemoHint = {
  readonly password: string;
  readonly accounts: readonly { readonly role: string; readonly email: string }[];
};

/** the demo accounts that still exist; nothing where demo data is not wanted or is gone. */
export async function demoHint(services: Services): Promise<DemoHint | null> {
  if (!services.config.demo) return null;
  const { rows } = await services.db.queryAsService<{ email: string }>('demo accounts', {
    text: `select p.email from public.profiles p join auth.users u on u.id = p.id
      where p.email = any($1) and p.is_test and p.deactivated_at is null and u.deleted_at is null`,
    values: [demoAccounts.map((account) => account.email)],
  });
  const living = new Set(rows.map((row) => row.email));
  const accounts = demoAccounts.filter((account) => living.has(account.email));
  return accounts.length === 0 ? null : { password: demoPassword, accounts };
}
