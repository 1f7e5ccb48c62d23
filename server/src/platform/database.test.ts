import { Failure } from '@parrain/domain/failure';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { createDatabase } from './database.ts';
import type { Database, Identity } from './database.ts';
import { DatabaseUnavailable, failureOf } from './errors.ts';
import { createLog } from './log.ts';

let server: TestServer;
let db: Database;
let admin: Person;
let commercial: Person;
let other: Person;

beforeAll(async () => {
  server = await startTestServer({ jobs: false, doors: [] });
  db = server.services.db;
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  other = await aCommercial(server.database);
  const client = await aClient(server.database, { commercial });
  for (let made = 0; made < 3; made += 1) {
    await aSale(server.database, { commercial, friendReferrer: client });
  }
  await aSale(server.database, { commercial: other, friendReferrer: null });
});

afterAll(async () => server.close());

const ROWS = { text: 'select id, commercial_id from public.sales order by id' };

function as(person: Person): Identity {
  return { role: 'authenticated', claims: { sub: person.id, session_id: person.sessionId } };
}

describe('the identity of a transaction', () => {
  test('[P-04] threat 38: the same prepared statement on one connection, identities alternated, never shows a foreign row', async () => {
    const single = createDatabase(await loginOf(server), createLog('silent'), { poolSize: 1 });
    try {
      for (let round = 0; round < 60; round += 1) {
        const [ofAdmin, mine, theirs, visitor] = await Promise.allSettled([
          single.queryAs<{ commercial_id: string }>(as(admin), ROWS),
          single.queryAs<{ commercial_id: string }>(as(commercial), ROWS, { readOnly: true }),
          single.queryAs<{ commercial_id: string }>(as(other), ROWS),
          single.queryAs(
            round % 2 === 0 ? { role: 'anon' } : as({ ...commercial, sessionId: crypto.randomUUID() }),
            ROWS,
          ),
        ]);
        expect(ofAdmin.status === 'fulfilled' && ofAdmin.value.rows.length).toBe(4);
        expect(mine.status === 'fulfilled' && mine.value.rows.map((row) => row.commercial_id)).toEqual(
          Array.from({ length: 3 }, () => commercial.id),
        );
        expect(theirs.status === 'fulfilled' && theirs.value.rows.map((row) => row.commercial_id)).toEqual([other.id]);
        expect(visitor.status).toBe('rejected');
      }
    } finally {
      await single.close();
    }
  });

  test('[P-04] a dead session fails the statement behind it, and says why', async () => {
    const dead = as({ ...commercial, sessionId: crypto.randomUUID() });
    const error: unknown = await db.queryAs(dead, ROWS).catch((caught: unknown) => caught);
    expect(failureOf(error).code).toBe('session_expired');
  });

  test('[P-04] a connection that has served a person may do nothing without an identity', async () => {
    const single = createDatabase(await loginOf(server), createLog('silent'), { poolSize: 1 });
    try {
      await single.queryAs(as(admin), ROWS);
      await expect(single.queryAs({ role: 'anon' }, ROWS)).rejects.toMatchObject({ code: '42501' });
      const { rows } = await single.queryAs<{ uid: string | null; who: string }>(
        { role: 'anon' },
        { text: 'select private.uid() as uid, current_user as who' },
      );
      expect(rows).toEqual([{ uid: null, who: 'anon' }]);
    } finally {
      await single.close();
    }
  });

  test('[P-04] a read-only transaction cannot write, even for the server itself', async () => {
    await expect(
      db.queryAsService('test', { text: `delete from private.rate_limits` }, { readOnly: true }),
    ).rejects.toMatchObject({ code: '25006' });
  });

  test('[UI-15] a request that only reads writes nothing, by no transaction of its own nor of the server', async () => {
    const reading = db.withRequest({ readsOnly: true });
    const text = `delete from private.rate_limits`;
    const writes = [
      reading.queryAsService('test', { text }),
      reading.queryAsService('test', { text }, { readOnly: false }),
      reading.asService('test', (tx) => tx.query(text)),
      reading.transactionAs(as(commercial), (tx) => tx.asService('test', () => tx.query(text))),
    ];
    for (const write of await Promise.allSettled(writes))
      expect(write).toMatchObject({ status: 'rejected', reason: { code: '25006' } });
  });

  test('[UI-15] the token of a view makes its transaction read only by the database itself, with no way back', async () => {
    const view: Identity = {
      role: 'authenticated',
      claims: { sub: commercial.id, session_id: admin.sessionId, act: { sub: admin.id } },
    };
    const { rows } = await db.queryAs(view, {
      text: `select private.uid() as who, current_setting('transaction_read_only') as reads`,
    });
    expect(rows).toEqual([{ who: commercial.id, reads: 'on' }]);
    const back = `select set_config('transaction_read_only', 'off', true)`;
    await expect(db.transactionAs(view, (tx) => tx.query(back))).rejects.toMatchObject({ code: '25001' });
  });

  test('[P-04] acting as the service inside a transaction ends where it ends', async () => {
    await db.transactionAs(as(commercial), async (tx) => {
      const role = async (): Promise<unknown> => (await tx.query('select current_user as role')).rows[0]?.['role'];
      expect(await role()).toBe('authenticated');
      expect(await tx.asService('test', role)).toBe('parrain_service');
      expect(await role()).toBe('authenticated');
      expect((await tx.query(ROWS)).rows).toHaveLength(3);
    });
  });

  test('[P-04] the audit trail and triggers can read the request that a transaction belongs to', async () => {
    const { rows } = await db.withRequest({ requestId: 'r-1', reason: 'because' }).queryAs(as(admin), {
      text: `select current_setting('app.request_id') as id, current_setting('app.reason') as reason`,
    });
    expect(rows).toEqual([{ id: 'r-1', reason: 'because' }]);
  });
});

describe('a transaction', () => {
  test('[F-16] what fails in the middle leaves nothing', async () => {
    const before = await count();
    await expect(
      db.asService('test', async (tx) => {
        await tx.query(`insert into private.appointment_requests (name, email) values ('a', 'a@b.fr')`);
        throw new Failure('forbidden');
      }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    expect(await count()).toBe(before);
  });

  test('[F-16] an error that the work swallowed does not pass for a success', async () => {
    const before = await count();
    await expect(
      db.asService('test', async (tx) => {
        await tx.query(`insert into private.appointment_requests (name, email) values ('a', 'a@b.fr')`);
        await tx.query('select 1 / 0').catch(() => undefined);
      }),
    ).rejects.toThrow('nothing was committed');
    expect(await count()).toBe(before);
  });

  test('[F-16] [F-90] a deadlock is run again and both succeed', async () => {
    await server.database.asOwner(`insert into private.rate_limits (bucket, tokens) values ('a', 0), ('b', 0)`);
    const touch = (first: string, second: string): Promise<void> =>
      db.asService('test', async (tx) => {
        const text = 'update private.rate_limits set tokens = tokens + 1 where bucket = $1';
        await tx.query(text, [first]);
        await tx.query('select pg_sleep(0.2)');
        await tx.query(text, [second]);
      });
    await Promise.all([touch('a', 'b'), touch('b', 'a')]);
    const rows = await server.database.asOwner(`select tokens from private.rate_limits where bucket in ('a', 'b')`);
    expect(rows).toEqual([{ tokens: 2 }, { tokens: 2 }]);
  });

  test('[P-04] [D-77] a visitor’s statement ends at 3 seconds', async () => {
    await expect(db.queryAs({ role: 'anon' }, { text: 'select pg_sleep(6)' })).rejects.toMatchObject({ code: '57014' });
  });

  test('a value that cannot be sent fails before anything is, and the connection serves on', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const single = createDatabase(await loginOf(server), createLog('silent'), { poolSize: 1 });
    try {
      await expect(
        single.queryAsService('test', { text: 'select $1::jsonb as value', values: [circular] }),
      ).rejects.toThrow(TypeError);
      const { rows } = await single.queryAsService('test', {
        text: 'select $1::jsonb as value',
        values: [{ a: [1n].map(String) }],
      });
      expect(rows).toEqual([{ value: { a: ['1'] } }]);
    } finally {
      await single.close();
    }
  });

  test('[D-76] more shapes of statement than a connection keeps are forgotten, oldest first', async () => {
    const single = createDatabase(await loginOf(server), createLog('silent'), { poolSize: 1 });
    try {
      for (let shape = 0; shape < 260; shape += 1) {
        await single.queryAsService('test', { text: `select ${shape} as shape` });
      }
      const { rows } = await single.queryAsService<{ count: number }>('test', {
        text: 'select count(*) from pg_prepared_statements',
      });
      expect(rows[0]?.count).toBeLessThan(210);
      expect((await single.queryAsService('test', { text: 'select 0 as shape' })).rows).toEqual([{ shape: 0 }]);
    } finally {
      await single.close();
    }
  });

  test('[M-10] numeric comes as text, counts as numbers, days as text', async () => {
    const { rows } = await db.queryAsService('test', {
      text: `select 1234.50::numeric(12, 2) as amount, count(*) as total, date '2026-03-29' as day from (select 1) one`,
    });
    expect(rows).toEqual([{ amount: '1234.50', total: 1, day: '2026-03-29' }]);
  });
});

describe('when the database is in trouble', () => {
  test('[D-81] no free connection in time is a 503 to come back from', async () => {
    const narrow = createDatabase(await loginOf(server), createLog('silent'), { poolSize: 1, acquireTimeoutMs: 100 });
    try {
      // Connected: a busy machine may take longer for it than a waiting call is given.
      await vi.waitFor(() => narrow.ping(), { timeout: 120_000 });
      const slow = narrow.queryAsService('test', { text: 'select pg_sleep(0.5)' });
      const error: unknown = await narrow.ping().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(DatabaseUnavailable);
      expect(failureOf(error)).toMatchObject({ code: 'unavailable', status: 503 });
      await slow;
    } finally {
      await narrow.close();
    }
  });

  test('threat 85: connections that PostgreSQL ends are replaced', async () => {
    await db.ping();
    await server.database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'parrain_login_%' and datname = current_database()`,
    );
    // The end of a connection is told a moment later: until then a statement may be given to it.
    await expect.poll(async () => (await db.queryAs(as(admin), ROWS).catch(() => null))?.rows).toHaveLength(4);
    expect((await db.queryAs(as(admin), ROWS)).rows).toHaveLength(4);
  });

  test('threat 85: a statement whose connection is cut is told as unavailable, once', async () => {
    const cut = db.queryAsService('test', { text: 'select pg_terminate_backend(pg_backend_pid())' });
    await expect(cut).rejects.toBeInstanceOf(Error);
    const sleeping = db
      .queryAsService('test', { text: `select pg_sleep(5) as "cut me"` })
      .catch((error: unknown) => error);
    const cutIt = () =>
      server.database.asOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'parrain_login_%' and state = 'active' and query like '%cut me%' and datname = current_database()`,
      );
    await expect.poll(cutIt).toHaveLength(1);
    expect(failureOf(await sleeping).code).toBe('unavailable');
    expect((await db.queryAs(as(admin), ROWS)).rows).toHaveLength(4);
  });
});

async function count(): Promise<unknown> {
  return (await server.database.asOwner('select count(*) from private.appointment_requests'))[0]?.['count'];
}

async function loginOf(of: TestServer): Promise<Parameters<typeof createDatabase>[0]> {
  const [row] = await of.database.asOwner<{ user: string }>(
    `select 'parrain_login_' || oid as user from pg_database where datname = current_database()`,
  );
  const user = row?.user ?? '';
  return {
    ...of.database.owner,
    user,
    password: of.services.secrets.derive(`login of ${user}`, 24).toString('base64url'),
  };
}
