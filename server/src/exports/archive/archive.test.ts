import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aSale,
  aScale,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import { unzipped } from '../../testing/unzipped.ts';
import { archivedTables, describedColumn, tablesLeftOut } from './archived-tables.ts';

const IBAN = 'FR7630006000011234567890189';

let server: TestServer;
let admin: Person;
let otherAdmin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  const { database } = server;
  admin = await anAdmin(database, { fullName: 'Aline Admin' });
  otherAdmin = await anAdmin(database);
  commercial = await aCommercial(database);
  client = await aClient(database, { commercial, fullName: '=Éloïse; « Lefèvre »' });
  const scale = await aScale(database, { isDefault: true, clientType: 'percentage', clientAmount: '3.33' });
  const contract = { admin, commercial, friendReferrer: client, scale };
  await aValidatedSale(database, { ...contract, contactName: 'Zoé', contractAmount: '12345.67' });
  const cancelled = await aValidatedSale(database, { ...contract, contactName: 'Anne', contractAmount: '0.15' });
  await database.become(admin, (run) => run(asSeen.cancel, [cancelled.id, 'Erreur']));
  const asked = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount: '12.34',
    payment_method: 'virement',
    payment_details: { iban: IBAN, beneficiary_name: 'Éloïse Lefèvre' },
  });
  expect(asked.status).toBe(200);
});
afterAll(async () => {
  expect((await brokenInvariants(server.database.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await server.close();
});

type Shown = { readonly id: string; readonly status: string; readonly asked_by: string; readonly size: number };

const ask = (who: Person) => callAs(server, who, 'company-archive', { action: 'ask' });
const take = (who: Person, id: string) => server.fetch(`/exports/v1/archive/${id}.zip`, {}, who);

async function shown(): Promise<readonly Shown[]> {
  const reply = await callAs(server, admin, 'company-archive?action=get', undefined, { method: 'GET' });
  return reply.body.data as Shown[];
}

/** Waits until nothing is being made, and gives what the screen then shows first. */
async function ended(): Promise<Shown | undefined> {
  return vi.waitFor(
    async () => {
      const [newest] = await shown();
      expect(newest?.status).not.toBe('making');
      return newest;
    },
    { timeout: 120_000, interval: 100 },
  );
}

async function ready(): Promise<string> {
  const newest = await ended();
  expect(newest).toMatchObject({ status: 'ready' });
  return newest?.id ?? '';
}

async function filesOf(id: string): Promise<Map<string, string>> {
  const response = await take(admin, id);
  expect(response.status).toBe(200);
  const files = unzipped(Buffer.from(await response.arrayBuffer()));
  return new Map([...files].map(([name, bytes]) => [name, bytes.toString('utf8')]));
}

const lines = (text: string | undefined): Record<string, string>[] =>
  parse(text ?? '', { columns: true, delimiter: ';', bom: true, record_delimiter: '\r\n' });

/** Has the job run once more, and waits for its end. */
async function runJob(): Promise<void> {
  const { db, jobs } = server.services;
  await db.asService('test', (tx) => jobs.enqueue(tx, 'exports_make_archive', {}, { maxAttempts: 1 }));
  await vi.waitFor(
    async () =>
      expect(
        await server.database.asOwner(
          `select from graphile_worker.jobs where task_identifier = 'exports_make_archive' and attempts < max_attempts`,
        ),
      ).toEqual([]),
    { timeout: 120_000, interval: 100 },
  );
}

describe('what an archive holds', () => {
  test('[EX-03] every table and every column is described in French, or left out with a reason', async () => {
    const rows = await server.database.asOwner<{ name: string; columns: Record<string, string> }>(
      `select n.nspname || '.' || c.relname as name,
         (select json_object_agg(a.attname, format_type(a.atttypid, null)) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p') order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      [...Object.keys(archivedTables), ...Object.keys(tablesLeftOut)].toSorted(),
    );
    for (const { name, columns } of rows) {
      const table = archivedTables[name];
      if (table === undefined) continue;
      const known = [...Object.keys(table.columns), ...Object.keys(table.leftOut ?? {})];
      expect([name, known.toSorted()]).toEqual([name, Object.keys(columns).toSorted()]);
      const labels = Object.values(table.columns).map((described) => describedColumn(described).label);
      expect([name, new Set(labels).size]).toEqual([name, labels.length]);
      // Bytes are sealed secrets, hashes or files: none reads as text.
      expect([name, Object.keys(table.columns).filter((column) => columns[column] === 'bytea')]).toEqual([name, []]);
    }
    const names = Object.values(archivedTables).map(({ file }) => file);
    expect(new Set(names).size).toBe(names.length);
  });

  test('[EX-03] its rows and its sums are those of the database, to the cent, each column explained', async () => {
    expect(await ask(admin)).toMatchObject({ status: 200 });
    const id = await ready();
    const files = await filesOf(id);
    const explained = lines(files.get('colonnes.csv'));
    let rowCount = 0;
    for (const [name, { file, columns }] of Object.entries(archivedTables)) {
      // The rows that the archive itself made came after its snapshot.
      if (/notices|mails|archive|audit/u.test(name)) continue;
      const rows = lines(files.get(`${file}.csv`));
      rowCount += rows.length;
      const { n } = only(await server.database.asOwner<{ n: string }>(`select count(*)::text as n from ${name}`));
      expect([name, String(rows.length)]).toEqual([name, n]);
      const heads = Object.values(columns).map((described) => describedColumn(described).label);
      expect([
        name,
        explained.filter((line) => line['Fichier'] === `${file}.csv`).map((line) => line['Colonne']),
      ]).toEqual([name, heads]);
      const amounts = await server.database.asOwner<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = $1::regclass and atttypid = 'numeric'::regtype
         and attname = any ($2)`,
        [name, Object.keys(columns)],
      );
      for (const { name: column } of amounts) {
        const { label } = describedColumn(columns[column] ?? '');
        const cents = rows.reduce((sum, row) => sum + BigInt((row[label] || '0,00').replace(',', '')), 0n);
        const { sum } = only(
          await server.database.asOwner<{ sum: string }>(
            `select (coalesce(sum(${column}), 0) * 100)::bigint::text as sum from ${name}`,
          ),
        );
        expect([name, column, String(cents)]).toEqual([name, column, sum]);
      }
    }
    expect(rowCount).toBeGreaterThan(10);
    expect(lines(files.get('ventes.csv')).map((row) => row['Montant du contrat'])).toEqual(
      expect.arrayContaining(['12345,67', '0,15', '-0,15']),
    );
    // As a French spreadsheet opens it, and no formula runs.
    expect(files.get('ventes.csv')?.charCodeAt(0)).toBe(0xfe_ff);
    expect(lines(files.get('personnes.csv')).map((row) => row['Nom'])).toContain(`'=Éloïse; « Lefèvre »`);
    expect(lines(files.get('ventes.csv'))[0]?.['Créé le']).toMatch(/^\d\d\/\d\d\/\d{4} \d\d:\d\d$/u);
    expect(files.get('LISEZ-MOI.txt')).toContain(`ventes.csv (${lines(files.get('ventes.csv')).length})`);
    expect([...files.keys()].at(-1)).toBe('LISEZ-MOI.txt');
  });

  test('[EX-03] [V-18] no secret is in it: an IBAN is masked, links and hashes stay behind', async () => {
    const token = (await callAs(server, client, 'personal-link', { action: 'get' })).body;
    const { token: link } = only(
      await server.database.asOwner<{ token: string }>('select token from private.personal_links'),
    );
    expect(JSON.stringify(token)).toContain(link);
    const { hash } = only(
      await server.database.asOwner<{ hash: string }>(
        `select encode(hash, 'hex') as hash from public.audit_entries order by id limit 1`,
      ),
    );
    await ask(admin);
    const all = [...(await filesOf(await ready())).values()].join('\n');
    expect(all).toContain('Éloïse Lefèvre');
    for (const secret of [IBAN, IBAN.slice(4, -4), link, hash]) expect(all).not.toContain(secret);
  });

  test('[EX-03] it is of one instant: what is written while it is made is not in it, in no file', async () => {
    const blocker = new Client(server.database.owner);
    await blocker.connect();
    try {
      // Read after the sales, before the commissions.
      await blocker.query('begin; lock table private.reminders in access exclusive mode');
      await ask(admin);
      const waiting = `select from pg_locks where not granted and relation = 'private.reminders'::regclass`;
      await vi.waitFor(async () => expect(await server.database.asOwner(waiting)).not.toEqual([]), {
        timeout: 120_000,
        interval: 50,
      });
      const scale = await aScale(server.database);
      await aValidatedSale(server.database, { admin, commercial, friendReferrer: client, scale, contactName: 'Tard' });
      await blocker.query('rollback');
    } finally {
      await blocker.end();
    }
    const files = await filesOf(await ready());
    const sales = new Set(lines(files.get('ventes.csv')).map((row) => row['Identifiant']));
    const commissions = lines(files.get('commissions-creditees.csv'));
    expect(commissions.length).toBeGreaterThan(0);
    expect(commissions.filter((row) => !sales.has(row['Contrat'] ?? ''))).toEqual([]);
    expect(lines(files.get('baremes.csv'))).toHaveLength(
      (await server.database.asOwner('select from public.commission_rates')).length - 1,
    );
  });
});

describe('its making', () => {
  test('[EX-03] one is made at a time; every admin is told, on screen and by mail, with a link into the product', async () => {
    await ended();
    await server.database.asOwner('delete from private.archives');
    const blocker = new Client(server.database.owner);
    await blocker.connect();
    try {
      await blocker.query('begin; lock table public.sales in access exclusive mode');
      expect(await ask(admin)).toMatchObject({ status: 200, body: { message: 'Archive demandée' } });
      expect(await ask(otherAdmin)).toMatchObject({ status: 200 });
      expect(await shown()).toMatchObject([{ status: 'making', asked_by: 'Aline Admin' }]);
    } finally {
      await blocker.end();
    }
    const id = await ready();
    for (const person of [admin, otherAdmin]) {
      const notices = await server.database.become(person, (run) =>
        run('select kind, read_at from public.notices where archive_id = $1', [id]),
      );
      expect(notices).toEqual([{ kind: 'archive_ready', read_at: null }]);
    }
    await server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'mail_notices', {}));
    // Other news come before it, or with it.
    let told = '';
    while (!told.includes('archive de vos données est prête'))
      told += (await server.mailbox.take(otherAdmin.email)).text;
    expect(told).toContain(`${server.url}/admin/dashboard?section=reglages&bloc=donnees`);
    const trail = await server.database.asOwner(
      `select actor_id, after ->> 'list' as list from public.audit_entries where entity_id = $1 and action = 'ask'`,
      [id],
    );
    expect(trail).toEqual([{ actor_id: admin.id, list: 'archive' }]);
  });

  test('[EX-03] another node leaves one alone that is being made, and begins it again where its node is gone', async () => {
    await ended();
    // Another node: what it holds goes with its connection.
    const node = new Client(server.database.owner);
    await node.connect();
    await node.query(`begin; select pg_advisory_xact_lock(hashtextextended('private.archives', 0))`);
    await ask(admin);
    await runJob();
    const [making] = await shown();
    expect(making).toMatchObject({ status: 'making' });
    const { id } = making ?? { id: '' };
    await server.database.asOwner('update private.archives set attempt = 1 where id = $1', [id]);
    const add = (attempt: number) =>
      server.database.become('parrain_service', (run) =>
        run(`select private.add_archive_part($1, $2, 0, 'half of it')`, [id, attempt]),
      );
    await add(1);
    await node.end();
    await runJob();
    expect(await ready()).toBe(id);
    expect((await filesOf(id)).has('LISEZ-MOI.txt')).toBe(true);
    // A later write of the first node is refused.
    await expect(add(1)).rejects.toThrow('archive_gone');
  });

  test('[EX-03] one that cannot be made is given up after three tries, said, and asked for again', async () => {
    await ended();
    await server.database.asOwner('alter table private.list_views rename to list_views_elsewhere');
    try {
      await ask(admin);
      await vi.waitFor(
        async () => {
          await runJob();
          expect(await shown()).toMatchObject([{ status: 'failed' }, { status: 'ready' }]);
        },
        { timeout: 120_000, interval: 10 },
      );
    } finally {
      await server.database.asOwner('alter table private.list_views_elsewhere rename to list_views');
    }
    const failed = only((await shown()).slice(0, 1));
    expect(
      await server.database.asOwner(
        `select kind, count(*)::integer as n from public.notices where archive_id = $1 group by 1`,
        [failed.id],
      ),
    ).toEqual([{ kind: 'archive_failed', n: 2 }]);
    expect(
      await server.database.asOwner('select from private.archive_parts where archive_id = $1', [failed.id]),
    ).toEqual([]);
    await server.database.asOwner(`delete from private.rate_limits where bucket = 'archives'`);
    await ask(admin);
    await ready();
    // The last one replaces those before.
    expect(await shown()).toHaveLength(1);
  });

  test('[EX-03] a making that its node never survives is given up too', async () => {
    await ended();
    await server.database.asOwner(
      `insert into private.archives (asked_by, attempt) select $1, 3 where not exists (select from private.archives where status = 'making')`,
      [admin.id],
    );
    await runJob();
    expect(await ended()).toMatchObject({ status: 'failed' });
  });
});

describe('taking it away', () => {
  test('[EX-03] an admin alone has it, and each time is in the journal', async () => {
    await server.database.asOwner(`delete from private.rate_limits where bucket = 'archives'`);
    await ask(admin);
    const id = await ready();
    const before = await server.database.asOwner(
      `select from public.audit_entries where after ->> 'list' = 'archive' and action = 'export'`,
    );
    for (const person of [commercial, client]) {
      expect((await ask(person)).status).toBe(403);
      expect((await callAs(server, person, 'company-archive?action=get', undefined, { method: 'GET' })).status).toBe(
        403,
      );
      expect((await take(person, id)).status).toBe(403);
    }
    expect((await server.fetch(`/exports/v1/archive/${id}.zip`)).status).toBe(403);
    const response = await take(otherAdmin, id);
    expect(response.status).toBe(200);
    expect(decodeURIComponent(response.headers.get('content-disposition') ?? '')).toMatch(
      /^attachment; filename\*=UTF-8''Données \d{4}-\d\d-\d\d\.zip$/u,
    );
    expect((await response.arrayBuffer()).byteLength).toBe(only(await shown()).size);
    const after = await server.database.asOwner<{ actor_id: string }>(
      `select actor_id, after from public.audit_entries where after ->> 'list' = 'archive' and action = 'export' order by id desc`,
    );
    expect(after).toHaveLength(before.length + 1);
    expect(after[0]).toMatchObject({ actor_id: otherAdmin.id, after: { format: 'zip' } });
  });

  test('[EX-03] one that is over, or whose bytes went with a crash, is said to be gone', async () => {
    const { id } = only(await shown());
    await server.database.asOwner(`update private.archives set ended_at = ended_at - interval '8 days'`);
    expect(await shown()).toEqual([]);
    const over = await take(admin, id);
    expect([over.status, await over.json()]).toMatchObject([
      404,
      { error: expect.stringContaining('n’est plus disponible') },
    ]);
    await server.database.asOwner(`update private.archives set ended_at = now()`);
    await server.database.asOwner('delete from private.archive_parts where place = 0');
    expect(await shown()).toMatchObject([{ status: 'failed' }]);
    expect((await take(admin, id)).status).toBe(404);
    await aSale(server.database);
  });
});
