import { randomUUID } from 'node:crypto';

import { fromWire } from '@parrain/domain/money';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import { checkFec } from '../../testing/check-fec.ts';
import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// A history of October and November 2025: three validations, one of them annulled, two requests that are paid, one that is refused.

let server: TestServer;
let people: Record<'admin' | 'seller' | 'client', Person>;
beforeAll(async () => {
  server = await startTestServer({ doors: ['exports', 'functions'], jobs: false });
  const db = server.database;
  const [admin, seller] = [await anAdmin(db), await aCommercial(db, { fullName: 'Jean-Loïc Œuvrard' })];
  const client = await aClient(db, { commercial: seller, fullName: 'Zoé L’Hôte\u202f€ 李' });
  people = { admin, seller, client };
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '100.10' });
  const contract = { admin, commercial: seller, friendReferrer: client, scale, contractAmount: '10000.03' };
  const sales = [
    await aValidatedSale(db, contract),
    await aValidatedSale(db, contract),
    await aValidatedSale(db, contract),
  ];
  await db.become(admin, (run) => run(asSeen.cancel, [sales[2]?.id, 'Erreur']));
  for (const end of ['paid', 'rejected', 'paid']) {
    const asked = await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(30.01, 'cheque_cadeau', '{}', null)`),
    );
    const { id } = only(asked);
    const steps = end === 'paid' ? ['approved', 'paid'] : ['rejected'];
    for (const step of steps) await db.become(admin, (run) => run(asSeen.decide, [id, step, 'Non']));
  }
  // Days of a history are written by its owner: one transfer an hour, around the end of October in France.
  await db.asOwner('alter table public.ledger_entries disable trigger ledger_entries_guard');
  await db.asOwner(
    `update public.ledger_entries e set at = timestamptz '2025-10-31T10:30:00Z' + n.place * interval '1 hour'
     from (select id, row_number() over (order by id) as place from public.ledger_entries) n where n.id = e.id`,
  );
  await db.asOwner('alter table public.ledger_entries enable trigger ledger_entries_guard');
});
afterAll(() => server.close());

const ask = (file: string, who?: Person) => server.fetch(`/exports/v1/accounting/${file}`, {}, who);

async function take(file: string): Promise<{ name: string; bytes: Buffer }> {
  const response = await ask(file, people.admin);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.status === 200 ? '' : bytes.toString()]).toEqual([200, '']);
  const [, name = ''] = /UTF-8''(\S+)$/u.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name: decodeURIComponent(name), bytes };
}

const call = (action: string, body: object) => callAs(server, people.admin, 'accounting', { action, ...body });

describe('the journal in the form of the FEC', () => {
  test('[EX-02] keeps to the official rules: 18 columns, order, formats, balance, continuous numbers', async () => {
    const { name, bytes } = await take('2025.txt');
    expect(name).toBe('Journal Parrainage 2025 provisoire.txt');
    const { lines, faults, debitCents } = checkFec(bytes);
    expect(faults).toEqual([]);
    // Two payments, each with its document and its settlement: contracts, requests and refusals move nothing of an accountant's.
    expect(lines).toHaveLength(2 * 4);
    expect(debitCents).toBe(fromWire('120.04'));
    expect(lines[0]).toMatchObject({
      JournalCode: 'PAR',
      EcritureNum: '1',
      EcritureDate: '20251031',
      CompteNum: '622200',
      CompAuxNum: '',
      ValidDate: '',
    });
    const paid = lines.filter((line) => line['EcritureLib']?.startsWith('Paiement en chèque cadeau') === true);
    expect(paid.map((line) => [line['CompteNum'], line['Debit'], line['Credit'], line['EcritureLet']])).toEqual([
      ['467000', '30,01', '0,00', 'A'],
      ['467100', '0,00', '30,01', ''],
      ['467000', '30,01', '0,00', 'B'],
      ['467100', '0,00', '30,01', ''],
    ]);
    // Characters outside ISO 8859-15 are written plainly.
    expect(paid[0]).toMatchObject({
      CompAuxLib: "Zoé L'Hôte € ?",
      CompAuxNum: people.client.id.slice(0, 8).toUpperCase(),
    });
  });

  test('[EX-02] the checker finds what is wrong', async () => {
    const { bytes } = await take('2025.txt');
    const text = bytes.toString('latin1');
    for (const [from, to, found] of [
      ['30,01\t0,00', '30,02\t0,00', 'out of balance'],
      ['30,01\t0,00', '30.01\t0,00', 'written 1234,50'],
      ['\t622200\t', '\t99\t', 'CompteNum'],
      ['\t20251031\t', '\t20251131\t', 'EcritureDate'],
      ['PAR\tParrainage\t2\t', 'PAR\tParrainage\t3\t', 'follows'],
      ['JournalCode\t', '', 'the head'],
    ] as const) {
      const { faults } = checkFec(Buffer.from(text.replaceAll(from, to), 'latin1'));
      expect([found, faults.some((fault) => fault.includes(found))]).toEqual([found, true]);
    }
  });

  test('[EX-02] months go on from one another: their days are of France, their numbers those of the year', async () => {
    const year = checkFec((await take('2025.txt')).bytes).lines;
    const october = checkFec((await take('2025-10.txt')).bytes);
    const november = checkFec((await take('2025-11.txt')).bytes);
    expect([...october.faults, ...november.faults]).toEqual([]);
    expect([...october.lines, ...november.lines]).toEqual(year);
    expect(october.lines.length).toBeGreaterThan(0);
    expect(november.lines[0]?.['EcritureDate']).toBe('20251101');
  });

  test('[EX-02] the same lines as a plain CSV', async () => {
    const { name, bytes } = await take('2025-t4.csv');
    expect(name).toBe('Journal Parrainage 2025-t4 provisoire.csv');
    const rows: Record<string, string>[] = parse(bytes, { columns: true, delimiter: ';', bom: true });
    const { lines } = checkFec((await take('2025.txt')).bytes);
    expect(rows.map((row) => [row['EcritureNum'], row['CompteNum'], row['Debit'], row['Credit']])).toEqual(
      lines.map((line) => [line['EcritureNum'], line['CompteNum'], line['Debit'], line['Credit']]),
    );
    expect(rows[0]).toMatchObject({
      EcritureDate: '31/10/2025',
      EcritureLib: expect.stringMatching(/^Commissions Zoé/u),
    });
  });

  test('[EX-02] it is the admin’s', async () => {
    for (const who of [people.client, people.seller, undefined]) expect((await ask('2025.txt', who)).status).toBe(403);
    for (const file of ['2025.pdf', '2025-13.txt', 'tout.csv'])
      expect((await ask(file, people.admin)).status).toBe(404);
  });
});

describe('a month that is closed', () => {
  test('[EX-02] has its day of validation, and stays as it was: same bytes whatever is renamed or set afterwards', async () => {
    expect((await call('close_months', { until: '2025-11-01' })).body).toMatchObject({ success: true, closed: 2 });
    const { name, bytes } = await take('2025-11.txt');
    expect(name).toBe('Journal Parrainage 2025-11.txt');
    const { lines, faults } = checkFec(bytes);
    expect(faults).toEqual([]);
    expect(lines.every((line) => /^\d{8}$/u.test(line['ValidDate'] ?? ''))).toBe(true);
    expect((await take('2025-11.txt')).bytes.equals(bytes)).toBe(true);
    await server.database.asOwner(`update public.profiles set full_name = 'Autre Nom' where id = $1`, [
      people.client.id,
    ]);
    const rows = await server.database.asOwner<{ accounts: object }>(
      'select accounts from private.accounting_settings order by id desc limit 1',
    );
    const saved = await call('update_settings', {
      journal_code: 'com',
      journal_label: 'Commissions',
      accounts: { ...only(rows).accounts, client: { number: '467200', label: 'Parrains' } },
    });
    expect(saved.body).toMatchObject({ success: true });
    const again = await take('2025-11.txt');
    expect(again.bytes.equals(bytes)).toBe(true);
    // Closing again closes nothing.
    expect((await call('close_months', { until: '2025-11-01' })).body).toMatchObject({ closed: 0 });
  });

  test('[EX-02] takes no entry any more; what comes later has the next number, the new accounts and today’s name', async () => {
    const entry = (at: string, source: string) =>
      server.database.asOwner(
        `insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test) values
         ($1::timestamptz - interval '1 second', 'request', $3, $2, 'available', 'reserved', 5, null, false),
         ($1, 'settlement', $3, $2, 'reserved', 'paid', 5, 'virement', false)`,
        [at, people.client.id, source],
      );
    const { lines } = checkFec((await take('2025.txt')).bytes);
    await expect(entry('2025-11-30T22:59:59Z', randomUUID())).rejects.toThrow(/accounting_month_closed/u);
    await entry('2025-11-30T23:00:01Z', randomUUID());
    const december = checkFec((await take('2025-12.txt')).bytes);
    expect(december.faults).toEqual([]);
    expect(december.lines[0]).toMatchObject({
      JournalCode: 'COM',
      EcritureNum: String(Number.parseInt(lines.at(-1)?.['EcritureNum'] ?? '', 10) + 1),
      EcritureDate: '20251201',
    });
    expect(december.lines[1]).toMatchObject({ CompteNum: '467200', CompAuxLib: 'Autre Nom' });
  });

  test('[EX-02] is over: neither this month nor one to come is closed', async () => {
    const month = `${new Intl.DateTimeFormat('fr-CA', { timeZone: 'Europe/Paris' }).format(new Date()).slice(0, 7)}-01`;
    for (const until of [month, '2999-01-01']) {
      expect((await call('close_months', { until })).body).toMatchObject({ code: 'accounting_month_not_over' });
    }
    for (const until of ['2025-11', '2025-11-02', null]) {
      expect((await call('close_months', { until })).status).toBe(400);
    }
  });

  test('[EX-02] is never written to', async () => {
    for (const statement of [
      `update private.accounting_months set last_number = 0`,
      'delete from private.accounting_months',
      'truncate private.accounting_months cascade',
      `update private.accounting_settings set journal_code = 'X'`,
      'truncate private.accounting_settings cascade',
    ]) {
      await expect(server.database.asOwner(statement)).rejects.toThrow(/forbidden/u);
    }
    const broken = async () => {
      const found = await brokenInvariants((text) => server.database.asOwner(text));
      return found.filter(({ invariant }) => invariant.id === 'I8').length;
    };
    expect(await broken()).toBe(0);
    // The verification finds a change made past the guards.
    const shift = (by: number) =>
      server.database.asOwner(
        `alter table private.accounting_months disable trigger user; update private.accounting_months set last_number = last_number + ${by};
         alter table private.accounting_months enable trigger user`,
      );
    await shift(1);
    expect(await broken()).toBe(1);
    await shift(-1);
  });

  test('[EX-02] is open again where the cleaning of test data takes entries out of it, and no month before', async () => {
    await server.database.asOwner(
      `insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
       values ('2026-01-15T12:00:00Z', 'validation', gen_random_uuid(), $1, 'charged', 'available', 5, 'client', true),
         ('2026-01-16T12:00:00Z', 'request', $2, $1, 'available', 'reserved', 5, null, true),
         ('2026-01-17T12:00:00Z', 'settlement', $2, $1, 'reserved', 'paid', 5, 'cheque_cadeau', true)`,
      [people.client.id, randomUUID()],
    );
    await call('close_months', { until: '2026-02-01' });
    const months = async () =>
      (
        await server.database.asOwner<{ month: string }>(
          'select month::text from private.accounting_months order by month',
        )
      ).map(({ month }) => month.slice(0, 7));
    expect(await months()).toEqual(['2025-10', '2025-11', '2025-12', '2026-01', '2026-02']);
    const kept = () => server.database.asOwner(`select from private.accounting_entries where month >= '2026-01-01'`);
    expect(await kept()).toHaveLength(4);
    await server.database.asOwner(
      `begin; select set_config('app.cleaning', 'on', true); delete from public.ledger_entries where is_test; commit`,
    );
    expect(await months()).toEqual(['2025-10', '2025-11', '2025-12']);
    expect(await kept()).toEqual([]);
  });
});

test('[EX-02] an account that is none of the French chart is refused in French', async () => {
  const shown = await server.fetch('/functions/v1/accounting?action=get', {}, people.admin);
  const { accounts } = ((await shown.json()) as { data: { accounts: Record<string, unknown> } }).data;
  const body = { journal_code: 'PAR', journal_label: 'Parrainage', accounts };
  for (const [wrong, words] of [
    [{ accounts: { ...accounts, client: { number: '987', label: 'x' } } }, 'Indiquez un compte du plan comptable'],
    [{ accounts: { ...accounts, accrued: { number: '46', label: 'x' } } }, 'Indiquez un compte du plan comptable'],
    [
      { accounts: { ...accounts, charged: { number: '512 000', label: 'x' } } },
      'Indiquez un compte de charge, de la classe 6.',
    ],
    [{ journal_code: 'PA R' }, 'Indiquez un code de 1 à 10 lettres ou chiffres.'],
    [{ year_ends_in: 13 }, 'Indiquez le mois de clôture de l’exercice, de 1 à 12.'],
    [{ posts_payments: 'oui' }, 'Dites si le journal contient les paiements.'],
  ] as const) {
    const refused = await call('update_settings', { ...body, ...wrong });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(words)]);
  }
});

test('[AC-02] the settings say what the journal contains; what is not said stays', async () => {
  const shown = async () => {
    const got = await server.fetch('/functions/v1/accounting?action=get', {}, people.admin);
    return ((await got.json()) as { data: Record<string, unknown> }).data;
  };
  const before = await shown();
  expect(before).toMatchObject({
    posts_payments: true,
    posts_payroll: false,
    accrues: false,
    year_ends_in: 12,
    without_status: 1,
  });
  const said = { journal_code: 'PAR', journal_label: 'Parrainage', accounts: before['accounts'] };
  expect((await call('update_settings', { ...said, accrues: true, year_ends_in: 6 })).status).toBe(200);
  expect((await call('update_settings', said)).status).toBe(200);
  expect(await shown()).toMatchObject({ posts_payments: true, accrues: true, year_ends_in: 6 });
});

test('[AC-02] an accountant reads the codes of payees, an admin alone sets them; a code of somebody else is refused in French', async () => {
  const codes = async (who: Person, search = '') => {
    const got = await server.fetch(
      `/functions/v1/accounting?action=codes&search=${encodeURIComponent(search)}`,
      {},
      who,
    );
    const { data } = (await got.json()) as { data?: { name: string; code: string; is_chosen: boolean }[] };
    return [got.status, data?.map(({ name, code }) => `${name} ${code}`)];
  };
  const accountant = await anAccountant(server.database);
  const own = people.seller.id.slice(0, 8).toUpperCase();
  expect(await codes(people.admin, 'jean-loic')).toEqual([200, [`Jean-Loïc Œuvrard ${own}`]]);
  expect((await call('set_code', { payee_id: people.seller.id, code: ' foeuvrard ' })).status).toBe(200);
  expect(await codes(accountant, 'FOEUV')).toEqual([200, ['Jean-Loïc Œuvrard FOEUVRARD']]);
  expect((await codes(people.client))[0]).toBe(403);
  const taken = await call('set_code', { payee_id: people.client.id, code: 'FOEUVRARD' });
  expect([taken.status, taken.body]).toMatchObject([409, { error: 'Ce code est déjà celui d’un autre bénéficiaire.' }]);
  expect((await call('set_code', { payee_id: people.client.id, code: 'a b' })).status).toBe(400);
  expect(
    (await callAs(server, accountant, 'accounting', { action: 'set_code', payee_id: people.client.id, code: 'A' }))
      .status,
  ).toBe(403);
  expect((await call('set_code', { payee_id: people.seller.id, code: null })).status).toBe(200);
  expect(await codes(people.admin, 'jean-loic')).toEqual([200, [`Jean-Loïc Œuvrard ${own}`]]);
});
