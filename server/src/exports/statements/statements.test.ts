import { fromWire } from '@parrain/domain/money';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, asSeen, aScale, aValidatedSale, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { readPdf, rowHeads } from '../../testing/read-pdf.ts';
import { unzipped } from '../../testing/unzipped.ts';

// The demo of this file: in October a commission of 100 €, at the end of it a request of 30 €; in November it is paid, a second
// commission of 50 € comes and goes.

let server: TestServer;
let people: Record<'admin' | 'seller' | 'client' | 'other', Person>;
beforeAll(async () => {
  server = await startTestServer({ doors: ['exports'], jobs: false });
  const db = server.database;
  const [admin, seller] = [await anAdmin(db), await aCommercial(db)];
  const client = await aClient(db, { commercial: seller, fullName: 'Éloïse <Lefèvre> & 李' });
  const other = await aClient(db, { commercial: seller, fullName: 'Bruno Sans-Compte' });
  people = { admin, seller, client, other };
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '100' });
  const small = await aScale(db, { clientType: 'fixed', clientAmount: '50' });
  const contract = { admin, commercial: seller, friendReferrer: client, contractAmount: '10000' };
  const first = await aValidatedSale(db, { ...contract, scale, contactName: 'Zoé' });
  const rows = await db.become(client, (run) =>
    run(`select id from private.request_payment(30, 'virement', '{}', null)`),
  );
  const second = await aValidatedSale(db, { ...contract, scale: small, contactName: 'Anne' });
  await db.become(admin, (run) => run(asSeen.cancel, [second.id, 'Erreur']));
  // The ledger keeps the instants of its acts: those of a history are written by its owner.
  await db.asOwner(`alter table public.ledger_entries disable trigger ledger_entries_guard`);
  const at = (instant: string, where: string, values: unknown[]) =>
    db.asOwner(`update public.ledger_entries set at = '${instant}' where ${where}`, values);
  await at('2025-11-10T10:00:00Z', 'true', []);
  await at('2025-10-05T10:00:00Z', 'source_id in (select id from public.commission_payments where sale_id = $1)', [
    first.id,
  ]);
  // Half past eleven in the evening in Greenwich is the next day, and the next month, in France.
  await at('2025-10-31T23:30:00Z', 'source_id = $1', [(rows[0] as { id: string }).id]);
  await db.asOwner(`alter table public.ledger_entries enable trigger ledger_entries_guard`);
});
afterAll(() => server.close());

const ask = (file: string, who?: Person) => server.fetch(`/exports/v1/statements/${file}`, {}, who);

async function bytesOf(file: string, who: Person): Promise<Buffer> {
  const response = await ask(file, who);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.status === 200 ? '' : bytes.toString()]).toEqual([200, '']);
  return bytes;
}

const csvOf = async (file: string, who: Person) =>
  parse(await bytesOf(file, who), { columns: true, delimiter: ';', bom: true }) as Record<string, string>[];

const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/gu, ' ');

describe('a statement as CSV', () => {
  test('[PP-03] [X-04] has the opening balance, every line and the closing balance, by the days of France', async () => {
    const october = await csvOf('2025-10.csv', people.client);
    expect(october.map((line) => [line['Opération'], line['Montant'], line['Disponible après']])).toEqual([
      ['Solde au début de la période', '', '0,00'],
      ['Commission', '100,00', '100,00'],
      ['Solde à la fin de la période', '', '100,00'],
    ]);
    const november = await csvOf('2025-11.csv', people.client);
    expect(november.map((line) => [line['Mouvement'], line['Disponible après']])).toEqual([
      ['', '100,00'],
      ['-30,00', '70,00'],
      ['50,00', '120,00'],
      ['-50,00', '70,00'],
      ['', '70,00'],
    ]);
    expect(november[3]).toMatchObject({ Contrat: 'Anne', Raison: 'Erreur', 'Compte débité': 'Disponible' });
  });

  test('[PP-03] equals the ledger: the end of a period is the beginning of the next, and the last one the balance', async () => {
    const ends = async (name: string) => {
      const lines = await csvOf(`${name}.csv`, people.client);
      return [lines[0]?.['Disponible après'], lines.at(-1)?.['Disponible après']];
    };
    const [quarter, year, next] = [await ends('2025-t4'), await ends('2025'), await ends('2026-t1')];
    expect(quarter).toEqual(['0,00', '70,00']);
    expect(year).toEqual(quarter);
    expect(next).toEqual(['70,00', '70,00']);
    const rows = await server.database.asOwner(
      `select (earned - reversed - held - reserved - paid)::text as available from public.balances where profile_id = $1`,
      [people.client.id],
    );
    expect(fromWire((rows[0] as { available: string }).available)).toBe(7000n);
  });
});

describe('a statement as PDF', () => {
  test('[PP-03, LG-05] is tagged PDF/A-3 in French with its fonts in it, and says what the ledger says', async () => {
    const pdf = await readPdf(await bytesOf('2025-11.pdf', people.client));
    expect(pdf).toMatchObject({
      version: '1.7',
      lang: 'fr-FR',
      isMarked: true,
      showsTitle: true,
      pdfaPart: '3',
      pdfaConformance: 'A',
      outputIntents: 1,
      title: 'Relevé de compte – Novembre 2025',
    });
    expect(pdf.fonts.length).toBeGreaterThan(0);
    for (const font of pdf.fonts) expect(font).toMatchObject({ isEmbedded: true, hasUnicode: true });
    const text = plain(pdf.text);
    expect(text).toContain('Bénéficiaire : Éloïse <Lefèvre> & ?');
    expect(text).toContain('du 1er au 30 novembre 2025');
    for (const said of ['Dû par l’entreprise au début de la période 100,00 €', 'Commissions gagnées 50,00 €']) {
      expect(text).toContain(said);
    }
    expect(text).toContain('Commissions reprises (contrats annulés ou réduits) −50,00 €');
    expect(text).toContain('dont demandé, pas encore payé 30,00 €');
    expect(text).toContain('dont disponible 70,00 €');
    // LG-05: where each amount is explained.
    expect(text).toContain('« Pourquoi ? » à côté de sa ligne');
    // Tags that a screen reader reads.
    expect(pdf.tags.slice(0, 3)).toEqual(['P', 'H1', 'P']);
    expect(pdf.tags.filter((tag) => tag === 'Table')).toHaveLength(2);
    const columnsFirst = pdf.headScopes.toSorted((one = '', other = '') => one.localeCompare(other));
    expect(columnsFirst).toEqual([...Array.from({ length: 7 }, () => 'Column'), ...rowHeads(pdf)]);
  });

  test('[PP-03, PP-02] of a payee who is paid VAT says it in its summary, to the cent, less what came back; it is no part of what is due', async () => {
    const db = server.database;
    const payee = await aClient(db, { commercial: people.seller, fullName: 'Vera Taxe' });
    const entries = (lines: readonly (readonly [string, string, string, string, string, string | null])[]) =>
      db.asOwner(
        `insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
         select x.at, x.act, gen_random_uuid(), $1, x.debit, x.credit, x.amount, x.detail, false
         from jsonb_to_recordset($2::jsonb) x (at timestamptz, act text, debit text, credit text, amount numeric, detail text)`,
        [
          payee.id,
          JSON.stringify(
            lines.map(([at, act, debit, credit, amount, detail]) => ({ at, act, debit, credit, amount, detail })),
          ),
        ],
      );
    await db.asOwner('select private.lock_balances(array[$1::uuid])', [payee.id]);
    await entries([
      ['2024-10-05T10:00:00Z', 'validation', 'charged', 'available', '100.01', 'client'],
      ['2024-10-06T10:00:00Z', 'request', 'available', 'reserved', '66.67', null],
      ['2024-10-07T10:00:00Z', 'settlement', 'reserved', 'paid', '66.67', 'virement'],
      ['2024-10-07T10:00:00Z', 'vat', 'vat', 'vat_paid', '13.33', 'virement'],
      ['2024-11-03T10:00:00Z', 'return', 'paid', 'available', '66.67', 'virement'],
      ['2024-11-03T10:00:00Z', 'vat_return', 'vat_paid', 'vat', '13.33', 'virement'],
      // Nothing is left of it afterwards.
      ['2024-11-04T10:00:00Z', 'correction', 'available', 'charged', '100.01', 'client'],
    ]);
    const said = async (name: string) => plain((await readPdf(await bytesOf(`${name}.pdf`, payee))).text);
    const october = await said('2024-10');
    for (const line of [
      'Paiements −66,67 €',
      'Dû par l’entreprise à la fin de la période 33,34 €',
      'TVA payée en plus des paiements 13,33 €',
      'Paiements de la période, TVA comprise 80,00 €',
    ])
      expect(october).toContain(line);
    const november = await said('2024-11');
    expect(november).toContain('TVA payée en plus des paiements −13,33 €');
    expect(november).toContain('Paiements de la période, TVA comprise −80,00 €');
    // Over both months nothing was paid, and who is paid no VAT has no such line.
    expect(await said('2024-t4')).not.toContain('TVA payée en plus des');
    expect(plain((await readPdf(await bytesOf('2025-11.pdf', people.client))).text)).not.toContain('TVA payée');
  });

  test('[PP-03] says of a period that lasts that it does', async () => {
    const year = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Paris', year: 'numeric' }).format(new Date());
    const text = async (name: string) => (await readPdf(await bytesOf(`${name}.pdf`, people.client))).text;
    // The year to come, whatever the hour.
    expect(await text(String(Number.parseInt(year, 10) + 1))).toContain('en cours : arrêtée à la dernière opération');
    expect(await text('2025')).not.toContain('en cours');
  });

  test('[PP-03] is the same bytes when asked again', async () => {
    const [one, other] = [await bytesOf('2025.pdf', people.client), await bytesOf('2025.pdf', people.client)];
    expect(one.equals(other)).toBe(true);
  });

  test('[PP-03] [DF-84] goes on over pages, each with the head of the table and its number; each row has its header', async () => {
    const { taggedPdf } = await import('../pdf/tagged-pdf.ts');
    const pdf = await readPdf(
      await taggedPdf({
        title: 'Titre',
        madeAt: new Date(0),
        sender: 'Entreprise',
        footer: 'Pied '.repeat(80),
        blocks: [
          {
            kind: 'table',
            columns: [
              { label: 'Colonne', share: 1 },
              { label: 'Nombre', share: 1, isNumber: true },
            ],
            rows: Array.from({ length: 90 }, (_, index) => ({
              cells: [`ligne ${index} ${'long '.repeat(index)}`, '1'],
            })),
          },
        ],
      }),
    );
    expect(pdf.pages.length).toBeGreaterThan(3);
    for (const [index, page] of pdf.pages.entries()) {
      expect(page).toContain('Colonne');
      expect(page).toContain(`Page ${index + 1} sur ${pdf.pages.length}`);
    }
    expect(pdf.tags.filter((tag) => tag === 'TR')).toHaveLength(91);
    // The first cell of each row names it.
    expect(pdf.headScopes).toEqual(['Column', 'Column', ...Array.from({ length: 90 }, () => 'Row')]);
  });
});

describe('who may read a statement', () => {
  test('[PP-03] its payee, and the admin for anybody', async () => {
    const mine = await bytesOf('2025.csv', people.client);
    expect((await bytesOf(`2025.csv?payee=${people.client.id}`, people.admin)).equals(mine)).toBe(true);
    for (const [who, status] of [
      [people.other, 404],
      [people.seller, 404],
      [undefined, 403],
    ] as const) {
      expect((await ask(`2025.pdf?payee=${people.client.id}`, who)).status).toBe(status);
    }
  });

  test('[PP-03] the archive of everybody is the admin’s: a PDF and a CSV of each payee with something on their account', async () => {
    const files = unzipped(await bytesOf('2025-11.zip', people.admin));
    const short = (person: Person) => person.id.slice(0, 8);
    const names = [...files.keys()];
    expect(names).toHaveLength(4);
    expect(names).toContain(`Relevé 2025-11 Éloïse  Lefèvre  & 李 ${short(people.client)}.pdf`);
    expect(names.some((name) => name.includes(short(people.other)))).toBe(false);
    const csv = files.get(names.find((name) => name.endsWith(`${short(people.client)}.csv`)) ?? '');
    expect(csv?.equals(await bytesOf('2025-11.csv', people.client))).toBe(true);
    for (const who of [people.client, people.seller]) expect((await ask('2025-11.zip', who)).status).toBe(403);
    const none = await ask('2019.zip', people.admin);
    expect([none.status, await none.json()]).toEqual([
      422,
      expect.objectContaining({ error: 'Aucun compte n’a bougé à cette période : choisissez-en une autre.' }),
    ]);
  });

  test('[PP-03] a period that is none is not found, a payee that is no id is refused', async () => {
    for (const file of ['2025-13.pdf', '2025.xlsx', 'tout.csv']) {
      expect([file, (await ask(file, people.client)).status]).toEqual([file, 404]);
    }
    expect((await ask('2025.csv?payee=moi', people.client)).status).toBe(400);
  });

  test('[PP-03] [X-03] the trail has who took which', async () => {
    const rows = await server.database.asOwner(
      `select distinct after ->> 'list' as list, after ->> 'format' as format from public.audit_entries
       where entity = 'exports' and actor_id = $1 order by 1, 2`,
      [people.admin.id],
    );
    expect(rows).toEqual(expect.arrayContaining([{ list: 'statements', format: 'zip' }]));
  });
});
