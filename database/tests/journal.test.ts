import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, aSale, only } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { aWorld } from './world.ts';
import type { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await aWorld();
});
afterAll(() => world.db.drop());

/** The nodes of a plan with their indexes: « Index Scan audit_entries_by_time ». */
interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): string[] {
  const own = [node['Node Type'], node['Index Name']].filter((word) => word !== undefined).join(' ');
  return [own, ...(node.Plans ?? []).flatMap(nodesOf)];
}

describe('[X-03] the journal of a company with many entries', () => {
  beforeAll(async () => {
    // Past the chain of hashes, which is not what is tried here.
    await world.db.asOwner(
      `begin; set local session_replication_role = replica;
       insert into public.audit_entries (at, actor_id, actor, entity, entity_id, action, hash)
         select now() - n * interval '1 minute', case when n % 50 = 0 then '${world.admin.id}'::uuid else gen_random_uuid() end,
           'admin', case when n % 20 = 0 then 'payment_requests' else 'sales' end, gen_random_uuid(), 'update', '\\\\x00'
         from generate_series(1, 20000) n;
       commit`,
    );
    await world.db.asOwner('analyze public.audit_entries');
  });

  const select = 'select id, at, actor_id, actor, entity, entity_id, action, before, after, reason';
  const newest = 'order by at desc, id desc limit 31';
  test.each([
    ['all of it', 'audit_entries', 'true', 'audit_entries_by_time'],
    ['one author', 'audit_entries', 'actor_id = $ADMIN', 'audit_entries_by_author'],
    ['one kind', 'audit_entries', `entity = 'payment_requests'`, 'audit_entries_by_kind_and_time'],
    [
      'one period',
      'audit_entries',
      `at >= now() - interval '2 days' and at < now() - interval '1 day'`,
      'audit_entries_by_time',
    ],
    [
      'the page after a row',
      'audit_entries',
      `at < now() - interval '5 days' and entity = 'payment_requests'`,
      'audit_entries_by_kind_and_time',
    ],
    ['what is about a person', 'audit_entries_about', 'about_id = $CLIENT', 'audit_subjects_pkey'],
    [
      'what is about a person, of one kind, after a row',
      'audit_entries_about',
      `about_id = $CLIENT and entity = 'sales' and at < now() - interval '1 day'`,
      'audit_subjects_pkey',
    ],
  ])(
    '[X-03] [NV-07] %s is found through an index, and nothing is read from end to end',
    async (_, relation, where, index) => {
      const sql = `${select} from public.${relation} where ${where} ${newest}`
        .replace('$ADMIN', `'${world.admin.id}'`)
        .replace('$CLIENT', `'${world.mine.client.id}'`);
      const rows = await world.db.become(world.admin, (run) =>
        run<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(`explain (format json) ${sql}`),
      );
      const plan = only(rows)['QUERY PLAN'][0]?.Plan;
      const nodes = plan === undefined ? [] : nodesOf(plan);
      expect(nodes.some((node) => node.endsWith(` ${index}`))).toBe(true);
      expect(nodes.filter((node) => node === 'Seq Scan' && relation === 'audit_entries')).toEqual([]);
    },
  );

  test('[X-03] [NV-07] what is about a person is a page’s work, and its count reads no entry, however much happened to them', async () => {
    const busy = world.others.client.id;
    await world.db.asOwner(
      `insert into figures.audit_subjects (about_id, at, entry_id, entity)
         select $1, a.at, a.id, a.entity from public.audit_entries a where a.actor = 'admin' on conflict do nothing`,
      [busy],
    );
    await world.db.asOwner('vacuum analyze figures.audit_subjects');
    const explained = async (sql: string) => {
      const rows = await world.db.become(world.admin, (run) =>
        run<{
          'QUERY PLAN': readonly { Plan: PlanNode & { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }[];
        }>(`explain (analyze, buffers, format json) ${sql}`),
      );
      const plan = only(only(rows)['QUERY PLAN']).Plan;
      return { nodes: nodesOf(plan), pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
    };
    const page = await explained(`${select} from public.audit_entries_about where about_id = '${busy}' ${newest}`);
    // Four for each entry, and some to begin with.
    expect(page.pages).toBeLessThan(31 * 5 + 30);
    const count = await explained(`select count(*) from public.audit_entries_about where about_id = '${busy}'`);
    expect(count.nodes.join()).not.toContain('audit_entries_pkey');
  });

  test('[X-03] [P-01] what is about a person is theirs, their sales’, commissions’ and requests’; an admin alone reads it', async () => {
    const { client, commercial, validated, request } = world.mine;
    const about = (who: Parameters<typeof world.db.become>[0], id: string) =>
      world.db.become(who, (run) =>
        run<{ entity: string; entity_id: string }>(
          'select distinct entity, entity_id from public.audit_entries_about where about_id = $1',
          [id],
        ),
      );
    const ofClient = await about(world.admin, client.id);
    expect(new Set(ofClient.map(({ entity }) => entity))).toEqual(
      new Set(['profiles', 'sales', 'payment_requests', 'account_closure_requests']),
    );
    expect(ofClient.map(({ entity_id: id }) => id)).toEqual(expect.arrayContaining([client.id, validated.id, request]));
    expect((await about(world.admin, validated.id)).map(({ entity }) => entity)).toEqual(['sales']);
    expect((await about(world.admin, commercial.id)).map(({ entity_id: id }) => id)).toContain(validated.id);
    expect(await about(commercial, client.id)).toEqual([]);
    expect(await about(client, client.id)).toEqual([]);
    // Each entry once, whoever the friend's and the client's referrer are.
    const twice = await world.db.become(world.admin, (run) =>
      run('select id from public.audit_entries_about where about_id = $1 group by id having count(*) > 1', [client.id]),
    );
    expect(twice).toEqual([]);
  });

  test('[X-03] whom a client is handed over to reads the whole trail of their referrals; whoever had them keeps what was theirs', async () => {
    const { db, admin } = world;
    const [former, next] = [await aCommercial(db), await aCommercial(db)];
    const client = await aClient(db, { commercial: former });
    const sale = await aSale(db, { commercial: former, friendReferrer: client });
    const ofSale = async (id: string) => {
      const rows = await db.become(admin, (run) =>
        run<{ action: string }>(
          `select action from public.audit_entries_about where about_id = $1 and entity = 'sales' and entity_id = $2 order by id`,
          [id, sale.id],
        ),
      );
      return rows.map(({ action }) => action);
    };
    expect([await ofSale(former.id), await ofSale(next.id)]).toEqual([['insert'], []]);
    await db.become(admin, (run) =>
      run('select private.assign_client($1, $2, $3, null)', [client.id, next.id, former.id]),
    );
    const moved = ['insert', 'update'];
    expect([await ofSale(former.id), await ofSale(next.id), await ofSale(client.id)]).toEqual([moved, moved, moved]);
    // Gone with their client, the referral is still found under them.
    await db.asOwner(`update public.sales set status = 'rejected', rejection_reason = 'Doublon' where id = $1`, [
      sale.id,
    ]);
    await db.become(admin, (run) => run('select private.delete_client($1)', [client.id]));
    const whole = [...moved, 'update', 'delete'];
    expect([await ofSale(former.id), await ofSale(next.id), await ofSale(client.id)]).toEqual([moved, whole, whole]);
  });

  test('[X-03] [OP-02] an entry that is not filed under somebody it is about is found by the verification', async () => {
    const missing = async () => {
      const findings = await verify((sql) => world.db.asOwner(sql));
      return findings.find(({ invariant }) => invariant.id === 'I4c')?.violations.length;
    };
    expect(await missing()).toBe(0);
    await world.db.asOwner('delete from figures.audit_subjects where about_id = $1 and entity = $2', [
      world.mine.client.id,
      'account_closure_requests',
    ]);
    expect(await missing()).toBe(1);
  });
});
