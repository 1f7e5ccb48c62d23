import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { demoAccounts, demoPassword, loadDemo } from '@parrain/database/demo';

import { hashPassword, verifyPassword } from './auth/index.ts';
import { sealAccount } from './functions/company-account.ts';
import { makeFile } from './functions/payment-batch/release.ts';
import { ibanMark } from './platform/iban-mark.ts';
import type { Services } from './platform/services.ts';

/** Loads the demo company if configured and the database is empty. */
export async function loadDemoCompany(owner: Owner, services: Services): Promise<void> {
  const { rows } = await services.db.queryAsService<{ empty: boolean }>('demo company', {
    text: 'select not exists (select from public.profiles) as empty',
  });
  if (rows[0]?.empty !== true) return;
  const client = await connectAsOwner(owner);
  try {
    await loadDemo(client, {
      passwordHash: await hashPassword(demoPassword),
      sealDetails: (details) => services.secrets.seal('payment-details', JSON.stringify(details)),
      markIban: (iban) => ibanMark(services.secrets, iban),
      sealAccount: (account) => sealAccount(services.secrets, account),
      bankFile: ({ orders, ...batch }) => makeFile(services.secrets, { ...batch, format: '09' }, orders),
      today: services.clock.now(),
    });
  } finally {
    await client.end();
  }
}

/** FX-01: demo accounts, whose password is public, open nothing where the configuration has no demo. */
export async function openOrCloseDemo(services: Services): Promise<void> {
  await services.db.queryAsService('demo accounts', {
    text: 'select private.open_demo($1)',
    values: [services.config.demo],
  });
}

export type DemoHint = {
  readonly password: string;
  readonly accounts: readonly { readonly role: string; readonly email: string }[];
};

/** Hashes that were compared with the demo's password before: they change with a password, and comparing costs. */
const compared = new Map<string, Promise<boolean>>();

async function isDemoPassword(hash: string): Promise<boolean> {
  const known = compared.get(hash) ?? verifyPassword(demoPassword, hash);
  compared.set(hash, known);
  // A comparison that failed (too many at once) is made again.
  known.catch(() => compared.delete(hash));
  return known;
}

/** A-02, FX-01: the demo accounts that the published password opens; null where there are none, or demo data is not wanted. */
export async function demoHint(services: Services): Promise<DemoHint | null> {
  if (!services.config.demo) return null;
  const { rows } = await services.db.queryAsService<{ email: string; hash: string }>('demo accounts', {
    text: `select p.email, u.encrypted_password as hash from public.profiles p join auth.users u on u.id = p.id
      where p.email = any($1) and p.is_test and p.deactivated_at is null and u.deleted_at is null
        and u.encrypted_password is not null and not u.has_verified_factor and coalesce(u.banned_until <= now(), true)`,
    values: [demoAccounts.map((account) => account.email)],
  });
  const opened = await Promise.all(rows.map(async (row) => ((await isDemoPassword(row.hash)) ? [row.email] : [])));
  const working = new Set(opened.flat());
  const accounts = demoAccounts.filter((account) => working.has(account.email));
  return accounts.length === 0 ? null : { password: demoPassword, accounts };
}
