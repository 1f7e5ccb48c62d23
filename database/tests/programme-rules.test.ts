import { createHash } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome, race } from './world.ts';

// CS-05: the rules of the programme, in versions that never change, accepted by each client with a proof.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  client = await aClient(db, { commercial });
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const publish = (body: string, seen: number, who = admin) =>
  db.become(who, (run) => run('select private.publish_rules($1, $2)', [body, seen]));
const accept = (version: number, who = client) =>
  db.become(who, (run) => run('select private.accept_rules($1)', [version]));
const toAccept = async (who: Person) =>
  only(await db.become(who, (run) => run<{ version: number | null }>('select private.rules_to_accept() as version')))
    .version;
const current = async () =>
  only(await db.asOwner<{ n: number }>('select coalesce(max(version), 0) as n from private.programme_rules')).n;

test('[CS-05] until something is published nobody is asked for anything', async () => {
  expect(await current()).toBe(0);
  for (const person of [admin, commercial, client]) expect(await toAccept(person)).toBeNull();
  expect(await outcome(accept(1))).toBe('rules_changed');
});

test('[CS-05] an admin alone drafts and publishes; two who publish at once make one version; the same text again is none', async () => {
  const draft = (who: Person) => db.become(who, (run) => run(`select private.save_rules_draft('Brouillon')`));
  for (const person of [commercial, client]) {
    expect(await outcome(draft(person))).toBe('forbidden');
    expect(await outcome(publish('Les miennes', await current(), person))).toBe('forbidden');
  }
  await draft(admin);
  const seen = await current();
  expect(await race([() => publish('Règle A', seen), () => publish('Règle B', seen)])).toEqual({
    ok: 1,
    rules_changed: 1,
  });
  const { body } = only(
    await db.asOwner<{ body: string }>('select body from private.programme_rules where version = $1', [seen + 1]),
  );
  expect(await outcome(publish(body, seen + 1))).toBe('rules_unchanged');
  expect(await outcome(publish(' ', seen + 1))).toBe('invalid_input');
  // Published, the draft is over.
  expect(await db.asOwner('select from private.programme_rules_draft')).toEqual([]);
});

test('[CS-05] each client accepts at first and at each change: who, when, version and the hash of the text are kept', async () => {
  await publish(`Règles d’accueil ${await current()}`, await current());
  const version = await current();
  const other = await aClient(db);
  expect([await toAccept(client), await toAccept(other), await toAccept(admin), await toAccept(commercial)]).toEqual([
    version,
    version,
    null,
    null,
  ]);
  for (const person of [admin, commercial]) expect(await outcome(accept(version, person))).toBe('forbidden');
  expect(await outcome(accept(version - 1))).toBe('rules_changed');
  await accept(version);
  await accept(version);
  expect([await toAccept(client), await toAccept(other)]).toEqual([null, version]);
  const { body } = only(
    await db.asOwner<{ body: string }>('select body from private.programme_rules where version = $1', [version]),
  );
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect(
    await db.asOwner(
      `select version, encode(sha256, 'hex') as sha256 from private.rules_acceptances where client_id = $1`,
      [client.id],
    ),
  ).toEqual([{ version, sha256 }]);
  expect(
    await db.asOwner(
      `select actor_id, after from public.audit_entries where entity_id = $1 and after ? 'rules_accepted'`,
      [client.id],
    ),
  ).toEqual([{ actor_id: client.id, after: { rules_accepted: version, rules_sha256: sha256 } }]);
  await publish('Une règle de plus', version);
  expect(await toAccept(client)).toBe(version + 1);
  // Earlier acceptances stay as they were.
  expect(await db.asOwner('select from private.rules_acceptances where client_id = $1', [client.id])).toHaveLength(1);
});

test('[CS-05] an admin sees the versions, how many accepted each, and who did not, first; nobody else does', async () => {
  if ((await current()) === 0) await publish('Une première règle', 0);
  const version = await current();
  const [late, early] = [await aClient(db, { fullName: 'Zoé Tard' }), await aClient(db, { fullName: 'Anne Tôt' })];
  await accept(version, early);
  const shown = () =>
    db.become(admin, (run) =>
      run<{ full_name: string; version: number | null; total: string }>(
        `select full_name, version, total from private.rules_acceptances_shown('T')`,
      ),
    );
  const rows = (await shown()).filter(({ full_name }) => [late, early].some((p) => p.fullName === full_name));
  expect(rows.map(({ full_name, version: accepted }) => [full_name, accepted])).toEqual([
    ['Zoé Tard', null],
    ['Anne Tôt', version],
  ]);
  const { state } = only(
    await db.become(admin, (run) =>
      run<{ state: { versions: { version: number; accepted: number }[] } }>('select private.rules_shown() as state'),
    ),
  );
  expect(state.versions[0]).toMatchObject({ version, accepted: 1 });
  for (const person of [commercial, client]) {
    for (const call of [`private.rules_shown()`, `private.rules_acceptances_shown('')`]) {
      expect(await outcome(db.become(person, (run) => run(`select ${call}`)))).toBe('forbidden');
    }
  }
});

test('[DF-38] [CS-05] [NV-03] who accepted is found by bare letters, and by words in any order', async () => {
  await aClient(db, { commercial, fullName: 'Hélène Cœur' });
  for (const search of ['helene', 'COEUR', ' Hélène cœur ', 'Cœur Hélène']) {
    const found = await db.become(admin, (run) =>
      run<{ full_name: string }>('select full_name from private.rules_acceptances_shown($1)', [search]),
    );
    expect([search, found.map(({ full_name: name }) => name)]).toEqual([search, ['Hélène Cœur']]);
  }
});

test('[CS-05] [NV-03] among many clients who accepted is found through the index of their terms, and no client is read in vain', async () => {
  await db.asOwner(
    `begin; set local session_replication_role = replica;
     insert into public.profiles select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'email', n || '@clients.example', 'full_name', 'Personne ' || n))).*
       from public.profiles p, generate_series(1, 5000) n where p.id = '${client.id}';
     commit`,
  );
  await db.asOwner('vacuum analyze public.profiles');
  const read = `select seq_tup_read::int as n from pg_stat_xact_user_tables where relid = 'public.profiles'::regclass`;
  await db.become(admin, async (run) => {
    const before = only(await run<{ n: number }>(read)).n;
    for (const [search, names] of [
      ['personne 4321', ['Personne 4321']],
      ['100%', []],
      ['Personne_4321', []],
      ['rien\\', []],
    ] as const) {
      const found = await run<{ full_name: string }>(
        'select full_name from private.rules_acceptances_shown($1) order by 1',
        [search],
      );
      expect([search, found.map(({ full_name: name }) => name)]).toEqual([search, names]);
    }
    expect(only(await run<{ n: number }>(read)).n).toBe(before);
  });
  // The totals never knew them.
  await db.asOwner(
    `begin; set local session_replication_role = replica;
     delete from public.profiles where email like '%@clients.example'; commit`,
  );
});

test('[CS-05] no version and no acceptance is ever changed or taken away by the server', async () => {
  for (const table of ['programme_rules', 'rules_acceptances']) {
    for (const right of ['update', 'delete']) {
      const { has } = only(
        await db.asOwner<{ has: boolean }>(
          `select has_table_privilege('parrain_service', 'private.' || $1, $2) as has`,
          [table, right],
        ),
      );
      expect([table, right, has]).toEqual([table, right, false]);
    }
  }
});
