import { netTotals } from '@parrain/domain/exports';
import type { ListTotals } from '@parrain/domain/exports';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { lists } from './lists.ts';

/** Rows enough for more than a socket keeps. */
const MANY = 12_000;
const RULES = 'Article 1 : on recommande ses amis.';

let server: TestServer;
let people: Record<'admin' | 'seller' | 'otherSeller' | 'client' | 'otherClient', Person>;
beforeAll(async () => {
  server = await startTestServer({ doors: ['rest', 'exports'], jobs: false });
  const db = server.database;
  const [admin, seller, otherSeller] = [await anAdmin(db), await aCommercial(db), await aCommercial(db)];
  const client = await aClient(db, { commercial: seller, fullName: 'Éloïse Lefèvre', phone: '+33 6 12 34 56 78' });
  const otherClient = await aClient(db, { commercial: otherSeller });
  people = { admin, seller, otherSeller, client, otherClient };
  const scale = await aScale(db, { clientAmount: '3.33' });
  const contract = { admin, commercial: seller, friendReferrer: client, scale };
  await aValidatedSale(db, { ...contract, contactName: 'Zoé', contractAmount: '1234567.89' });
  const cancelled = await aValidatedSale(db, { ...contract, contactName: 'Anne', contractAmount: '0.15' });
  await db.become(admin, (run) => run(asSeen.cancel, [cancelled.id, 'Erreur']));
  await aValidatedSale(db, { ...contract, commercial: otherSeller, friendReferrer: otherClient, contactName: 'Luc' });
  // Half past eleven in the evening in Greenwich is the next day in Paris, even in winter.
  await db.asOwner(
    `insert into public.sales (referred_contact_name, commercial_id, friend_referrer_id, status, rejection_reason, created_at)
     values ('Refusée', $1, $2, 'rejected', 'Hors zone', '2026-03-28T23:30:00Z')`,
    [seller.id, client.id],
  );
  await db.become(admin, (run) => run('select private.publish_rules($1, 0)', [RULES]));
  await db.become(client, (run) => run('select private.accept_rules(1)'));
  await db.become(client, (run) => run(`select from private.request_payment(20, 'remise_societe', '{}', null)`));
});
afterAll(() => server.close());

const ask = (file: string, who?: Person, init: RequestInit = {}) => server.fetch(`/exports/v1/${file}`, init, who);

type Cells = Record<string, string>;

async function csv(file: string, who: Person): Promise<Cells[]> {
  const response = await ask(file, who);
  const content = await response.text();
  expect([response.status, content]).toMatchObject([200, expect.any(String)]);
  return parse(content, { columns: true, delimiter: ';', bom: true, record_delimiter: '\r\n' });
}

async function sheet(file: string, who: Person) {
  const response = await ask(file, who);
  expect(response.status).toBe(200);
  const book = await readXlsx(new Uint8Array(await response.arrayBuffer()), { readStyles: true });
  const [first] = book.sheets;
  if (first === undefined) throw new Error('The workbook has no sheet');
  return first;
}

describe('a CSV', () => {
  test('[EX-01] opens in a French spreadsheet: mark, « ; », decimal comma, days of France, CRLF', async () => {
    const response = await ask('sales.csv?order=created_at,id', people.admin);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(decodeURIComponent(response.headers.get('content-disposition') ?? '')).toMatch(
      /^attachment; filename\*=UTF-8''Ventes \d{4}-\d\d-\d\d\.csv$/u,
    );
    const lines = bytes.toString('utf8').split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFClient;E-mail;Téléphone;Commercial;Parrain;E-mail du parrain;Montant;Statut;Raison;Date;Validé le;Commission client;Commission commercial;Description;Identifiant',
    );
    expect(lines[1]).toMatch(
      /^Refusée;;;[^;]+;Éloïse Lefèvre;[^;]+@[^;]+;;Refusé;Hors zone;29\/03\/2026;;;;;[\da-f-]{36}$/u,
    );
    expect(lines.find((line) => line.startsWith('Zoé;'))).toContain(';1234567,89;Validé par admin;');
    expect(lines.find((line) => line.includes(';-0,15;'))).toContain(';Validation annulée;Erreur;');
    expect(lines.at(-1)).toBe('');
  });

  test('[EX-01] [X-01] has the rows and the order of the list on screen, whatever its page', async () => {
    for (const [query, names] of [
      ['order=referred_contact_name.desc,id', ['Zoé', 'Refusée', 'Luc', 'Anne', 'Anne']],
      ['status=eq.rejected', ['Refusée']],
      [
        'select=id&limit=1&offset=2&admin_validated=is.true&order=contract_amount.desc.nullslast,id',
        ['Zoé', 'Luc', 'Anne', 'Anne'],
      ],
      ['or=(referred_contact_name.ilike."%25zo%C3%A9%25",referred_contact_email.ilike."%25zo%C3%A9%25")', ['Zoé']],
      [`commercial_id=eq.${people.otherSeller.id}`, ['Luc']],
      ['status=eq.contacted', []],
    ] as const) {
      const rows = await csv(`sales.csv?${query}`, people.admin);
      expect([query, rows.map((row) => row['Client'])]).toEqual([query, names]);
    }
  });

  test('[EX-01] runs no formula and breaks no line, whatever stands in a cell', async () => {
    const hostile = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '＝1',
      'a;b',
      'il a dit « "oui" »',
      'deux\nlignes',
      '<script>',
      '_x0041_',
      '💶',
    ];
    await server.database.asOwner(
      `insert into public.sales (referred_contact_name, contract_description)
       select 'hostile ' || n, text from unnest($1::text[]) with ordinality u (text, n)`,
      [hostile],
    );
    const query = 'referred_contact_name=like.hostile*&order=created_at,id';
    const inCsv = await csv(`sales.csv?${query}`, people.admin);
    const found = new Map(inCsv.map((row) => [row['Client'], row['Description']]));
    const inSheet = await sheet(`sales.xlsx?${query}`, people.admin);
    const [head = [], ...rows] = inSheet.rows;
    const place = head.indexOf('Description');
    for (const [index, text] of hostile.entries()) {
      expect(found.get(`hostile ${index + 1}`)).toBe(index < 5 ? `'${text}` : text);
      // A text of a sheet is never a formula.
      const row = rows.find(([name]) => name === `hostile ${index + 1}`);
      expect(row?.[place]).toBe(text);
    }
  });
});

describe('a workbook', () => {
  test('[EX-01] has real numbers and dates, a head that stays, widths, and totals that equal the screen', async () => {
    const sales = await sheet('sales.xlsx?admin_validated=is.true&order=created_at,id', people.admin);
    expect(sales.name).toBe('Ventes');
    expect(sales.freezePane).toMatchObject({ rows: 1 });
    expect(sales.columns?.map(({ width }) => width)).toContain(16);
    const [head = [], ...rows] = sales.rows;
    const totals = rows.at(-1) ?? [];
    const at = (label: string) => head.indexOf(label);
    expect(rows[0]?.[at('Montant')]).toBe(1_234_567.89);
    const validated = rows[0]?.[at('Validé le')];
    if (!(validated instanceof Date)) throw new Error(`Not a date: ${String(validated)}`);
    const inFrance = new Intl.DateTimeFormat('fr-CA', { timeZone: 'Europe/Paris' }).format(new Date());
    expect(validated.toISOString().slice(0, 10)).toBe(inFrance);
    expect(totals[0]).toBe('Total');

    const client = await server.client(people.admin);
    const { data: figures } = await client.rpc('admin_figures').single<{ revenue: number; paid_commissions: number }>();
    expect(totals[at('Montant')]).toBe(figures?.revenue);
    const credited = await sheet('commission-payments.xlsx', people.admin);
    const amounts = credited.rows[0]?.indexOf('Montant') ?? -1;
    expect(credited.rows.at(-1)?.[amounts]).toBe(figures?.paid_commissions);
    // To the cent: 3.33 % of 1 234 567,89 and of 1 234,56, and 0,15 taken back.
    expect(totals[at('Commission client')]).toBe(41_111.11 + 41.11);
  });

  test('[LG-02] [EX-01] an account is its lines from the first to the last, each with what is available after it', async () => {
    const { rows } = await sheet(`account-lines.xlsx?payee_id=eq.${people.client.id}&order=entry_id`, people.admin);
    const at = (label: string) => rows[0]?.indexOf(label) ?? -1;
    const lines = rows.slice(1, -1);
    expect(lines.length).toBeGreaterThan(1);
    const cents = (value: unknown) => Math.round(Number(value) * 100);
    let available = 0;
    for (const line of lines) {
      available += cents(line[at('Mouvement')]);
      expect(cents(line[at('Disponible après')])).toBe(available);
    }
    expect(lines[0]?.slice(at('Compte débité'))).toEqual([
      'À la charge de l’entreprise',
      'Disponible',
      lines[0]?.[at('Mouvement')],
      expect.any(String),
    ]);
    // Movements have a total; a balance has none.
    expect(cents(rows.at(-1)?.[at('Mouvement')])).toBe(available);
    expect([rows.at(-1)?.[at('Disponible après')], rows.at(-1)?.[at('Montant')]]).toEqual([null, null]);
  });

  test('[EX-01] [NV-05] the sums that a screen asks for are those of its last line, of the rows that its viewer may read', async () => {
    for (const [who, name, query] of [
      [people.admin, 'sales', 'admin_validated=is.true'],
      [
        people.admin,
        'sales',
        'created_at=gte.2026-03-29 00:00 Europe/Paris&created_at=lt.2026-03-30 00:00 Europe/Paris',
      ],
      [people.admin, 'payment-requests', 'select=id,client:profiles!inner(id)&client.full_name=ilike.*Éloïse*'],
      [people.admin, 'payment-requests', 'select=id,client:profiles!inner(id)&client.full_name=ilike.*personne*'],
      [people.seller, 'commercial-contracts', 'admin_validated=is.true'],
      [people.otherClient, 'own-commissions', ''],
    ] as const) {
      const response = await ask(`${name}.totals?${query}`, who);
      expect(response.status).toBe(200);
      const { row_count: count, sums } = (await response.json()) as ListTotals;
      const { rows } = await sheet(`${name}.xlsx?${query}`, who);
      const [head = [], totals = []] = [rows[0], rows.at(-1)];
      expect([name, query, count]).toEqual([name, query, rows.length - 2]);
      const kept = lists[name].columns.filter(({ kind }) => kind === 'amount');
      const nets = (lists[name].nets ?? []).map(({ label }) => label);
      expect(Object.keys(sums)).toEqual([...kept.map(({ label }) => label), ...nets]);
      for (const { label } of kept) expect([label, Number(sums[label])]).toEqual([label, totals[head.indexOf(label)]]);
    }
    expect((await ask('sales.totals')).status).toBe(403);
  });

  test('[DF-15] the list behind « CA Total » hides what annulments took, and its totals are net of it', async () => {
    const validated = 'admin_validated=is.true&corrects_sale_id=is.null';
    const { sums } = (await (await ask(`sales.totals?${validated}`, people.admin)).json()) as ListTotals;
    const client = await server.client(people.admin);
    const { data: figures } = await client.rpc('admin_figures').single<{ revenue: number; paid_commissions: number }>();
    expect([Number(sums[netTotals.contract]), Number(sums[netTotals.commissions])]).toEqual([
      figures?.revenue,
      figures?.paid_commissions,
    ]);
    expect(Number(sums['Montant'])).toBeGreaterThan(Number(sums[netTotals.contract]));
  });

  test('[EX-01] of nothing at all is a head and totals of zero', async () => {
    const { rows } = await sheet('payment-requests.xlsx?status=eq.paid', people.admin);
    expect(rows.map((row) => [row[0], row[3]])).toEqual([
      ['Client', 'Montant'],
      ['Total', 0],
    ]);
  });
});

describe('rights', () => {
  test('[EX-01] [X-01] every list gives its viewer their rows and no other', async () => {
    const keys: Readonly<Record<string, string>> = {
      accepted_rules: 'client_id',
      account_lines: 'entry_id',
      commission_periods: 'payee_id',
      payments_made: 'source_id',
      scale_months: 'commission_rate',
    };
    for (const [name, { relation }] of Object.entries(lists)) {
      for (const who of Object.values(people)) {
        const key = keys[relation] ?? 'id';
        const rows = await csv(`${name}.csv?order=${key}`, who);
        const theirs = await server.database.become(who, (run) =>
          run<{ id: string }>(`select ${key} as id from public.${relation} order by ${key}`),
        );
        // The trail grows by each export.
        const isTrail = name.startsWith('audit-entries');
        const grown = name === 'audit-entries' && who === people.admin ? 1 : 0;
        expect([name, who.role, rows.length + grown]).toEqual([name, who.role, theirs.length]);
        if (rows[0]?.['Identifiant'] !== undefined && !isTrail) {
          expect(rows.map((row) => row['Identifiant'])).toEqual(theirs.map(({ id }) => id));
        }
      }
      expect((await sheet(`${name}.xlsx`, people.admin)).rows.length).toBeGreaterThan(1);
    }
    const [first] = await csv('client-summaries.csv', people.seller);
    expect(first).toMatchObject({
      Client: 'Éloïse Lefèvre',
      // A number with a sign would be a formula.
      Téléphone: "'+33 6 12 34 56 78",
      Parrainages: '3',
      'CA généré': '1234567,89',
    });
    // Asking for another's rows gives none.
    expect(await csv(`received-referrals.csv?commercial_id=eq.${people.otherSeller.id}`, people.seller)).toEqual([]);
  });

  test('[CS-05] [EX-01] the admin takes away who accepted which rules, when, and the hash of the text; nobody else does', async () => {
    const file = `accepted-rules.csv?or=(full_name.ilike."%25lef%C3%A8vre%25")`;
    const rows = await csv(file, people.admin);
    expect(rows).toEqual([
      {
        Client: 'Éloïse Lefèvre',
        'E-mail': people.client.email,
        Version: '1',
        'Acceptée le': expect.stringMatching(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}/u),
        'Empreinte SHA-256 du texte': createHash('sha256').update(RULES).digest('hex'),
        'Identifiant du client': people.client.id,
      },
    ]);
    expect((await sheet('accepted-rules.xlsx', people.admin)).rows[1]?.[4]).toBe(
      rows[0]?.['Empreinte SHA-256 du texte'],
    );
    for (const who of [people.seller, people.client, people.otherClient]) expect(await csv(file, who)).toEqual([]);
  });

  test('[EX-01] a visitor, a key, an unknown list, form or column are refused in French', async () => {
    const refused = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
    expect(await refused(await ask('sales.csv'))).toEqual([403, 'forbidden']);
    const secret = { headers: { apikey: server.services.keys.secretKey } };
    expect(await refused(await ask('sales.csv', undefined, secret))).toEqual([403, 'forbidden']);
    expect(await refused(await ask('sales.csv', undefined, { headers: { authorization: 'Bearer x' } }))).toEqual([
      401,
      'session_expired',
    ]);
    for (const [file, status, code] of [
      ['nothing.csv', 404, 'not_found'],
      ['sales.pdf', 404, 'not_found'],
      ['sales', 404, 'not_found'],
      ['sales.csv?nothing=eq.1', 400, 'invalid_input'],
      ['sales.csv?order=nothing', 400, 'invalid_input'],
      ['sales.csv?id=eq.x', 400, 'invalid_input'],
      ['sales.csv?or=(', 400, 'invalid_input'],
    ] as const) {
      expect([file, await refused(await ask(file, people.admin))]).toEqual([file, [status, code]]);
    }
    const head = await ask('sales.csv', people.admin, { method: 'HEAD' });
    expect(head.status).toBe(404);
  });
});

test('[NV-04] [EX-01] the rows of a selection are asked for by a form, however many; the viewer’s rights stay the same', async () => {
  const ids = (await csv('sales.csv?order=created_at,id', people.admin)).map((row) => row['Identifiant'] ?? '');
  const [wanted = ''] = ids;
  const selected = async (who: Person, chosen: readonly string[]) => {
    const form = new URLSearchParams({ id: `in.(${chosen.join(',')})`, order: 'created_at,id' });
    const response = await ask('sales.csv', who, { method: 'POST', body: form });
    expect(response.status).toBe(200);
    const rows: Cells[] = parse(await response.text(), { columns: true, delimiter: ';', bom: true });
    return rows.map((row) => row['Identifiant']);
  };
  expect(await selected(people.admin, [wanted])).toEqual([wanted]);
  // As many as a screen selects; the address of so many would be cut.
  const others = Array.from({ length: 499 }, () => crypto.randomUUID());
  expect(await selected(people.admin, [wanted, ...others])).toEqual([wanted]);
  const own = (await csv('sales.csv', people.otherSeller)).length;
  expect(await selected(people.otherSeller, ids)).toHaveLength(own);
  expect(own).toBeLessThan(ids.length);
});

test('[X-03] [EX-01] the journal is taken away in sentences; of a person it has what happened to them and to theirs', async () => {
  const all = await csv('audit-entries.csv?order=at', people.admin);
  const sentences = all.map((row) => row['Ce qui s’est passé'] ?? '');
  expect(sentences.length).toBeGreaterThan(3);
  for (const sentence of sentences) expect(sentence).not.toMatch(/ a agi : |undefined|null/u);
  const theirs = await csv(`audit-entries-about.csv?about_id=eq.${people.client.id}&order=at`, people.admin);
  expect(theirs.length).toBeGreaterThan(0);
  expect(theirs.length).toBeLessThan(all.length);
  expect(await csv(`audit-entries-about.csv?about_id=eq.${people.client.id}`, people.seller)).toEqual([]);
});

test('[EX-01] [X-03] the trail says who took which list, in which form, and how many rows, before they leave', async () => {
  await csv('own-referrals.csv?order=created_at', people.client);
  const entry = only(
    await server.database.asOwner<Record<string, unknown>>(
      `select actor_id, entity, action, after from public.audit_entries order by id desc limit 1`,
    ),
  );
  expect(entry).toEqual({
    actor_id: people.client.id,
    entity: 'exports',
    action: 'export',
    after: { list: 'own-referrals', format: 'csv', rows: 4 },
  });
  // A client's part of the trail has an end (FX-07), and with it their exports.
  const bucket = `day:audit:${people.client.id}`;
  await server.database.asOwner(
    'update private.rate_limits set tokens = 0, refilled_at = clock_timestamp() where bucket = $1',
    [bucket],
  );
  const refused = await ask('own-referrals.csv', people.client);
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'daily_limit' }]);
  await server.database.asOwner('delete from private.rate_limits where bucket = $1', [bucket]);
});

describe('of a long list', () => {
  beforeAll(async () => {
    // Past the triggers and the index of words: they are not what is tried here.
    await server.database.asOwner(
      `begin; set local session_replication_role = replica;
       insert into public.sales (referred_contact_name, commercial_notes, contract_amount, commercial_id)
         select 'Nom ' || n, (select string_agg(md5(n || '-' || i), ' ') from generate_series(1, 45) i), n * 1.01, '${people.seller.id}'
         from generate_series(1, ${MANY}) n;
       commit`,
    );
    await server.database.asOwner('analyze public.sales');
  });

  const long = (form: string) => `received-referrals.${form}?order=id&referred_contact_name=like.Nom*`;

  test('[EX-01] every row is there once, exact to the cent, and the length is told beforehand', async () => {
    // Three batches of the cursor and a few.
    const FEW = 3030;
    const part = (form: string) => `${long(form)}&contract_amount=lte.${FEW * 1.01}`;
    const rows = await csv(part('csv'), people.admin);
    expect(new Set(rows.map((row) => row['Contact'])).size).toBe(FEW);
    const response = await ask(part('xlsx'), people.admin);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const estimate = Number(response.headers.get('x-estimated-length'));
    expect(estimate / bytes.length).toBeGreaterThan(0.8);
    expect(estimate / bytes.length).toBeLessThan(1.25);
    const book = await readXlsx(bytes);
    expect(book.sheets[0]?.rows).toHaveLength(FEW + 2);
    const place = book.sheets[0]?.rows[0]?.indexOf('Montant') ?? -1;
    expect(book.sheets[0]?.rows.at(-1)?.[place]).toBe((((FEW * (FEW + 1)) / 2) * 101) / 100);
  });

  const idle = () =>
    vi.waitFor(() => expect(server.services.longReadings.load()).toMatchObject({ waiting: 0 }), { timeout: 120_000 });

  test('[EX-01] a file that is cut half way never looks whole', async () => {
    for (const form of ['csv', 'xlsx']) {
      const response = await ask(long(form), people.admin);
      const reader = response.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      await server.database.asOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'parrain long readings'`,
      );
      const readAll = async () => {
        while ((await reader?.read())?.done === false);
      };
      await expect(readAll()).rejects.toThrow('terminated');
    }
    expect((await csv('own-referrals.csv', people.client)).length).toBe(4);
  });

  test('[EX-01] one export of a person at a time, one more in line, and the next is refused; who leaves gives the turn back', async () => {
    // Nothing is read of the first: it fills the socket and waits.
    const gone = new AbortController();
    const first = await ask(long('csv'), people.admin, { signal: gone.signal });
    // Whichever of the two comes first stands in line until the first has gone; the other is answered at once.
    const others = [ask('commercials.csv', people.admin), ask('commercials.csv', people.admin)];
    const refused = await Promise.race(others);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      '5',
      { code: 'exports_busy' },
    ]);
    // Others are served meanwhile, and so are the short readings of the same person.
    expect((await csv('own-referrals.csv', people.client)).length).toBe(4);
    expect((await server.fetch('/rest/v1/sales?limit=1', {}, people.admin)).status).toBe(200);
    expect(first.status).toBe(200);
    gone.abort();
    expect((await Promise.all(others)).map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 429,
    ]);
    await idle();
  });
});
