import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, aSale, aScale, anAdmin, createTestDatabase } from '../src/testing.ts';
import type { Person, Sale, TestDatabase } from '../src/testing.ts';

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  await aScale(db, { isDefault: true });
  commercial = await aCommercial(db);
  client = await aClient(db, { commercial });
  // Of few people the planner reads all, however many it looks for.
  await db.asOwner(
    `begin; set local session_replication_role = replica;
     insert into public.profiles select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'email', n || '@people.example'))).*
       from public.profiles p, generate_series(1, 5000) n where p.id = '${client.id}';
     commit`,
  );
  await db.asOwner('analyze public.profiles');
});
afterAll(() => db.drop());

/** PostgreSQL tries a plan for the very values five times before it decides for one that serves them all. */
const TIMES = 16;

type Act = { readonly who: Person; readonly text: string; readonly values: readonly unknown[] };

/**
 * The statements that PostgreSQL plans at every later act, all on one connection: the shortest list among the acts
 * that follow the first six. Not those of one act: when autovacuum analyses a table, all its plans are made anew once.
 */
async function stillPlanned(acts: readonly Act[]): Promise<string[]> {
  const connection = new Client(db.owner);
  await connection.connect();
  const plannedByAct: string[][] = [];
  let planned: string[] = [];
  connection.on('notice', ({ message, where }) => {
    if (message === 'PLANNER STATISTICS' && where !== undefined) planned.push(where.replaceAll(/\s+/gu, ' '));
  });
  try {
    await connection.query(`set client_min_messages = 'log'`);
    await connection.query('set log_planner_stats = on');
    for (const { who, text, values } of acts) {
      planned = [];
      plannedByAct.push(planned);
      const claims = { sub: who.id, session_id: who.sessionId, role: 'authenticated', aal: 'aal1' };
      await connection.query('begin');
      await connection.query({
        name: 'identity',
        text: `select set_config('request.jwt.claims', $1, true), private.identify(), set_config('role', 'authenticated', true)`,
        values: [JSON.stringify(claims)],
      });
      await connection.query({ name: 'act', text, values: [...values] });
      await connection.query('commit');
    }
  } finally {
    await connection.end();
  }
  return plannedByAct.slice(6).reduce((least, one) => (one.length < least.length ? one : least));
}

const sales = (isReady: boolean): Promise<Sale[]> =>
  Promise.all(Array.from({ length: TIMES }, () => aSale(db, { commercial, friendReferrer: client, isReady })));

test.each([
  [
    'F-16',
    'a validation',
    async () => {
      await sales(true);
      // The values that a screen shows before the decision.
      const seen = await db.asOwner<{ values: readonly unknown[] }>(
        `select array[s.id::text, s.version::text, s.contract_amount::text,
           private.commission(r.client_commission_type, r.client_commission_amount, s.contract_amount)::text,
           private.commission(r.commercial_commission_type, r.commercial_commission_amount, s.contract_amount)::text] as values
         from public.sales s cross join public.commission_rates r where s.ready_for_validation`,
      );
      return seen.map(({ values }) => ({
        who: admin,
        text: 'select v.already from private.validate_sale($1, null, $2, $3, $4, $5) v',
        values,
      }));
    },
  ],
  [
    'F-16',
    'a status move',
    async () =>
      (await sales(false)).map((sale) => ({
        who: commercial,
        text: `select private.update_sale_status($1, 'contacted', null, null, 'Rappeler lundi')`,
        values: [sale.id],
      })),
  ],
  [
    'F-16',
    'a new referral',
    () =>
      Promise.resolve(
        Array.from({ length: TIMES }, (_, n) => ({
          who: client,
          text: `select private.invite_friend('Camille Bernard', $1, null, null, false)`,
          values: [`ami${n}@ailleurs.example`],
        })),
      ),
  ],
  [
    'LG-02',
    'a look at « Contrôle des comptes »',
    async () => {
      // More than a year, of which a night has counted all but today: the very day is then worth a plan of its own to the planner.
      await db.asOwner(
        `begin; set local session_replication_role = replica;
         insert into public.commission_payments (sale_id, recipient_id, type, amount, created_at)
           select gen_random_uuid(), '${client.id}', 'client', 10, now() - n * interval '6 minutes' from generate_series(1, 100000) n;
         commit`,
      );
      await db.asOwner('analyze public.commission_payments');
      await db.asOwner('select private.count_control()');
      return Array.from({ length: TIMES }, (_, n) => ({
        who: admin,
        text: 'select * from public.account_control($1, $2)',
        values: ['2025-01-01', `${2027 + n}-01-01`],
      }));
    },
  ],
] as const)('[%s] %s is planned once for a connection, whatever its values', async (_row, _act, acts) => {
  expect(await stillPlanned(await acts())).toEqual([]);
});
