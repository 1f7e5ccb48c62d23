import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  asSeen,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

// PP-04: in 2024 two clients are paid, the one above the threshold by a gift card, the other far below it by a discount.

let server: TestServer;
let people: Record<'admin' | 'seller' | 'big' | 'small', Person>;
beforeAll(async () => {
  server = await startTestServer({ doors: ['exports', 'functions', 'rest'], jobs: false });
  const db = server.database;
  const [admin, seller] = [await anAdmin(db), await aCommercial(db)];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '5000' });
  const big = await aClient(db, { commercial: seller, fullName: '=cmd|calc' });
  const small = await aClient(db, { commercial: seller, fullName: 'Zoé L’Hôte' });
  people = { admin, seller, big, small };
  for (const [who, amount, method] of [
    [big, '2400.01', 'cheque_cadeau'],
    [small, '12.50', 'remise_societe'],
  ] as const) {
    await aValidatedSale(db, { admin, commercial: seller, friendReferrer: who, scale, contractAmount: '10000' });
    const { id } = only(
      await db.become(who, (run) =>
        run<{ id: string }>(`select id from private.request_payment($1, $2, '{}', null)`, [amount, method]),
      ),
    );
    for (const status of ['approved', 'paid']) {
      await db.become(admin, async (run) => {
        await run(`select set_config('app.at', '2024-12-31T22:59:59Z', true)`);
        await run(asSeen.decide, [id, status, null]);
      });
    }
  }
  await callAs(server, small, 'papers', {
    action: 'update_payee',
    payee_id: small.id,
    status: 'micro',
    legal_name: 'Zoé L’Hôte',
    street: '12 rue des Lilas',
    postal_code: '35000',
    city: 'Rennes',
    siren: '732829320',
    charges_vat: false,
  });
});
afterAll(() => server.close());

const ask = (file: string, who?: Person) => server.fetch(`/exports/v1/das2/${file}`, {}, who);
async function csvOf(year: number): Promise<{ name: string; rows: Record<string, string>[] }> {
  const response = await ask(`${year}.csv`, people.admin);
  expect(response.status).toBe(200);
  const [, name = ''] = /UTF-8''(\S+)$/u.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const bytes = Buffer.from(await response.arrayBuffer());
  return { name: decodeURIComponent(name), rows: parse(bytes, { columns: true, delimiter: ';', bom: true }) };
}
const call = (body: Record<string, unknown>, who = people.admin) => callAs(server, who, 'accounting', body);
const plain = (text = '') => text.replaceAll(/[\u00a0\u202f]/gu, ' ');

test('[PP-04] the file of a year says who is declared, who is not and why, and what is missing; no formula in it', async () => {
  const { name, rows } = await csvOf(2024);
  expect(name).toBe('DAS2 2024.csv');
  expect(rows).toMatchObject([
    {
      État: 'À déclarer',
      'Motif d’exclusion': '',
      'Il manque': 'statut, nom légal, adresse et SIRET',
      Bénéficiaire: "'=cmd|calc",
      SIREN: '',
      'Payé dans l’année': '2400,01',
      'dont chèques cadeaux': '2400,01',
      Compté: '2400,01',
      Seuil: '2400,00',
      Identifiant: people.big.id,
    },
    {
      État: 'Sous le seuil',
      'Motif d’exclusion': 'Payé seulement en ce qui n’est pas compté',
      'Il manque': '',
      Statut: 'Micro-entrepreneur',
      'Nom légal': 'Zoé L’Hôte',
      SIREN: '732829320',
      Adresse: '12 rue des Lilas',
      'Code postal': '35000',
      Ville: 'Rennes',
      Pays: 'France',
      'À vérifier': '',
      'Remboursé dans l’année': '0,00',
      'Remboursé de plus que compté': '',
      'dont remises': '12,50',
      Compté: '0,00',
    },
  ]);
  expect((await csvOf(2025)).rows).toEqual([]);
  const trail = await server.database.asOwner<{ rows: number }>(
    `select (after ->> 'rows')::integer as rows from public.audit_entries
     where entity = 'exports' and after ->> 'list' = 'das2' order by id`,
  );
  expect(trail.map(({ rows: count }) => count)).toEqual([2, 0]);
});

test('[PP-04] the admin says which payments in kind count; a word that is none is refused in French', async () => {
  expect(
    (await callAs(server, people.admin, 'accounting?action=das2', undefined, { method: 'GET' })).body.data,
  ).toEqual({
    counts_gift_cards: true,
    counts_discounts: false,
    regular_from: 3,
  });
  const saved = await call({ action: 'update_das2', counts_gift_cards: false, counts_discounts: true });
  expect(saved.body).toMatchObject({ success: true, data: { counts_gift_cards: false, counts_discounts: true } });
  const { rows } = await csvOf(2024);
  expect(rows.map((row) => [row['Identifiant'], row['Compté'], plain(row['Motif d’exclusion'])])).toEqual([
    [people.small.id, '12,50', 'Pas plus de 2 400 €'],
    [people.big.id, '0,00', 'Payé seulement en ce qui n’est pas compté'],
  ]);
  const refused = await call({ action: 'update_das2', counts_gift_cards: 'oui' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('Indiquez si les chèques cadeaux sont comptés.'),
  ]);
  await call({ action: 'update_das2', counts_gift_cards: true, counts_discounts: false });
});

test('[AC-10] the file has SIRET, profession, last and first name apart, the name of a company, and says what is missing', async () => {
  const payee = { payee_id: people.big.id, street: '1 rue', postal_code: '35000', city: 'Rennes' };
  const keep = async (details: object) => {
    expect(
      (await callAs(server, people.admin, 'papers', { action: 'update_payee', ...payee, ...details })).status,
    ).toBe(200);
    return only((await csvOf(2024)).rows.filter((row) => row['Identifiant'] === people.big.id));
  };
  const nobody = { Nom: '', Prénom: '', 'Raison sociale': '', SIRET: '' };
  expect(await keep({ status: 'particulier', legal_name: 'Jean Paul Martin' })).toMatchObject({
    ...nobody,
    'Nom légal': 'Jean Paul Martin',
    Profession: 'Apporteur d’affaires',
    'Il manque': 'nom et prénom séparés',
  });
  const micro = { status: 'micro', first_name: 'Jean Paul', last_name: '=Martin', siren: '552100554' };
  expect(await keep({ ...micro, charges_vat: false })).toMatchObject({
    ...nobody,
    Nom: "'=Martin",
    Prénom: 'Jean Paul',
    'Nom légal': 'Jean Paul =Martin',
    SIREN: '552100554',
    'Il manque': 'SIRET',
  });
  const society = { status: 'societe', legal_name: 'Lumeo SAS', siren: '552100554', siret: '552 100 554 00013' };
  expect(await keep({ ...society, charges_vat: false })).toMatchObject({
    ...nobody,
    'Raison sociale': 'Lumeo SAS',
    SIRET: '55210055400013',
    Profession: 'Apporteur d’affaires',
    'Il manque': '',
  });
  // A form that changes one name alone sends that one.
  await keep({ status: 'particulier', first_name: 'Jean', last_name: 'Martin' });
  expect(
    await keep({ last_name: 'Martinet', seen: { last_name: 'Martin' }, street: undefined, postal_code: undefined }),
  ).toMatchObject({ Nom: 'Martinet', Prénom: 'Jean', 'Nom légal': 'Jean Martinet', 'Il manque': '' });
  expect(
    (await callAs(server, people.admin, 'papers', { action: 'payee', payee_id: people.big.id })).body.data,
  ).toMatchObject({ details: { first_name: 'Jean', last_name: 'Martinet', siret: null } });
});

test('[AC-10] an admin deals with a regular particulier, nobody else does; the number of contracts is saved and refused in French', async () => {
  const deal = (who: Person) => call({ action: 'deal_with_regularity', payee_id: people.big.id }, who);
  for (const who of [people.seller, people.big]) expect((await deal(who)).status).toBe(403);
  expect((await deal(people.admin)).body).toEqual({ success: true });
  const settings = { action: 'update_das2', counts_gift_cards: true, counts_discounts: false };
  const refused = await call({ ...settings, regular_from: '0' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('Indiquez un nombre de contrats, de 1 à 99.'),
  ]);
  expect((await call({ ...settings, regular_from: '1' })).body).toMatchObject({ data: { regular_from: 1 } });
  expect((await deal(people.admin)).body).toMatchObject({ success: true });
  const answer = await server.fetch('/rest/v1/rpc/regular_payees?dealt_at=is.null&select=full_name', {}, people.admin);
  expect([answer.status, await answer.json()]).toEqual([200, []]);
  const told = await server.fetch('/rest/v1/rpc/regular_payees?select=id,contracts,payments,paid', {}, people.admin);
  expect(await told.json()).toEqual([{ id: people.big.id, contracts: 1, payments: 0, paid: 0 }]);
  await call({ ...settings, regular_from: 3 });
});

test('[PP-04] the list is read by cursor, and is the admin’s', async () => {
  const list = (query: string, who: Person) =>
    server.fetch(`/rest/v1/rpc/das2_payees?p_year=2024&select=id&order=is_employee,counted.desc,id&${query}`, {}, who);
  const ids = async (query: string) =>
    ((await (await list(query, people.admin)).json()) as { id: string }[]).map(({ id }) => id);
  expect(await ids('limit=1')).toEqual([people.big.id]);
  expect(await ids('or=(is_employee.gt."false",and(is_employee.eq."false",counted.lt."2400.01"))')).toEqual([
    people.small.id,
  ]);
  for (const who of [people.seller, people.big]) {
    expect((await list('', who)).status).toBe(403);
    expect((await ask('2024.csv', who)).status).toBe(403);
    expect((await call({ action: 'update_das2', counts_gift_cards: true, counts_discounts: true }, who)).status).toBe(
      403,
    );
  }
  expect((await ask('2024.csv')).status).toBe(403);
  for (const file of ['2024.pdf', '1999.csv', '2024-01.csv', 'tout.csv']) {
    expect((await ask(file, people.admin)).status).toBe(404);
  }
});
