import { migrate, ownHistory } from '@parrain/database/migrate';
import { formerReleases, installed } from '@parrain/database/testing-releases';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';

import { urlOf } from './testing/deployment.ts';
import { freePort } from './testing/free-port.ts';
import { createEmptyDatabase, SECRET_KEY } from './testing/index.ts';
import type { EmptyDatabase } from './testing/index.ts';
import { askWithKey, referAndValidate, requestAndPay, signInAll, siteAt } from './testing/main-job.ts';
import { runNpmCommand, startServerProcess } from './testing/processes.ts';

// An installation of a former release, brought over by this version as an operator does it.

// Whole schemas are made and processes are started: nothing here says how long that takes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SALES = '/rest/v1/sales?select=id&limit=1';

let database: EmptyDatabase | undefined;
afterEach(async () => {
  await database?.drop();
  database = undefined;
});

test.each(formerReleases())(
  '[DF-70, DF-71] an installation of $version is brought over: people sign in, a referral is validated and paid, its key still opens, every invariant holds',
  async (release) => {
    database = await installed(release);
    const environment = { DATABASE_URL: urlOf(database.owner), SECRET_KEY: release.secretKey, DEMO: '1' };
    const before = await totals(database);
    const server = await startServerProcess(environment);
    try {
      const site = await siteAt(server.url);
      expect(await askWithKey(site, release.apiKey, SALES)).toMatchObject({ status: 200, body: [{}] });
      expect(await totals(database)).toEqual(before);
      const tokens = await signInAll(site, release.people, release.password);
      await referAndValidate(site, tokens);
      await requestAndPay(site, tokens, '12.50');
      expect(await askWithKey(site, release.apiKey, SALES)).toMatchObject({ status: 200 });
    } finally {
      await server.stop();
    }
    expect(await runNpmCommand('verify', [], environment)).toMatchObject({ code: 0 });
  },
);

test(
  '[DF-71] while a schema is brought up to date the port says so, and the server answers there after',
  { tags: 'long' },
  async () => {
    database = await createEmptyDatabase();
    await migrate(database.owner, { count: (await ownHistory()).length - 1 });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { DATABASE_URL: urlOf(database.owner), SECRET_KEY, PORT: String(port), HOST: '127.0.0.1' };
    // Another node is at it.
    const other = new Client(database.owner);
    await other.connect();
    try {
      await other.query('select pg_advisory_lock(7203119255)');
      const starting = startServerProcess(environment);
      const asked = async (path: string, accept = '*/*') => {
        const reply = await fetch(`${url}${path}`, { headers: { accept } }).catch(() => null);
        return reply === null ? null : { status: reply.status, text: await reply.text(), headers: reply.headers };
      };
      await expect.poll(() => asked('/health/live'), { timeout: 120_000 }).toMatchObject({ status: 200 });
      expect(await asked('/health/ready')).toMatchObject({
        status: 503,
        text: '{"status":"migrating","message":"Migration en cours."}',
      });
      const page = await asked('/dashboard', 'text/html,*/*');
      expect(page).toMatchObject({ status: 503, text: expect.stringContaining('Migration en cours') });
      expect(page?.headers.get('retry-after')).toBe('5');
      expect(await asked('/rest/v1/sales')).toMatchObject({
        status: 503,
        text: expect.stringContaining('"unavailable"'),
      });
      await other.query('select pg_advisory_unlock(7203119255)');
      const server = await starting;
      try {
        expect(await asked('/health/ready')).toMatchObject({ status: 200 });
      } finally {
        await server.stop();
      }
    } finally {
      await other.end();
    }
  },
);

test(
  '[DF-71, DF-72] npm run migrate brings the schema up to date before the nodes are restarted, and makes no installation',
  { tags: 'long' },
  async () => {
    database = await createEmptyDatabase();
    const environment = { DATABASE_URL: urlOf(database.owner), SECRET_KEY };
    expect(await runNpmCommand('migrate', [], environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining("n'a pas d'installation"),
    });
    const last = (await ownHistory()).at(-1)?.name ?? '';
    await migrate(database.owner, { count: (await ownHistory()).length - 1 });
    expect(await runNpmCommand('migrate', [], environment)).toMatchObject({
      code: 0,
      out: `✓ ${last}\n1 migration faite. Redémarrez maintenant les serveurs l'un après l'autre avec cette version.\n`,
    });
    expect(await runNpmCommand('migrate', [], environment)).toMatchObject({
      code: 0,
      out: 'La base est déjà à jour.\n',
    });
  },
);

/** The figures of the company's life so far, and the end of the chain of its trail. */
async function totals({ owner }: EmptyDatabase): Promise<unknown> {
  const client = new Client(owner);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select (select count(*)::int from auth.users) as users, (select count(*)::int from public.sales) as sales,
         (select sum(amount) from public.commission_payments) as earned, (select count(*)::int from public.payment_batches) as batches,
         (select count(*)::int from public.papers) as papers, (select count(*)::int from public.audit_entries) as entries`,
    );
    expect(Object.values(rows[0] as object).every((value) => Number(value) > 0)).toBe(true);
    return rows;
  } finally {
    await client.end();
  }
}
