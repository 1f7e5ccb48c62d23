import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { connectAsOwner } from '../src/connect.ts';
import { migrate, MigrationError } from '../src/migrate.ts';
import { ensureLogin, ensureSharedRoles, loginRoleOf, requireVersion } from '../src/roles.ts';
import { aSale, askTestPostgres, createEmptyDatabase, openTestDatabase } from '../src/testing.ts';
import type { EmptyDatabase } from '../src/testing.ts';
import { verifyAsOwner } from '../src/verify.ts';

// Rights required to make an installation on a PostgreSQL that it shares with others.

const GRANT = 'grant anon, api_key, authenticated, parrain_service, service_role to %u with admin option;';

let database: EmptyDatabase;
let other: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  other = `other_${randomBytes(6).toString('hex')}`;
  await askTestPostgres('postgres', `create role ${other} login password 'secret'`);
});

afterEach(async () => {
  await database.drop();
  await askTestPostgres('postgres', `drop owned by ${other} cascade`).catch(() => []);
  await askTestPostgres('postgres', `drop role if exists ${other}`).catch(() => []);
});

const asOther = () => ({ ...database.owner, user: other, password: 'secret' });

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(MigrationError);
  return error instanceof Error ? error.message : '';
}

/** The statements that a refusal asks a superuser to run. */
async function obey(refusal: string): Promise<string[]> {
  const statements = refusal.split('\n  ').slice(1);
  await askTestPostgres(database.owner.database, statements.join(' '));
  return statements;
}

describe('another owner on the same cluster', () => {
  test(
    '[FX-21] is told exactly which rights are missing before anything is written, and with them has a whole installation',
    { tags: 'long' },
    async () => {
      const refusal = await refusalOf(migrate(asOther()));
      expect(await askTestPostgres(database.owner.database, `select to_regnamespace('private') as private`)).toEqual([
        { private: null },
      ]);
      expect(await obey(refusal)).toEqual([
        `alter role ${other} createrole;`,
        `alter database ${database.owner.database} owner to ${other};`,
        GRANT.replace('%u', other),
      ]);
      expect((await migrate(asOther())).length).toBeGreaterThan(20);
      const client = await connectAsOwner(asOther());
      try {
        await ensureLogin(client, 'of the login');
        const login = await loginRoleOf(client);
        const entered = new Client({ ...asOther(), user: login, password: 'of the login' });
        await entered.connect();
        await entered.query(`begin; select set_config('role', 'parrain_service', true)`);
        expect((await entered.query('select from public.sales')).rowCount).toBe(0);
        await entered.end();
        // Row level security is forced on the owner too: verifying sees every row all the same.
        const own = openTestDatabase(asOther());
        await aSale(own);
        await own.close();
        const findings = await verifyAsOwner(client);
        expect(findings.find(({ invariant }) => invariant.id === 'I1')?.counted).toBe(1);
      } finally {
        await client.end();
      }
    },
  );

  test('[FX-21] a shared role that passes over row security is refused by its name', async () => {
    const client = await connectAsOwner(database.owner);
    try {
      // Never committed: the role is every test's.
      await client.query('begin; alter role service_role bypassrls');
      expect(await refusalOf(ensureSharedRoles(client, true))).toMatch(
        /Le rôle service_role .* alter role service_role nosuperuser nobypassrls;/u,
      );
    } finally {
      await client.end();
    }
  });
});

describe('the login of a database', () => {
  test('[FX-21] is its own, inherits nothing, and enters no other installation', async () => {
    const neighbour = await createEmptyDatabase();
    const logins: string[] = [];
    try {
      for (const owner of [database.owner, neighbour.owner]) {
        await migrate(owner);
        const client = await connectAsOwner(owner);
        try {
          await ensureLogin(client, 'secret');
          logins.push(await loginRoleOf(client));
        } finally {
          await client.end();
        }
      }
      expect(new Set(logins).size).toBe(2);
      const [login = ''] = logins;
      const entered = await connectAsOwner({ ...database.owner, user: login, password: 'secret' });
      await expect(entered.query('select from public.sales')).rejects.toThrow(/permission denied/u);
      await entered.end();
      await expect(connectAsOwner({ ...neighbour.owner, user: login, password: 'secret' })).rejects.toMatchObject({
        code: '42501',
      });
    } finally {
      await neighbour.drop();
    }
  });

  test('[FX-21] whoever reads the database by a right of their own still comes in', { tags: 'long' }, async () => {
    await migrate(database.owner);
    await askTestPostgres(
      database.owner.database,
      `grant usage on schema public to ${other}; grant select on public.sales to ${other}`,
    );
    const client = await connectAsOwner(database.owner);
    try {
      await ensureLogin(client, 'secret');
    } finally {
      await client.end();
    }
    const reader = await connectAsOwner(asOther());
    expect((await reader.query('select from public.sales')).rowCount).toBe(0);
    await reader.end();
  });
});

describe('the version of PostgreSQL', () => {
  const speaking = (number: string, name: string) =>
    ({ query: () => Promise.resolve({ rows: [{ number, name }] }) }) as unknown as Pick<Client, 'query'>;

  test.each([
    ['150018', '15.18 (Debian 15.18-0+deb12u1)', 'PostgreSQL 15.18 est trop ancien'],
    ['160009', '16.9', 'PostgreSQL 16.9 est trop ancien'],
    ['170006', '17.6', 'PostgreSQL 17.6 est trop ancien'],
  ])('[FX-26, DF-60] %s is refused in a sentence', async (number, name, sentence) => {
    const refusal = await refusalOf(requireVersion(speaking(number, name)));
    expect(refusal).toContain(sentence);
    expect(refusal).toContain("il faut la version 18 ou une plus récente. Rien n'a été écrit");
  });

  test('[FX-26, DF-60] 18 and newer are taken', async () => {
    await requireVersion(speaking('180000', '18.0'));
    const client = await connectAsOwner(database.owner);
    await requireVersion(client);
    await client.end();
  });

  test('[FX-26, DF-60] is read first: nothing is written where it is too old', async () => {
    // The one function that says the version, replaced for whoever looks in this schema first.
    await askTestPostgres(
      database.owner.database,
      `create schema old; create function old.current_setting(name text) returns text language sql
         return case name when 'server_version_num' then '170006' else '17.6' end;`,
    );
    const old = { ...database.owner, options: '-c search_path=old,pg_catalog,public' };
    expect(await refusalOf(migrate(old))).toContain('17.6 est trop ancien');
    expect(await askTestPostgres(database.owner.database, `select to_regnamespace('private') as private`)).toEqual([
      { private: null },
    ]);
  });
});
