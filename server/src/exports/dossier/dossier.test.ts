import { createHash } from 'node:crypto';

import { dayOf } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { checkFec } from '../../testing/check-fec.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { unzipped } from '../../testing/unzipped.ts';

// In 2024 one client earns 5 000 € and is paid 1 234,56 € of it by a gift card.

let server: TestServer;
let people: Record<'admin' | 'seller' | 'client', Person>;
beforeAll(async () => {
  server = await startTestServer({ doors: ['exports', 'functions', 'rest'], jobs: false });
  const db = server.database;
  const [admin, seller] = [await anAdmin(db), await aCommercial(db, { fullName: 'Ana Martin' })];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '5000' });
  const client = await aClient(db, { commercial: seller, fullName: 'Zoé L’Hôte' });
  people = { admin, seller, client };
  await aValidatedSale(db, { admin, commercial: seller, friendReferrer: client, scale, contractAmount: '10000' });
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment('1234.56', 'cheque_cadeau', '{}', null)`),
    ),
  );
  for (const status of ['approved', 'paid']) {
    await db.become(admin, (run) => run(asSeen.decide, [id, status, null]));
  }
  await db.asOwner(`alter table public.ledger_entries disable trigger ledger_entries_guard`);
  await db.asOwner(`update public.ledger_entries set at = '2024-11-10T10:00:00Z'`);
  await db.asOwner(`alter table public.ledger_entries enable trigger ledger_entries_guard`);
});
afterAll(() => server.close());

const ask = (file: string, who?: Person) => server.fetch(`/exports/v1/dossier/${file}`, {}, who);
async function dossierOf(period: string) {
  const response = await ask(`${period}.zip`, people.admin);
  expect(response.status).toBe(200);
  const [, name = ''] = /UTF-8''(\S+)$/u.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const bytes = Buffer.from(await response.arrayBuffer());
  const files = unzipped(bytes);
  const said = (files.get('LISEZ-MOI.txt') ?? Buffer.alloc(0)).toString();
  return { name: decodeURIComponent(name), bytes, files, said };
}

test('[UI-12] a year is one ZIP: journal, balance, DAS2, payments, statements; each file has the SHA-256 that is said', async () => {
  const { name, files, said } = await dossierOf('2024');
  expect(name).toBe('Dossier comptable 2024 provisoire.zip');
  const names = [...files.keys()];
  expect(names.map((file) => file.replace(/ [\da-f]{8}(?=\.)/u, ''))).toEqual([
    'Journal/Journal Parrainage 2024 provisoire.txt',
    'Journal/Journal Parrainage 2024 provisoire.csv',
    'Journal/Balance 2024.csv',
    'DAS2/DAS2 2024.csv',
    'Paiements/Historique des paiements 2024.csv',
    'Paiements/Virements groupés 2024.csv',
    'Relevés/Relevé 2024 Ana Martin.csv',
    'Relevés/Relevé 2024 Ana Martin.pdf',
    'Relevés/Relevé 2024 Zoé L’Hôte.csv',
    'Relevés/Relevé 2024 Zoé L’Hôte.pdf',
    'LISEZ-MOI.txt',
  ]);
  for (const [file, bytes] of files) {
    if (file === 'LISEZ-MOI.txt') continue;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(said).toContain(`${sha256}  ${file} (${bytes.length} octets)\r\n`);
  }
  // The files are those of their own doors, byte for byte.
  const own = await server.fetch('/exports/v1/accounting/2024.txt', {}, people.admin);
  expect(files.get(names[0] ?? '')).toEqual(Buffer.from(await own.arrayBuffer()));
  const trail = await server.database.asOwner<{ after: object }>(
    `select after from public.audit_entries where entity = 'exports' and after ->> 'list' = 'dossier'`,
  );
  expect(only(trail).after).toMatchObject({ list: 'dossier', format: 'zip' });
});

test('[UI-12] its totals are those of the ledger and of its own journal, to the cent', async () => {
  const { files, said } = await dossierOf('2024-11');
  const total = (label: string) => new RegExp(`^${label} : (.*)\\r$`, 'mu').exec(said)?.[1];
  const ledger = only(
    await server.database.asOwner<{ earned: string; paid: string; due: string }>(
      `select sum(amount) filter (where debit = 'charged')::text as earned,
        sum(amount) filter (where credit = 'paid')::text as paid,
        (select sum(earned - reversed - paid)::text from public.balances) as due from public.ledger_entries`,
    ),
  );
  expect(total('Commissions gagnées')).toBe(formatEuros(fromWire(ledger.earned)));
  expect(total('Payé, retours déduits')).toBe(formatEuros(fromWire(ledger.paid)));
  expect(ledger.paid).toBe('1234.56');
  expect(total('Dû à la fin de la période')).toBe(formatEuros(fromWire(ledger.due)));
  const fec = [...files].find(([file]) => file.endsWith('.txt'))?.[1] ?? Buffer.alloc(0);
  const { faults, debitCents, creditCents } = checkFec(fec);
  expect(faults).toEqual([]);
  expect([total('Total débit'), total('Total crédit')]).toEqual([formatEuros(debitCents), formatEuros(creditCents)]);
  const balance = parse(files.get('Journal/Balance 2024-11.csv') ?? '', { columns: true, delimiter: ';', bom: true });
  const debits = (balance as Record<string, string>[]).map((row) => fromWire((row['Débit'] ?? '').replace(',', '.')));
  expect(debits.reduce((sum, cents) => sum + cents, 0n)).toBe(debitCents);
  // A month has no DAS2.
  expect([...files.keys()].some((file) => file.startsWith('DAS2'))).toBe(false);
});

test('[UI-12] its files are dated the day it was made, and an amount of nothing is « 0,00 »', async () => {
  const begun = new Date();
  // The payment is of today.
  const year = dayOf(begun).slice(0, 4);
  const { bytes, files } = await dossierOf(year);
  // The date stands above the time, in the head of the first file: days, months and years since 1980.
  const date = bytes.readUInt16LE(12);
  expect([dayOf(begun), dayOf(new Date())]).toContain(
    `${(date >> 9) + 1980}-${String((date >> 5) & 15).padStart(2, '0')}-${String(date & 31).padStart(2, '0')}`,
  );
  const das2 = files.get(`DAS2/DAS2 ${year}.csv`)?.toString() ?? '';
  expect(das2).toContain(';0,00;');
  expect(das2).not.toMatch(/;0(?:;|\r)/u);
});

test('[UI-12] a period with nothing gives a whole ZIP which says so', async () => {
  const { files, said } = await dossierOf('2019');
  expect(said).toContain('Rien ne s’est passé sur cette période');
  expect(files.has('DAS2/DAS2 2019.csv')).toBe(true);
  expect([...files.keys()].some((file) => file.startsWith('Relevés'))).toBe(false);
});

test('[UI-12] a period that is none is refused in French, and the dossier is the admin’s', async () => {
  for (const file of ['2024-13.zip', '2024.pdf', 'novembre.zip']) {
    const response = await ask(file, people.admin);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      {
        error: 'Cette période n’existe pas : demandez une année (2026), un trimestre (2026-t4) ou un mois (2026-11).',
      },
    ]);
  }
  expect((await ask('2024.zip', people.client)).status).toBe(403);
  expect((await ask('2024.zip', people.seller)).status).toBe(403);
});
