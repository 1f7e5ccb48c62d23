import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { only } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { aBatch, aWorld } from './world.ts';
import type { World } from './world.ts';

let world: World;
let db: TestDatabase;
const connections: Client[] = [];
beforeAll(async () => {
  world = await aWorld();
  ({ db } = world);
  await aBatch(db, world.admin);
  // The allowed changes of these rows are tested elsewhere: only their trail is here.
  for (const table of Object.keys(CHANGES)) {
    await db.asOwner(`alter table public.${table} disable trigger user`);
    await db.asOwner(`alter table public.${table} enable trigger ${table}_audit`);
  }
  for (let n = 0; n < 2; n += 1) {
    const client = new Client(db.owner);
    await client.connect();
    await client.query("set lock_timeout = '20s'");
    connections.push(client);
  }
});
afterAll(async () => {
  await Promise.all(connections.map((client) => client.end()));
  await db.drop();
});

/** A change of one row of each table that has a trail of its own. */
const CHANGES: Readonly<Record<string, string>> = {
  sales: `commercial_notes = coalesce(commercial_notes, '') || '.'`,
  profiles: `company = coalesce(company, '') || '.'`,
  payment_requests: `admin_notes = coalesce(admin_notes, '') || '.'`,
  company_settings: `presentation = coalesce(presentation, '') || '.'`,
  payment_batches: `created_at = created_at + interval '1 second'`,
  commission_rates: `created_at = created_at + interval '1 second'`,
  account_closure_requests: `requested_at = requested_at + interval '1 second'`,
  commission_payments: `created_at = created_at + interval '1 second'`,
};
const COMPANY = '00000000-0000-0000-0000-000000000001';

/** The entities that a function names where it adds to the trail itself, and those whose rows a trigger follows. */
async function writers(): Promise<{ readonly named: readonly string[]; readonly followed: readonly string[] }> {
  const named = await db.asOwner<{ entity: string }>(
    `select distinct m[1] as entity from pg_proc p, regexp_matches(p.prosrc, 'append_audits?\\(''(\\w+)''', 'g') m
       where p.pronamespace = 'private'::regnamespace order by 1`,
  );
  const followed = await db.asOwner<{ entity: string }>(
    `select c.relname as entity from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where t.tgfoid = 'private.audit_change()'::regprocedure order by 1`,
  );
  return { named: named.map(({ entity }) => entity), followed: followed.map(({ entity }) => entity) };
}

type Way = { readonly text: string; readonly values: readonly unknown[] };
const append = (entity: string, id: string): Way => ({
  text: `select private.append_audit($1, $2, 'race', null, null, null)`,
  values: [entity, id],
});
const appendMany = (entity: string, id: string): Way => ({
  text: `select private.append_audits($1, 'delete', array[jsonb_build_object('id', $2::uuid)])`,
  values: [entity, id],
});
const change = (entity: string, id: string): Way =>
  entity === 'company_settings'
    ? { text: `update public.company_settings set ${CHANGES[entity]}`, values: [] }
    : { text: `update public.${entity} set ${CHANGES[entity]} where id = $1`, values: [id] };

/** Two transactions of which the second acts while the first is not over: it waits, or it is done without having waited. */
async function race(first: Way, second: Way): Promise<void> {
  const [one, two] = connections as [Client, Client];
  const { rows } = await two.query<{ pid: number }>('select pg_backend_pid() as pid');
  await one.query('begin');
  await two.query('begin');
  await one.query(first.text, [...first.values]);
  const act = two.query(second.text, [...second.values]);
  let isDone = false;
  const ended = act.finally(() => (isDone = true)).catch(() => undefined);
  await expect
    .poll(
      async () =>
        isDone ||
        only(
          await db.asOwner<{ waits: boolean }>(
            `select coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity where pid = $1`,
            [rows[0]?.pid],
          ),
        ).waits,
      { interval: 2, timeout: 20_000 },
    )
    .toBe(true);
  await one.query('commit');
  await ended;
  await act;
  await two.query('commit');
}

const broken = (): Promise<Record<string, unknown>[]> =>
  db.asOwner('select id, entity, cause from figures.audit_breaks where not is_acknowledged order by id');

test('[DF-21] two acts at once on one chain follow each other, in every pair of ways and for every kind of entry', async () => {
  const { named, followed } = await writers();
  expect(named).toEqual(
    expect.arrayContaining(['profiles', 'payment_requests', 'payment_batches', 'exports', 'mails']),
  );
  expect([...followed].sort()).toEqual(Object.keys(CHANGES).sort());
  for (const entity of new Set([...named, ...followed])) {
    const [row] =
      followed.includes(entity) && entity !== 'company_settings'
        ? await db.asOwner<{ id: string }>(`select id from public.${entity} order by id limit 1`)
        : [];
    const id = entity === 'company_settings' ? COMPANY : (row?.id ?? randomUUID());
    const ways = [
      // A commission is frozen: its chain is its trigger's alone.
      ...(entity === 'commission_payments' ? [] : [append(entity, id)]),
      ...(entity === 'profiles' || entity === 'sales' ? [appendMany(entity, id)] : []),
      ...(followed.includes(entity) ? [change(entity, id)] : []),
    ];
    for (const first of ways) {
      for (const second of ways) await race(first, second);
    }
    expect({ entity, broken: await broken() }).toEqual({ entity, broken: [] });
  }
}, 60_000);

test('[DF-21] an entry follows the one before it where it is written, and nothing else writes entries', async () => {
  const writing = await db.asOwner<{ name: string }>(
    `select proname as name from pg_proc where prosrc ~ 'insert into public\\.audit_entries' order by 1`,
  );
  expect(writing.map(({ name }) => name)).toEqual(['append_audits', 'chain_entry']);
  const calling = await db.asOwner<{ name: string }>(
    `select proname as name from pg_proc where prosrc ~ 'private\\.chain_entry' order by 1`,
  );
  expect(calling.map(({ name }) => name)).toEqual(['append_audit', 'audit_change']);
  await expect(
    db.asOwner(`select private.append_audit('commission_payments', $1, 'read', null, null, null)`, [randomUUID()]),
  ).rejects.toThrow('its trigger');
});

test('[DF-21] a change of many rows holds no more locks than a change of one', async () => {
  const [one] = connections as [Client];
  const held = async (): Promise<unknown> =>
    (
      await one.query(
        `select count(*)::integer as held from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'`,
      )
    ).rows;
  await one.query('begin');
  await one.query(`update public.profiles set ${CHANGES['profiles']}`);
  expect(await held()).toEqual([{ held: 0 }]);
  await one.query('rollback');
});

test('[DF-21] a broken chain is told with its entry and its cause, and acknowledged by an entry of the trail', async () => {
  const id = randomUUID();
  // As versions before did: both follow the same entry.
  await db.asOwner(`select private.append_audit('exports', $1, 'export', null, null, null)`, [id]);
  for (const at of ['2026-11-01T10:00:00Z', '2026-11-01T10:00:01Z']) {
    await db.asOwner(
      `insert into public.audit_entries (at, actor, entity, entity_id, action, previous_hash, hash)
       select e.at, e.actor, e.entity, e.entity_id, e.action, e.previous_hash, private.audit_hash(e)
       from (select (jsonb_populate_record(null::public.audit_entries, jsonb_build_object('at', $2::timestamptz, 'actor', 'admin',
           'entity', 'exports', 'entity_id', $1::uuid, 'action', 'export',
           'previous_hash', (select hash from public.audit_entries where entity_id = $1 order by id limit 1)))).*) e`,
      [id, at],
    );
  }
  const found = async (): Promise<readonly Record<string, unknown>[]> =>
    (await verify(db.asOwner)).find(({ invariant }) => invariant.id === 'I4')?.violations ?? [];
  const last = only(
    await db.asOwner<{ id: string }>('select max(id) as id from public.audit_entries where entity_id = $1', [id]),
  );
  expect(await found()).toMatchObject([
    { id: last.id, entity: 'exports', entity_id: id, cause: 'écrite en même temps qu’une autre' },
  ]);
  const acknowledge = (entry: string, reason: string): Promise<{ cause: string | null }[]> =>
    db.become('parrain_service', (run) => run('select private.acknowledge_break($1, $2) as cause', [entry, reason]));
  await expect(acknowledge(last.id, 'trop bref')).rejects.toThrow('with a reason');
  expect(await acknowledge('1', 'une écriture qui ne rompt rien')).toEqual([{ cause: null }]);
  expect(await acknowledge(last.id, 'deux exports à la même seconde')).toEqual([{ cause: 'simultaneous' }]);
  expect(await found()).toEqual([]);
  expect(
    await db.asOwner(
      `select reason, after ->> 'cause' as cause from public.audit_entries where action = 'acknowledge_break'`,
    ),
  ).toEqual([{ reason: 'deux exports à la même seconde', cause: 'simultaneous' }]);
  // An acknowledgement does not cover a later change.
  await db.asOwner('alter table public.audit_entries disable trigger user');
  await db.asOwner(`update public.audit_entries set reason = 'autre' where id = $1`, [last.id]);
  expect(await found()).toMatchObject([{ id: last.id, cause: 'modifiée' }]);
  await db.asOwner(
    'delete from public.audit_entries where id = (select min(id) from public.audit_entries where entity_id = $1)',
    [id],
  );
  expect((await found()).map(({ cause }) => cause)).toEqual(['celle d’avant manque', 'modifiée']);
});
