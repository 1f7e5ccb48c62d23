// npm run drop-defences: takes the defences of the database away (policies, grants, constraints, triggers, row security),
// runs the tests that could see it against the damaged database, and prints those that nobody missed (R4).
//
// Many have a test of their own, which tries that one with all the others out of its way: those of one kind are taken away
// together, and each must be missed by its own test. The others are taken away one at a time, with the tests of the product.
//
//   -- --sample 40        so many of them, chosen by their names: the same ones every time
//   -- --only 'sales_'    those whose name matches
//   -- --list             names them and ends
//   -- --parallel 2       so many at once
//   -- --singly           all of them one at a time, with the tests of the product only: hours
//   -- --anew             asks again of those that were missed before (otherwise the answers of earlier runs are kept)
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { hashOf, inProject, projectEnvironment, run, tool } from './lib/project.mjs';

const TEMPLATE = 'parrain_template';
/** Test suites that may detect a damage, the quickest first. The list of defences detects every one, and is no proof that one is of use. */
const SUITES = [
  ['database', ['tests/policies', 'tests/money', 'tests/people', 'tests/parity']],
  ['database', ['tests/figures', 'tests/totals', 'tests/kept', 'tests/ledger']],
  [
    'database',
    ['tests/batches', 'tests/commission-periods', 'tests/corrections-in-part', 'tests/disputes', 'tests/proofs'],
  ],
  ['database', ['tests/doubtful-cases', 'tests/imports', 'tests/imported-referrals', 'tests/cleaning']],
  [
    'server',
    ['src/bounds', 'src/exports/accounting/accounting', 'src/exports/papers/papers', 'src/functions/papers/papers'],
  ],
  [
    'server',
    [
      'src/functions/imports/imports',
      'src/functions/api-keys/api-keys',
      'src/functions/webhooks/webhooks',
      'src/exports/archive/archive',
    ],
  ],
  ['server', ['src/rights/matrix']],
];
/** Tests of the defences that have one of their own, by name. */
const OWN = ['database', ['tests/constraints', 'tests/grants']];

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
    singly: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

async function stop() {
  await postgres.stop();
}

async function main() {
  const defences = chosen(await query(TEMPLATE, DEFENCES));
  if (options.list) {
    for (const { id } of defences) process.stdout.write(`${id}\n`);
    process.stdout.write(`${defences.length} defences\n`);
    return;
  }
  const memory = openMemory();
  const unknown = defences.filter(({ id }) => !memory.has(id));
  const withTests = options.singly ? [] : unknown.filter(({ title }) => title !== null);
  // The tests must be content with an undamaged database, else everything would seem to be missed.
  if (unknown.length > withTests.length) {
    const whole = await missedBy({ id: 'nothing', sql: 'select' }, -1);
    if (whole !== null) throw new Error(`The tests fail without any damage: ${whole}`);
  }
  for (const [id, by] of await missedByTheirOwn(withTests)) memory.set(id, by);
  const survivors = [];
  const waiting = [...defences.entries()];
  const started = Date.now();
  let done = 0;
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, defence] = next;
      let by = memory.get(defence.id);
      if (by === undefined) {
        by = await missedBy(defence, index);
        if (by !== null) memory.set(defence.id, by);
      }
      done += 1;
      if (by === null) survivors.push(defence.id);
      process.stdout.write(`${by === null ? '✗ survives' : '✓'} ${defence.id}${by === null ? '' : `  (${by})`}\n`);
    }
  }
  await Promise.all(Array.from({ length: Number(options.parallel) }, work));
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`\n${done - survivors.length} of ${done} defences are missed by a test (${seconds} s)\n`);
  for (const id of survivors.toSorted((a, b) => (a < b ? -1 : 1))) process.stdout.write(`  nobody misses: ${id}\n`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

function chosen(rows) {
  const wanted = options.only === undefined ? rows : rows.filter(({ id }) => new RegExp(options.only, 'u').test(id));
  if (options.sample === undefined) return wanted;
  const place = ({ id }) => createHash('sha256').update(id).digest('hex');
  return wanted.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, Number(options.sample));
}

/** Takes away all that is of one kind, kind by kind: those whose own test fails, with that test. */
async function missedByTheirOwn(defences) {
  const missed = new Map();
  if (defences.length === 0) return missed;
  const before = await failedTests(OWN, TEMPLATE);
  if (before.length > 0) throw new Error(`The tests fail without any damage: ${before[0]}`);
  const kinds = Map.groupBy(defences, ({ id }) => id.slice(0, id.indexOf(':')));
  for (const [kind, those] of kinds) {
    const failed = await withDamage(`kind_${missed.size}`, those.map(({ sql }) => sql).join(';\n'), (name) =>
      failedTests(OWN, name),
    );
    for (const { id, title } of those) {
      const by = failed.find((test) => test.endsWith(`] ${title}`));
      if (by !== undefined) missed.set(id, by);
    }
    process.stdout.write(`${those.filter(({ id }) => missed.has(id)).length} of ${those.length}: ${kind}\n`);
  }
  return missed;
}

async function withDamage(suffix, sql, work) {
  const name = `damaged_${process.pid}_${suffix}`;
  await query('postgres', `create database ${name} template ${TEMPLATE}`);
  try {
    await query(name, sql);
    return await work(name);
  } finally {
    await query('postgres', `drop database if exists ${name} with (force)`);
  }
}

/** The first test that fails where the defence is gone; null where all pass. */
async function missedBy(defence, index) {
  return withDamage(String(index + 1), defence.sql, async (name) => {
    for (const suite of [...nearest(defence.id), ...SUITES]) {
      const [first] = await failedTests(suite, name, 1);
      if (first !== undefined) return first;
    }
    return null;
  });
}

/** The files that speak most of a table, one at a time: nearly always the first of them misses what is taken from it. */
function nearest(id) {
  const name = id.slice(Math.max(id.lastIndexOf(' '), id.lastIndexOf('.')) + 1);
  return SUITES.flatMap(([workspace, files]) =>
    files.map((file) => {
      const source = inProject(workspace, `${file}.test.ts`);
      const named = existsSync(source) ? readFileSync(source, 'utf8').split(name).length - 1 : 0;
      return { suite: [workspace, [file]], named };
    }),
  )
    .filter(({ named }) => named > 0)
    .toSorted((a, b) => b.named - a.named)
    .slice(0, 3)
    .map(({ suite }) => suite);
}

/** The titles of the tests that fail, or the files that could not be run. */
async function failedTests([workspace, files], template, bail = 0) {
  const known = files.map((file) => `${file}.test.ts`).filter((file) => existsSync(inProject(workspace, file)));
  if (known.length === 0) return [];
  const report = path.join(os.tmpdir(), `${template}.json`);
  const [node, script] = tool('vitest');
  const parameters = ['run', '--reporter=json', `--outputFile=${report}`, `--bail=${bail}`, '--maxWorkers=1', ...known];
  const { code, output } = await run(node, [...script, ...parameters], {
    cwd: inProject(workspace),
    capture: true,
    env: projectEnvironment({ [TEST_POSTGRES]: process.env[TEST_POSTGRES], [TEST_TEMPLATE]: template }),
  });
  if (code === 0) return [];
  const { testResults } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] };
  rmSync(report, { force: true });
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
  );
  if (failed.length > 0) return failed;
  // A file whose tests pass may still fail at its end, where it verifies what they left.
  const broken = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => `end of ${path.basename(name)}`);
  return broken.length > 0 ? broken : [`no test could run: ${output.trim().slice(-200)}`];
}

/** Cache of the results of earlier runs on the same schema. */
function openMemory() {
  const folder = inProject('node_modules', '.cache', 'drop-defences');
  mkdirSync(folder, { recursive: true });
  const file = path.join(
    folder,
    `${hashOf([inProject('database', 'migrations'), inProject('database', 'tests')]).slice(0, 16)}.jsonl`,
  );
  if (options.anew) rmSync(file, { force: true });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const known = new Map(lines.filter(Boolean).map((line) => JSON.parse(line)));
  return {
    has: (id) => known.has(id),
    get: (id) => known.get(id),
    set(id, by) {
      known.set(id, by);
      appendFileSync(file, `${JSON.stringify([id, by])}\n`);
    },
  };
}

/** Every defence, the statement that takes it away, and the title of the test of its own where it has one. */
const DEFENCES = `
with tables as (
  select c.oid, c.oid::regclass::text as name, n.nspname || '.' || c.relname as full_name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p', 'v')
    and c.relname <> 'migrations'
),
defences as (
  select format('policy dropped: %s on %s', p.polname, t.name) as id, format('drop policy %I on %s', p.polname, t.name) as sql,
      case when p.polname ~ '_(service_all|secret_read)$' then format('%s: policy %s', t.full_name, p.polname) end as title
    from pg_policy p join tables t on t.oid = p.polrelid
  union all
  select format('policy opened: %s on %s', p.polname, t.name),
      format('alter policy %I on %s %s %s', p.polname, t.name,
        case when p.polqual is not null then 'using (true)' else '' end,
        case when p.polwithcheck is not null then 'with check (true)' else '' end), null
    from pg_policy p join tables t on t.oid = p.polrelid
    where coalesce(pg_get_expr(p.polqual, p.polrelid), 'true') <> 'true'
      or coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'true') <> 'true'
  union all
  select format('row security off: %s', t.name), format('alter table %s disable row level security', t.name),
      format('%s: row security', t.full_name)
    from tables t join pg_class c on c.oid = t.oid where c.relrowsecurity
  union all
  select format('view as its owner: %s', t.name), format('alter view %s set (security_invoker = false)', t.name),
      format('%s: view as its caller', t.full_name)
    from tables t join pg_class c on c.oid = t.oid
    -- Others run as their owner and say themselves who may read; and a view of functions alone asks as its caller anyway.
    where c.relkind = 'v' and 'security_invoker=true' = any (c.reloptions) and exists (select from pg_rewrite r join pg_depend d
      on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid
      where r.ev_class = c.oid)
  union all
  select format('grant revoked: %s on %s to %s', lower(a.privilege_type), t.name, a.grantee::regrole),
      format('revoke %s on %s from %s', a.privilege_type, t.name, a.grantee::regrole),
      format('%s: grant of %s to %s', t.full_name, lower(a.privilege_type), a.grantee::regrole)
    from tables t join pg_class c on c.oid = t.oid, aclexplode(c.relacl) a
    where a.grantee <> c.relowner and a.grantee <> 0
  union all
  select format('grant revoked: %s (%s) on %s to %s', lower(a.privilege_type), x.attname, t.name, a.grantee::regrole),
      format('revoke %s (%I) on %s from %s', a.privilege_type, x.attname, t.name, a.grantee::regrole),
      format('%s: grant of %s (%s) to %s', t.full_name, lower(a.privilege_type), x.attname, a.grantee::regrole)
    from tables t join pg_attribute x on x.attrelid = t.oid, aclexplode(x.attacl) a where a.grantee <> 0
  union all
  select format('grant revoked: execute on %s to %s', p.oid::regprocedure, a.grantee::regrole),
      format('revoke execute on function %s from %s', p.oid::regprocedure, a.grantee::regrole),
      format('%s.%s(%s): execute to %s', n.nspname, p.proname, (select string_agg(format_type(u.type, null), ',' order by u.place)
        from unnest(p.proargtypes::oid[]) with ordinality u (type, place)), a.grantee::regrole)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace, aclexplode(p.proacl) a
    where n.nspname in ('public', 'auth', 'private', 'figures') and a.grantee <> p.proowner and a.grantee <> 0
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select format('%s dropped: %s on %s', case k.contype when 'c' then 'check' when 'u' then 'unique' when 'f' then 'foreign key'
        when 'x' then 'exclusion' else 'primary key' end, k.conname, t.name),
      format('alter table %s drop constraint %I cascade', t.name, k.conname),
      format('%s: %s %s', t.full_name, case k.contype when 'c' then 'check' when 'u' then 'unique' when 'f' then 'foreign key'
        when 'x' then 'exclusion' end, k.conname)
    from pg_constraint k join tables t on t.oid = k.conrelid where k.contype in ('c', 'u', 'f', 'x')
  union all
  select format('unique dropped: %s on %s', i.indexrelid::regclass, t.name), format('drop index %s', i.indexrelid::regclass),
      format('%s: unique %s', t.full_name, (select relname from pg_class where oid = i.indexrelid))
    from pg_index i join tables t on t.oid = i.indrelid
    where i.indisunique and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  union all
  select format('trigger dropped: %s on %s', g.tgname, t.name), format('drop trigger %I on %s', g.tgname, t.name),
      case when g.tgname ~ '(_tell_(insert|update|delete)|_audit)$' then format('%s: trigger %s', t.full_name, g.tgname) end
    from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
  union all
  select format('null allowed: %s.%s', t.name, x.attname), format('alter table %s alter column %I drop not null', t.name, x.attname),
      format('%s: not null %s', t.full_name, x.attname)
    from tables t join pg_class c on c.oid = t.oid join pg_attribute x on x.attrelid = t.oid
    where c.relkind = 'r' and x.attnum > 0 and x.attnotnull
      -- What the database itself writes is never null.
      and x.attidentity = '' and x.attgenerated = ''
      and not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary and x.attnum = any (i.indkey))
)
select id, sql, title from defences order by id`;

const {
  askTestPostgres: query,
  startTestPostgres,
  TEST_POSTGRES,
  TEST_TEMPLATE,
} = await import('../database/src/testing.ts');
const postgres = await startTestPostgres();
process.once('SIGINT', () => void stop().then(() => process.exit(130)));
try {
  await main();
} finally {
  await stop();
}
