import { invariants } from '@parrain/database/verify';

import type { Bench } from './company.ts';
import { grouped, mebibytes, seconds } from './report.ts';
import type { Section } from './report.ts';

const SIGN_INS_A_YEAR = { commercial: 250, client: 12 } as const;
const SESSIONS_EACH = 2;
/** Their records go after 90 days. */
const MAILS_A_YEAR_KEPT = 0.25;
const TABLES_SHOWN = 8;

/** Disk size of the seeded company with its sign-ins and mails, and the time `verify` takes over it. */
export async function size(bench: Bench): Promise<Section> {
  const { owner, sizes, say } = bench;
  say('adding sign-ins, sessions and mails');
  await owner.query(
    `insert into auth.audit_entries (user_id, action, ip, detail)
     select p.id, 'login', '192.0.2.1', '{"provider": "email"}' from public.profiles p
     cross join generate_series(1, case p.role when 'client' then $1::int else $2::int end)`,
    [SIGN_INS_A_YEAR.client, SIGN_INS_A_YEAR.commercial],
  );
  await owner.query(
    `insert into auth.sessions (user_id, refresh_key_sealed, user_agent, ip)
     select id, decode(repeat('00', 60), 'hex'), 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', '192.0.2.1'
     from public.profiles cross join generate_series(1, $1::int)`,
    [SESSIONS_EACH],
  );
  await owner.query(
    `insert into private.mails (status, template, attempts, accepted_at)
     select 'accepted', 'friend-invitation', 1, now() from generate_series(1, $1::int)`,
    [Math.round(sizes.sales * MAILS_A_YEAR_KEPT)],
  );
  await owner.query('vacuum analyze');

  const { rows: tables } = await owner.query<{ name: string; bytes: string; count: string }>(
    `select c.oid::regclass::text as name, pg_total_relation_size(c.oid) as bytes, greatest(c.reltuples, 0)::bigint as count
     from pg_class c where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'auth', 'private', 'storage', 'figures')
     order by bytes desc`,
  );
  const total = tables.reduce((sum, { bytes }) => sum + Number(bytes), 0);

  const durations: { readonly id: string; readonly took: number }[] = [];
  for (const { id, violations } of invariants) {
    say(`verifying ${id}`);
    const started = performance.now();
    const { rowCount } = await owner.query(`${violations} limit 20`);
    if (rowCount !== 0) throw new Error(`The seeded company breaks ${id}`);
    durations.push({ id, took: (performance.now() - started) / 1000 });
  }
  const [longest] = durations.toSorted((a, b) => b.took - a.took);

  return {
    title: 'the size of the database',
    rows: [
      { what: 'all tables with their indexes', ours: mebibytes(total / 2 ** 20) },
      { what: 'a sale, with all that comes with it', ours: `${(total / sizes.sales / 1024).toFixed(1)} KiB` },
      ...tables.slice(0, TABLES_SHOWN).map(({ name, bytes, count }) => ({
        what: `${name} (${grouped(Number(count))} rows)`,
        ours: mebibytes(Number(bytes) / 2 ** 20),
      })),
      {
        what: `verifying ${durations.length} invariants`,
        ours: seconds(durations.reduce((sum, { took }) => sum + took, 0)),
      },
      { what: `the longest of them, ${longest?.id ?? ''}`, ours: seconds(longest?.took ?? 0) },
    ],
  };
}
