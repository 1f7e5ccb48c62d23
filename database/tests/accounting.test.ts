import { accountFamilies, accountUses } from '@parrain/domain/accounting';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  aValidatedSale,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// AC-02, AC-03, AC-06: a year of one contract for each status, and the journal that decision 0096 draws for it, computed by hand.

let db: TestDatabase;
let admin: Person;
type Name = 'particulier' | 'societe' | 'micro' | 'association' | 'agent' | 'salarie';
let people: Record<Name, Person>;

/** Runs as somebody, at an instant of France. */
const at = <Row extends object>(instant: string, who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${instant} Europe/Paris`]);
    return run<Row & Record<string, unknown>>(text, [...values]);
  });

beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
     values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320')`,
  );
  const scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '1000.00',
    commercialType: 'fixed',
    commercialAmount: '500.00',
  });
  const salarie = await aCommercial(db, { fullName: 'Sam Salarié' });
  const agent = await aCommercial(db, { fullName: 'Ana' });
  const client = (fullName: string) => aClient(db, { commercial: agent, fullName });
  people = {
    salarie,
    agent,
    particulier: await client('Zoé'),
    societe: await client('Bob'),
    micro: await client('Mia'),
    association: await client('Ali'),
  };
  const details: readonly (readonly [Name, string, string | null, string | null, boolean | null, string | null])[] = [
    ['particulier', 'Zoé Petit', null, null, null, null],
    ['societe', 'Bois SARL', '552100554', null, true, 'FR96552100554'],
    ['micro', 'Mia Roy', '443061841', null, false, null],
    ['association', 'Les Amis', null, 'W751234567', null, null],
    ['agent', 'Ana Lopez', '383474814', null, false, null],
  ];
  for (const [status, name, siren, rna, chargesVat, vat] of details)
    await db.become(people[status], (run) =>
      run(`select private.set_payee_details($1, $2, $3, '1 rue', '35000', 'Rennes', $4, $5, $6, $7)`, [
        people[status].id,
        status,
        name,
        siren,
        rna,
        chargesVat,
        vat,
      ]),
    );
  await db.become(people.societe, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)]));
  await db.become(admin, (run) => run('select private.accept_vat($1, $2)', [people.societe.id, 'FR96552100554']));
  for (const [seller, friendReferrer] of [
    [salarie, people.particulier],
    [agent, people.societe],
    [salarie, people.micro],
    [salarie, people.association],
  ] as const) {
    const sale = await aSale(db, { commercial: seller, friendReferrer, scale, isReady: true });
    await at('2025-03-03 10:00', admin, asSeen.validate, [sale.id, scale.id]);
  }
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

/** Asks for a payment and pays it on a day. */
async function paid(who: Name, amount: string, method: string, day: string): Promise<string> {
  const { id } = only(
    await at<{ id: string }>(
      `${day} 09:00`,
      people[who],
      `select id from private.request_payment($1, $2, '{}', null)`,
      [amount, method],
    ),
  );
  for (const status of ['approved', 'paid']) await at(`${day} 12:00`, admin, asSeen.decide, [id, status, null]);
  return id;
}

type Line = { readonly number: number; readonly said: string };
/** Lines of the journal as « account, auxiliary name, piece, label, debit, credit, letters », by the number of their entry. */
async function journal(from: string, before: string): Promise<Line[]> {
  const rows = await at<Line>(
    '2026-02-10 10:00',
    admin,
    `select "EcritureNum"::integer as number, concat_ws(' | ', to_char("EcritureDate" at time zone 'Europe/Paris', 'MM-DD'), "CompteNum", coalesce("CompAuxLib", '-'),
      regexp_replace("PieceRef", '-[0-9A-F]{8}$', ''), "EcritureLib", "Debit", "Credit", "EcritureLet") as said
     from private.accounting_lines($1, $2) order by "EcritureNum", side`,
    [from, before],
  );
  return rows.map(({ number, said }) => ({ number, said }));
}
const saidOf = async (from: string, before: string) => (await journal(from, before)).map(({ said }) => said);
const settings = (said: object) =>
  db.become(admin, (run) =>
    run(
      `select private.set_accounting('PAR', 'Parrainage', $1, $2, $3, $4, $5)`,
      (({ accounts = {}, payments = null, payroll = null, accrues = null, endsIn = null }) => [
        JSON.stringify(accounts),
        payments,
        payroll,
        accrues,
        endsIn,
      ])(said as Record<string, null>),
    ),
  );

test('[AC-02] charge and debt stand on the paper, the payment against a transit account, VAT against its payee', async () => {
  await paid('particulier', '100.00', 'virement', '2025-04-10');
  const societe = await paid('societe', '750.00', 'virement', '2025-05-12');
  await at(
    '2025-05-20 10:00',
    admin,
    `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
    [societe],
  );
  await paid('micro', '200.00', 'cheque_cadeau', '2025-06-02');
  await paid('association', '50.00', 'association', '2025-06-03');
  expect(await saidOf('2025-01-01', '2025-07-01')).toEqual([
    '04-10 | 622200 | - | R-2025-0001 | Commissions Zoé Petit | 100.00 | 0.00',
    '04-10 | 467000 | Zoé Petit | R-2025-0001 | Commissions Zoé Petit | 0.00 | 100.00 | A',
    '04-10 | 467000 | Zoé Petit | R-2025-0001 | Paiement par virement Zoé Petit | 100.00 | 0.00 | A',
    '04-10 | 471000 | - | R-2025-0001 | Paiement par virement Zoé Petit | 0.00 | 100.00',
    '05-12 | 622200 | - | F552100554-2025-0001 | Autofacture Bois SARL | 750.00 | 0.00',
    '05-12 | 445660 | - | F552100554-2025-0001 | Autofacture Bois SARL | 150.00 | 0.00',
    '05-12 | 401000 | Bois SARL | F552100554-2025-0001 | Autofacture Bois SARL | 0.00 | 900.00 | B',
    '05-12 | 401000 | Bois SARL | F552100554-2025-0001 | Paiement par virement Bois SARL | 900.00 | 0.00 | B',
    '05-12 | 471000 | - | F552100554-2025-0001 | Paiement par virement Bois SARL | 0.00 | 900.00',
    '05-20 | 401000 | Bois SARL | A552100554-2025-0001 | Retour d’un paiement par virement Bois SARL | 0.00 | 900.00 | C',
    '05-20 | 471000 | - | A552100554-2025-0001 | Retour d’un paiement par virement Bois SARL | 900.00 | 0.00',
    '05-20 | 622200 | - | A552100554-2025-0001 | Avoir Bois SARL | 0.00 | 750.00',
    '05-20 | 445660 | - | A552100554-2025-0001 | Avoir Bois SARL | 0.00 | 150.00',
    '05-20 | 401000 | Bois SARL | A552100554-2025-0001 | Avoir Bois SARL | 900.00 | 0.00 | C',
    '06-02 | 622200 | - | R-2025-0002 | Commissions Mia Roy | 200.00 | 0.00',
    '06-02 | 401000 | Mia Roy | R-2025-0002 | Commissions Mia Roy | 0.00 | 200.00 | D',
    '06-02 | 401000 | Mia Roy | R-2025-0002 | Paiement en chèque cadeau Mia Roy | 200.00 | 0.00 | D',
    '06-02 | 467100 | - | R-2025-0002 | Paiement en chèque cadeau Mia Roy | 0.00 | 200.00',
    '06-03 | 622200 | - | R-2025-0003 | Commissions Les Amis | 50.00 | 0.00',
    '06-03 | 467000 | Les Amis | R-2025-0003 | Commissions Les Amis | 0.00 | 50.00 | E',
    '06-03 | 467000 | Les Amis | R-2025-0003 | Paiement à une association Les Amis | 50.00 | 0.00 | E',
    '06-03 | 471000 | - | R-2025-0003 | Paiement à une association Les Amis | 0.00 | 50.00',
  ]);
});

test('[AC-06] a discount is before tax on an account of discounts, whole on the account of the client', async () => {
  await paid('particulier', '60.00', 'remise_societe', '2025-07-04');
  const settled = async () =>
    (await saidOf('2025-07-01', '2025-08-01')).filter((said) => said.includes('Paiement en remise'));
  expect(await settled()).toEqual([
    '07-04 | 467000 | Zoé Petit | R-2025-0004 | Paiement en remise Zoé Petit | 60.00 | 0.00 | F',
    '07-04 | 709700 | - | R-2025-0004 | Paiement en remise Zoé Petit | 0.00 | 50.00',
    '07-04 | 445710 | - | R-2025-0004 | Paiement en remise Zoé Petit | 0.00 | 10.00',
  ]);
  await settings({ accounts: { paid_remise_societe: { number: '411000', label: 'Clients' } } });
  expect((await settled()).slice(1)).toEqual([
    '07-04 | 411000 | - | R-2025-0004 | Paiement en remise Zoé Petit | 0.00 | 60.00',
  ]);
});

test('[AC-02] an account is of the class that its use needs, whoever writes, as the form says it', async () => {
  const account = (number: string) => ({ number, label: 'Compte' });
  const wrong = 'accounting_settings_accounts_are_of_their_use';
  expect(await outcome(settings({ accounts: { charged: account('512000') } }))).toBe(wrong);
  expect(await outcome(settings({ accounts: { vat_collected: account('401000') } }))).toBe(wrong);
  expect(await outcome(settings({ accounts: { paid_virement: account('622200') } }))).toBe(wrong);
  const pairs = accountUses.flatMap((use) => [1, 2, 3, 4, 5, 6, 7].map((digit) => ({ use, number: `${digit}45000` })));
  const fits = await db.asOwner<{ fits: boolean }>(
    `select private.is_account_of(p ->> 'use', p ->> 'number') as fits from jsonb_array_elements($1) with ordinality k (p, n) order by n`,
    [JSON.stringify(pairs)],
  );
  expect(fits.map(({ fits: fitting }) => fitting)).toEqual(
    pairs.map(({ use, number }) => accountFamilies[use].pattern.test(number)),
  );
});

test('[AC-02] a month whose journal hangs on the company’s VAT is not closed before it is known; without such lines it is', async () => {
  const own = await createTestDatabase();
  try {
    const chief = await anAdmin(own);
    const seller = await aCommercial(own);
    await aScale(own, { isDefault: true });
    const client = await aClient(own, { commercial: seller });
    await aValidatedSale(own, { commercial: seller, friendReferrer: client, admin: chief });
    const close = (month: string) =>
      own.become(chief, (run) => run('select private.close_accounting_months($1)', [month]));
    const discountOn = (number: string) =>
      own.become(chief, (run) =>
        run(`select private.set_accounting('PAR', 'Parrainage', $1)`, [
          JSON.stringify({ paid_remise_societe: { number, label: 'Remises' } }),
        ]),
      );
    const { id } = only(
      await own.become(client, (run) =>
        run<{ id: string }>(`select id from private.request_payment(20, 'remise_societe', '{}', null)`),
      ),
    );
    for (const status of ['approved', 'paid'])
      await own.become(chief, async (run) => {
        await run(`select set_config('app.at', '2025-03-10 10:00+01', true)`);
        await run(asSeen.decide, [id, status, null]);
      });
    await discountOn('709000');
    expect(await outcome(close('2025-03-01'))).toBe('accounting_vat_unknown');
    await discountOn('411000');
    expect(await outcome(close('2025-03-01'))).toBe('ok');
    // Of the months to come, once it is said: a company without a number is one that is known.
    await discountOn('709000');
    expect(await outcome(close('2025-04-01'))).toBe('ok');
  } finally {
    await own.drop();
  }
});

test('[AC-03] an agent’s month is a supplier’s, an employee’s is the payroll’s unless the setting says 641 and 428', async () => {
  const month = (who: Name, amount: string) =>
    at('2025-08-04 10:00', admin, 'select paid from private.pay_periods($1, $2::jsonb)', [
      '2025-07-01',
      JSON.stringify([{ payee_id: people[who].id, amount }]),
    ]);
  expect(await month('agent', '500.00')).toEqual([{ paid: 1 }]);
  expect(await outcome(month('salarie', '1500.00'))).toBe('payee_incomplete');
  await db.become(people.salarie, (run) =>
    run(`select private.set_payee_details($1, 'salarie', null, null, null, null, null, null, null, null)`, [
      people.salarie.id,
    ]),
  );
  expect(await month('salarie', '1500.00')).toEqual([{ paid: 1 }]);
  const agent = [
    '08-04 | 622200 | - | R-2025-0005 | Commissions Ana Lopez | 500.00 | 0.00',
    '08-04 | 401000 | Ana Lopez | R-2025-0005 | Commissions Ana Lopez | 0.00 | 500.00 | G',
    '08-04 | 401000 | Ana Lopez | R-2025-0005 | Paiement par virement Ana Lopez | 500.00 | 0.00 | G',
    '08-04 | 471000 | - | R-2025-0005 | Paiement par virement Ana Lopez | 0.00 | 500.00',
  ];
  expect(await saidOf('2025-08-01', '2025-09-01')).toEqual(agent);
  await settings({ payroll: true });
  expect(await saidOf('2025-08-01', '2025-09-01')).toEqual([
    ...agent,
    '08-04 | 641000 | - | PAIE | Commissions (paie) Sam Salarié | 1500.00 | 0.00',
    '08-04 | 428600 | Sam Salarié | PAIE | Commissions (paie) Sam Salarié | 0.00 | 1500.00',
  ]);
  await settings({ payroll: false });
});

test('[AC-02] a company without a VAT number has the tax in its charge, from then on', async () => {
  const ofMay = await saidOf('2025-05-01', '2025-06-01');
  await db.asOwner('update private.paper_settings set vat_number = null');
  const id = await paid('societe', '750.00', 'virement', '2025-08-20');
  const said = (await saidOf('2025-08-01', '2025-09-01')).filter((line) => line.startsWith('08-20'));
  expect(said.slice(0, 2)).toEqual([
    '08-20 | 622200 | - | F552100554-2025-0002 | Autofacture Bois SARL | 900.00 | 0.00',
    '08-20 | 401000 | Bois SARL | F552100554-2025-0002 | Autofacture Bois SARL | 0.00 | 900.00 | H',
  ]);
  // What was paid before keeps what its paper says.
  expect(await saidOf('2025-05-01', '2025-06-01')).toEqual(ofMay);
  await at(
    '2025-08-25 10:00',
    admin,
    `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
    [id],
  );
  await db.asOwner(`update private.paper_settings set vat_number = 'FR44732829320'`);
});

test('[AC-02] a company in franchise deducts nothing in spite of its VAT number, until its regime changes: each paper keeps its own', async () => {
  const ofMay = await saidOf('2025-05-01', '2025-06-01');
  const regime = (isFranchise: boolean) =>
    db.become(admin, (run) =>
      run(
        `select private.set_paper_settings(true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320', 15, p_vat_franchise => $1)`,
        [isFranchise],
      ),
    );
  const said = async () => (await saidOf('2025-08-01', '2025-09-01')).filter((line) => line.startsWith('08-21'));
  await regime(true);
  const id = await paid('societe', '100.00', 'virement', '2025-08-21');
  const lines = [
    '08-21 | 622200 | - | F552100554-2025-0003 | Autofacture Bois SARL | 120.00 | 0.00',
    '08-21 | 401000 | Bois SARL | F552100554-2025-0003 | Autofacture Bois SARL | 0.00 | 120.00 | I',
    '08-21 | 401000 | Bois SARL | F552100554-2025-0003 | Paiement par virement Bois SARL | 120.00 | 0.00 | I',
    '08-21 | 471000 | - | F552100554-2025-0003 | Paiement par virement Bois SARL | 0.00 | 120.00',
  ];
  expect(await said()).toEqual(lines);
  // The year before keeps its regime, and so does this payment once the company charges VAT.
  expect(await saidOf('2025-05-01', '2025-06-01')).toEqual(ofMay);
  await regime(false);
  expect(await said()).toEqual(lines);
  expect(await saidOf('2025-05-01', '2025-06-01')).toEqual(ofMay);
  // What comes back takes the tax out of the charge that has it.
  await at(
    '2025-08-26 10:00',
    admin,
    `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
    [id],
  );
  expect((await saidOf('2025-08-01', '2025-09-01')).filter((line) => /^08-26 \| (?:622|445)/u.test(line))).toEqual([
    '08-26 | 622200 | - | A552100554-2025-0003 | Avoir Bois SARL | 0.00 | 120.00',
  ]);
});

test('[AC-02] without payments the documents stand alone, unlettered; what no bank moves is posted still', async () => {
  await settings({ payments: false });
  const said = await saidOf('2025-01-01', '2025-07-01');
  expect(said.filter((line) => line.includes('471000') || line.includes('par virement'))).toEqual([]);
  expect(said.filter((line) => line.includes('Paiement')).map((line) => line.split(' | ')[1])).toEqual([
    '401000',
    '467100',
  ]);
  expect(said[1]).toBe('04-10 | 467000 | Zoé Petit | R-2025-0001 | Commissions Zoé Petit | 0.00 | 100.00');
  await settings({ payments: true });
});

test('[AC-02] a payee has the code that the accountant chose, of nobody else', async () => {
  const set = (who: Name, code: string | null, by = admin) =>
    db.become(by, (run) => run('select private.set_accounting_code($1, $2)', [people[who].id, code]));
  await set('societe', 'FBOIS');
  expect(await outcome(set('micro', 'FBOIS'))).toBe('accounting_code_taken');
  expect(await outcome(set('micro', 'f bois'))).not.toBe('done');
  expect(await outcome(set('societe', 'X', people.societe))).toBe('forbidden');
  const codes = async () =>
    (
      await at<{ code: string }>(
        '2026-02-10 10:00',
        admin,
        `select distinct "CompAuxNum" as code from private.accounting_lines('2025-05-01', '2025-06-01') where "CompAuxNum" is not null`,
      )
    ).map(({ code }) => code);
  expect(await codes()).toEqual(['FBOIS']);
  const found = await db.become(admin, (run) =>
    run(`select name, code, is_chosen from private.accounting_codes_shown('böis')`),
  );
  expect(found).toEqual([{ name: 'Bois SARL', code: 'FBOIS', is_chosen: true }]);
  await set('societe', null);
  expect(await codes()).toEqual([people.societe.id.slice(0, 8).toUpperCase()]);
});

test('[AC-06] a financial year ends with what is earned and not paid in 408, taken back on the next day', async () => {
  expect(await saidOf('2025-09-01', '2026-02-01')).toEqual([]);
  await settings({ accrues: true });
  const ended = [
    '12-31 | 622200 | - | FNP-202512 | Commissions à recevoir sur pièce | 3590.00 | 0.00',
    '12-31 | 408100 | Bois SARL | FNP-202512 | Commissions à recevoir sur pièce Bois SARL | 0.00 | 1000.00',
    '12-31 | 408100 | Les Amis | FNP-202512 | Commissions à recevoir sur pièce Les Amis | 0.00 | 950.00',
    '12-31 | 408100 | Mia Roy | FNP-202512 | Commissions à recevoir sur pièce Mia Roy | 0.00 | 800.00',
    '12-31 | 408100 | Zoé Petit | FNP-202512 | Commissions à recevoir sur pièce Zoé Petit | 0.00 | 840.00',
  ];
  const takenBack = (piece: string, label: string) => [
    `01-01 | 408100 | Bois SARL | ${piece} | Extourne Bois SARL | 1000.00 | 0.00`,
    `01-01 | 408100 | Les Amis | ${piece} | Extourne Les Amis | 950.00 | 0.00`,
    `01-01 | 408100 | Mia Roy | ${piece} | Extourne Mia Roy | 800.00 | 0.00`,
    `01-01 | 408100 | Zoé Petit | ${piece} | Extourne Zoé Petit | 840.00 | 0.00`,
    `01-01 | 622200 | - | ${piece} | ${label} | 0.00 | 3590.00`,
  ];
  expect(await saidOf('2025-09-01', '2026-02-01')).toEqual([
    ...ended,
    ...takenBack('FNP-202512', 'Extourne des factures non parvenues'),
  ]);
  // Who deducts nothing will have the tax in its charge.
  await db.asOwner('update private.paper_settings set vat_franchise = true');
  expect((await saidOf('2025-12-01', '2026-01-01')).slice(0, 3)).toEqual([
    '12-31 | 622200 | - | FNP-202512 | Commissions à recevoir sur pièce | 3790.00 | 0.00',
    '12-31 | 408100 | Bois SARL | FNP-202512 | Commissions à recevoir sur pièce Bois SARL | 0.00 | 1200.00',
    '12-31 | 408100 | Les Amis | FNP-202512 | Commissions à recevoir sur pièce Les Amis | 0.00 | 950.00',
  ]);
  await db.asOwner('update private.paper_settings set vat_franchise = false');
  // A year that ends in March is another one.
  await settings({ endsIn: 3 });
  expect((await saidOf('2025-03-01', '2025-04-01'))[0]).toMatch(/^03-31 \| 622200 .* 4500.00 \| 0.00$/u);
  expect(await saidOf('2025-09-01', '2026-02-01')).toEqual([]);
  await settings({ endsIn: 12 });
  const whole = await journal('2025-01-01', '2026-01-01');
  expect(await at('2026-02-10 10:00', admin, `select private.close_accounting_months('2025-12-01') as closed`)).toEqual(
    [{ closed: 10 }],
  );
  expect(await journal('2025-01-01', '2026-01-01')).toEqual(whole);
  expect(await saidOf('2026-01-01', '2026-02-01')).toEqual(
    takenBack('REPRISE-202512', 'Extourne des commissions sans pièce'),
  );
  // Nothing of today reaches a closed year; the next one counts on from it, its letters too.
  await settings({ accrues: false, payments: false, accounts: { charged: { number: '622999', label: 'Autre' } } });
  await db.asOwner('update private.paper_settings set vat_number = null');
  await db.asOwner(`update private.payee_details set legal_name = 'Autre' where status = 'societe'`);
  expect(await journal('2025-01-01', '2026-01-01')).toEqual(whole);
  await settings({ payments: true });
  await paid('particulier', '10.00', 'virement', '2026-01-09');
  const next = await journal('2026-01-01', '2026-02-01');
  expect(next.slice(-4).map(({ said }) => said)).toEqual([
    '01-09 | 622999 | - | R-2026-0001 | Commissions Zoé Petit | 10.00 | 0.00',
    '01-09 | 467000 | Zoé Petit | R-2026-0001 | Commissions Zoé Petit | 0.00 | 10.00 | A',
    '01-09 | 467000 | Zoé Petit | R-2026-0001 | Paiement par virement Zoé Petit | 10.00 | 0.00 | A',
    '01-09 | 471000 | - | R-2026-0001 | Paiement par virement Zoé Petit | 0.00 | 10.00',
  ]);
  expect(next[0]?.number).toBe((whole.at(-1)?.number ?? 0) + 1);
  // January is closed with its taking back: nothing is left to take back.
  await at('2026-02-10 10:00', admin, `select private.close_accounting_months('2026-01-01')`);
  expect(await saidOf('2026-02-01', '2026-03-01')).toEqual([]);
});

test('[AC-05] a debt that is repaid takes its commission out of the charge against the transit account, until it is annulled', async () => {
  const { id: sale } = only(
    await db.asOwner<{ id: string }>('select id from public.sales where friend_referrer_id = $1', [
      people.association.id,
    ]),
  );
  await paid('association', '950.00', 'association', '2026-02-03');
  await at('2026-02-04 10:00', admin, asSeen.cancel, [sale, 'Erreur']);
  const settle = `select (private.settle_debt($1, 'repayment', 400, 1000, '2026-02-05', 'virement', null, null)).act`;
  const { act } = only(await at<{ act: string }>('2026-02-06 10:00', admin, settle, [people.association.id]));
  const id = act.slice(1, 37);
  const said = async () => (await saidOf('2026-02-01', '2026-03-01')).filter((line) => line.includes('REMB'));
  const posted = [
    '02-05 | 467000 | Les Amis | REMB | Remboursement Les Amis | 0.00 | 400.00 | C',
    '02-05 | 471000 | - | REMB | Remboursement Les Amis | 400.00 | 0.00',
    '02-05 | 622999 | - | REMB | Commissions reprises Les Amis | 0.00 | 400.00',
    '02-05 | 467000 | Les Amis | REMB | Commissions reprises Les Amis | 400.00 | 0.00 | C',
  ];
  expect(await said()).toEqual(posted);
  await at('2026-02-07 10:00', admin, `select private.annul_debt_act($1, 'Chèque sans provision')`, [id]);
  expect(await said()).toEqual([
    ...posted,
    '02-07 | 622999 | - | REMB | Annulation : Commissions reprises Les Amis | 400.00 | 0.00',
    '02-07 | 467000 | Les Amis | REMB | Annulation : Commissions reprises Les Amis | 0.00 | 400.00 | D',
    '02-07 | 467000 | Les Amis | REMB | Annulation : Remboursement Les Amis | 400.00 | 0.00 | D',
    '02-07 | 471000 | - | REMB | Annulation : Remboursement Les Amis | 0.00 | 400.00',
  ]);
});

test('[AC-02] a debt that was posted at the contract in a month closed long ago is taken back once, on its own account', async () => {
  const own = await createTestDatabase();
  try {
    const chief = await anAdmin(own);
    const client = await aClient(own);
    await own.asOwner(`
      insert into private.accounting_months (month, settings_id, last_number, closed_at)
        select '2024-12-01', min(id), 1, '2025-01-10' from private.accounting_settings;
      insert into private.accounting_entries (number, place, month, at, use, payee_id, account_number, account_label, auxiliary_code, auxiliary_name,
        piece, piece_at, label, debit, credit)
      select 1, k.place, '2024-12-01', '2024-12-05', k.use, '${client.id}', k.account, 'Compte', k.code, k.name, 'CTR-1', '2024-12-05', 'Commission',
        k.debit, k.credit
      from (values (1, 'charged', '622200', null, null, 30.00, 0.00), (2, 'former', '467000', 'AB', 'Zoé', 0.00, 30.00))
        k (place, use, account, code, name, debit, credit)`);
    const shown = async (): Promise<unknown> =>
      own.become(chief, (run) =>
        run(`select "EcritureNum"::integer as number, to_char("EcritureDate" at time zone 'Europe/Paris', 'YYYY-MM-DD') as day, "CompteNum" as account,
          "CompAuxNum" as code, "PieceRef" as piece, "Debit" as debit, "Credit" as credit from private.accounting_lines('2025-01-01', '2025-02-01') order by side`),
      );
    const back = [
      {
        number: 2,
        day: '2025-01-01',
        account: '467000',
        code: 'AB',
        piece: 'REPRISE-202412',
        debit: '30.00',
        credit: '0.00',
      },
      {
        number: 2,
        day: '2025-01-01',
        account: '622200',
        code: null,
        piece: 'REPRISE-202412',
        debit: '0.00',
        credit: '30.00',
      },
    ];
    expect(await shown()).toEqual(back);
    await own.become(chief, (run) => run(`select private.close_accounting_months('2025-01-01')`));
    expect(await shown()).toEqual(back);
    expect(
      await own.become(chief, (run) => run(`select 1 from private.accounting_lines('2025-02-01', '2025-03-01')`)),
    ).toEqual([]);
  } finally {
    await own.drop();
  }
});

test('[AC-02] the lines of a closed month are never written to', async () => {
  for (const statement of [
    `update private.accounting_entries set label = 'x'`,
    'delete from private.accounting_entries',
    'truncate private.accounting_entries',
  ])
    await expect(db.asOwner(statement)).rejects.toThrow(/forbidden/u);
});
