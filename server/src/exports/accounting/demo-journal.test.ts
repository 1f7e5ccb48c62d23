import { loadTestDemo } from '@parrain/database/testing-demo';
import { fromWire } from '@parrain/domain/money';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { checkFec } from '../../testing/check-fec.ts';
import { fecPrograms } from '../../testing/import-fec.ts';
import { anAdmin, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// The demo company's history, told until the middle of this January at the latest: last year is over, and nearly whole.

let server: TestServer;
let admin: Person;
let year: number;
beforeAll(async () => {
  server = await startTestServer({ doors: ['exports', 'functions'], jobs: false });
  const { database } = server;
  const days = await database.asOwner<{ today: string }>('select private.today()::text as today');
  const thisYear = Number.parseInt(only(days).today.slice(0, 4), 10);
  year = thisYear - 1;
  await loadTestDemo(database.owner, new Date(Math.min(Date.now(), Date.UTC(thisYear, 0, 15, 12))));
  admin = await anAdmin(database, { isTest: true });
});
afterAll(() => server.close());

async function journal(): Promise<{ name: string; bytes: Buffer }> {
  const response = await server.fetch(`/exports/v1/accounting/${year}.txt`, {}, admin);
  expect(response.status).toBe(200);
  const [, name = ''] = /UTF-8''(\S+)$/u.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name: decodeURIComponent(name), bytes: Buffer.from(await response.arrayBuffer()) };
}

test('[EX-02] a closed year of the demo company keeps to the official rules and is the same bytes twice', async () => {
  expect((await journal()).name).toBe(`Journal Parrainage ${year} provisoire.txt`);
  const close = () => callAs(server, admin, 'accounting', { action: 'close_months', until: `${year}-12-01` });
  // Its discounts are split by the VAT number, which is not said yet.
  expect((await close()).body).toMatchObject({ code: 'accounting_vat_unknown' });
  await server.database.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
     values (false, 'Démo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320')`,
  );
  expect((await close()).status).toBe(200);
  const { name, bytes } = await journal();
  expect(name).toBe(`Journal Parrainage ${year}.txt`);
  const { faults, lines, debitCents, creditCents } = checkFec(bytes);
  expect(faults).toEqual([]);
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.every((line) => line['EcritureDate']?.startsWith(String(year)) === true)).toBe(true);
  expect(lines.every((line) => /^\d{8}$/u.test(line['ValidDate'] ?? ''))).toBe(true);
  // Each payment of the year that is not an employee's stands there twice, on its document and on its settlement.
  const moved = await server.database.asOwner<{ sum: string }>(
    `select (2 * coalesce(sum(e.amount), 0))::text as sum from public.ledger_entries e
     join public.profiles p on p.id = e.payee_id left join private.payee_details d on d.payee_id = e.payee_id
     where e.at >= private.month_start(make_date($1, 1, 1)) and e.at < private.month_start(make_date($1 + 1, 1, 1))
       and (e.debit in ('paid', 'vat') or e.credit in ('paid', 'vat'))
       and coalesce(d.status, p.role) not in ('salarie', 'commercial')`,
    [year],
  );
  expect([debitCents, creditCents]).toEqual([fromWire(only(moved).sum), fromWire(only(moved).sum)]);
  expect((await journal()).bytes.equals(bytes)).toBe(true);
});

test.each(Object.entries(fecPrograms))(
  '[AC-02] %s imports the year as its documentation says: no entry refused, every letter closed',
  async (_name, importIn) => {
    const { bytes } = await journal();
    const text = new TextDecoder('iso-8859-15').decode(bytes);
    const { lines } = checkFec(bytes);
    const imported = importIn(text, lines);
    expect([imported.refusals, imported.openLetters]).toEqual([[], []]);
    expect(imported.entries).toBeGreaterThan(20);
    // An amount of one line, and a letter of one pair, that are changed are seen.
    const debit = lines.find((line) => line['Debit'] !== '0,00');
    const changed = lines.map((line) => (line === debit ? { ...line, Debit: '0,01' } : line));
    expect(importIn(text, changed).refusals).not.toEqual([]);
    const lettered = lines.find((line) => line['EcritureLet'] !== '');
    const opened = lines.map((line) => (line === lettered ? { ...line, EcritureLet: '' } : line));
    expect(importIn(text, opened).openLetters).toEqual([lettered?.['EcritureLet']]);
  },
);
