import { afterAll, beforeAll, expect, test } from 'vitest';

import { euVatNumbers } from '@parrain/domain/country';

import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  aValidatedSale,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// AC-08: a Belgian company, a Swiss one, one of Monaco and somebody in Spain; their journal computed by hand.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
let belge: Person;
let suisse: Person;
let monaco: Person;
let espagne: Person;

beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db, { fullName: 'Ana' });
  scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '1000.00',
    commercialType: 'fixed',
    commercialAmount: '500.00',
  });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
     values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320')`,
  );
  belge = await aPayee('Bob');
  suisse = await aPayee('Sue');
  monaco = await aPayee('Moe');
  espagne = await aPayee('Eva');
  await says(belge, 'societe', 'Bois SRL', 'BE', '1000', 'BE0203201340');
  await says(suisse, 'societe', 'Holz AG', 'CH', '8001', 'CHE-116.281.710');
  await says(monaco, 'societe', 'Rocher SAM', 'MC', '98000', '07S04528');
  await says(espagne, 'particulier', 'Eva Ruiz', 'ES', '28013', null);
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

/** A client with 1 000 €. */
async function aPayee(fullName: string): Promise<Person> {
  const client = await aClient(db, { commercial, fullName });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
  return client;
}

const details = `select private.set_payee_details($1, $2, $3, 'Rue 1', $5, 'Ville', $7, null, $8, null, p_country => $4, p_number_abroad => $6)`;
const says = (
  who: Person,
  status: string,
  name: string,
  country: string | null,
  postalCode: string,
  number: string | null,
  siren: string | null = null,
): Promise<unknown> =>
  db.become(who, (run) =>
    run(details, [
      who.id,
      status,
      name,
      country,
      postalCode,
      number,
      siren,
      ['societe', 'agent', 'micro'].includes(status) ? false : null,
    ]),
  );
/** Runs something where the company has no VAT number. */
async function withoutVatNumber<T>(run: () => Promise<T>): Promise<T> {
  await db.asOwner('update private.paper_settings set vat_number = null');
  try {
    return await run();
  } finally {
    await db.asOwner(`update private.paper_settings set vat_number = 'FR44732829320'`);
  }
}
const ask = async (who: Person, amount: string, method = 'virement') =>
  only(
    await db.become(who, (run) =>
      run<{ id: string }>(`select id from private.request_payment($1, $2, '{}', null)`, [amount, method]),
    ),
  ).id;
const decide = (id: string, status: string): Promise<unknown> =>
  db.become(admin, (run) => run(asSeen.decide, [id, status, null]));
async function paid(who: Person, amount: string, method = 'virement'): Promise<string> {
  const id = await ask(who, amount, method);
  for (const status of ['approved', 'paid']) await decide(id, status);
  return id;
}
const giveBack = (id: string): Promise<unknown> =>
  db.become(admin, (run) =>
    run(
      `select d.already from public.payment_requests r, private.return_payment(r.id, 'Compte clos.', r.version, null) d where r.id = $1`,
      [id],
    ),
  );
/** Lines of the journal of one payee's pieces: account, label, debit, credit. */
const journal = async (name: string): Promise<string[]> =>
  (
    await db.become(admin, (run) =>
      run<{ said: string }>(
        `select concat_ws(' | ', "CompteNum", "EcritureLib", "Debit", "Credit") as said
         from private.accounting_lines('2000-01-01', (date_trunc('month', now()) + interval '2 months')::date)
         where "EcritureLib" like '%' || $1 order by "EcritureNum", side`,
        [name],
      ),
    )
  ).map(({ said }) => said);
const contentOf = async (id: string) =>
  (
    await db.asOwner<{ series: string; content: Record<string, unknown> }>(
      'select series, content from public.papers where request_id = $1 order by series desc',
      [id],
    )
  ).map(({ series, content }) => [series, content['reverse_charge']]);

test('[AC-08] a Belgian company is paid before tax, the reverse charge stands beside on 445662 and 4452, and a return takes it back', async () => {
  // 20 % of 333,33 is 66,666: 66,67.
  const id = await paid(belge, '333.33');
  await giveBack(id);
  expect(await journal('Bois SRL')).toEqual([
    '622200 | Commissions Bois SRL | 333.33 | 0.00',
    '401000 | Commissions Bois SRL | 0.00 | 333.33',
    '445662 | Commissions Bois SRL | 66.67 | 0.00',
    '445200 | Commissions Bois SRL | 0.00 | 66.67',
    '401000 | Paiement par virement Bois SRL | 333.33 | 0.00',
    '471000 | Paiement par virement Bois SRL | 0.00 | 333.33',
    '401000 | Retour d’un paiement par virement Bois SRL | 0.00 | 333.33',
    '471000 | Retour d’un paiement par virement Bois SRL | 333.33 | 0.00',
    '622200 | Annulation de commissions Bois SRL | 0.00 | 333.33',
    '401000 | Annulation de commissions Bois SRL | 333.33 | 0.00',
    '445662 | Annulation de commissions Bois SRL | 0.00 | 66.67',
    '445200 | Annulation de commissions Bois SRL | 66.67 | 0.00',
  ]);
  const reverse = { country: 'BE', rate: '20.00', amount: '66.67' };
  expect(await contentOf(id)).toEqual([
    ['R', reverse],
    ['AR', reverse],
  ]);
});

test('[AC-08] a Swiss company has accounts of its own outside the European Union, and those that are set, its discount the tax too', async () => {
  await paid(suisse, '100.03');
  expect(await journal('Holz AG')).toEqual([
    '622200 | Commissions Holz AG | 100.03 | 0.00',
    '401000 | Commissions Holz AG | 0.00 | 100.03',
    '445663 | Commissions Holz AG | 20.01 | 0.00',
    '445720 | Commissions Holz AG | 0.00 | 20.01',
    '401000 | Paiement par virement Holz AG | 100.03 | 0.00',
    '471000 | Paiement par virement Holz AG | 0.00 | 100.03',
  ]);
  await db.become(admin, (run) =>
    run(`select private.set_accounting('PAR', 'Parrainage', $1)`, [
      JSON.stringify({
        vat_abroad: { number: '445664', label: 'TVA déductible, hors UE' },
        vat_abroad_due: { number: '445300', label: 'TVA due, hors UE' },
      }),
    ]),
  );
  expect((await journal('Holz AG')).slice(2, 4)).toEqual([
    '445664 | Commissions Holz AG | 20.01 | 0.00',
    '445300 | Commissions Holz AG | 0.00 | 20.01',
  ]);
  expect((await journal('Bois SRL'))[2]).toBe('445662 | Commissions Bois SRL | 66.67 | 0.00');
  const gift = await paid(suisse, '50.00', 'cheque_cadeau');
  expect(await contentOf(gift)).toEqual([['R', { country: 'CH', rate: '20.00', amount: '10.00' }]]);
});

test('[AC-08] somebody in Spain and a company of Monaco have a receipt without reverse charge', async () => {
  await paid(espagne, '80.00');
  await paid(monaco, '80.00');
  expect(await journal('Eva Ruiz')).toEqual([
    '622200 | Commissions Eva Ruiz | 80.00 | 0.00',
    '467000 | Commissions Eva Ruiz | 0.00 | 80.00',
    '467000 | Paiement par virement Eva Ruiz | 80.00 | 0.00',
    '471000 | Paiement par virement Eva Ruiz | 0.00 | 80.00',
  ]);
  expect((await journal('Rocher SAM')).map((line) => line.slice(0, 6))).toEqual([
    '622200',
    '401000',
    '401000',
    '471000',
  ]);
});

test('[AC-08] what was paid with reverse charge stays so, whoever moves and whatever the company becomes', async () => {
  const mover = await aPayee('Max');
  await says(mover, 'societe', 'Mover SRL', 'BE', '1000', 'BE0203201340');
  await paid(mover, '10.00');
  await says(mover, 'societe', 'Mover SRL', null, '35000', null, '552100554');
  const later = await paid(mover, '20.00');
  expect(await contentOf(later)).toEqual([['R', undefined]]);
  const reversed = async () => (await journal('Mover SRL')).filter((line) => line.startsWith('445'));
  const lines = ['445662 | Commissions Mover SRL | 2.00 | 0.00', '445200 | Commissions Mover SRL | 0.00 | 2.00'];
  expect(await reversed()).toEqual(lines);
  expect(await withoutVatNumber(reversed)).toEqual(lines);
});

test('[AC-04, AC-08] name, account and right to deduct are those of the paper: what payee and company say later changes no entry', async () => {
  const seller = await aPayee('Jean');
  await says(seller, 'societe', 'Avant SRL', 'BE', '1000', 'BE0203201340');
  await giveBack(await paid(seller, '20.00'));
  await paid(seller, '12.00', 'remise_societe');
  const before = await journal('Avant SRL');
  expect(before.filter((line) => /^(?:709|44571|467)/u.test(line))).toEqual([
    '709700 | Paiement en remise Avant SRL | 0.00 | 10.00',
    '445710 | Paiement en remise Avant SRL | 0.00 | 2.00',
  ]);
  await says(seller, 'particulier', 'Après', 'BE', '1000', null);
  await db.asOwner('update private.paper_settings set vat_number = null');
  expect(await journal('Avant SRL')).toEqual(before);
  await db.asOwner(`update private.paper_settings set vat_number = 'FR44732829320'`);
});

test('[AC-02, AC-08] a company in franchise owes the tax of a business abroad and deducts none: it is in the charge', async () => {
  const seller = await aPayee('Luc');
  await says(seller, 'societe', 'Franchise SRL', 'BE', '1000', 'BE0203201340');
  await db.asOwner('update private.paper_settings set vat_franchise = true');
  const id = await paid(seller, '20.00');
  const lines = [
    '622200 | Commissions Franchise SRL | 24.00 | 0.00',
    '401000 | Commissions Franchise SRL | 0.00 | 20.00',
    '445200 | Commissions Franchise SRL | 0.00 | 4.00',
    '401000 | Paiement par virement Franchise SRL | 20.00 | 0.00',
    '471000 | Paiement par virement Franchise SRL | 0.00 | 20.00',
  ];
  expect(await journal('Franchise SRL')).toEqual(lines);
  // Nor does it collect the tax of a discount.
  await paid(seller, '12.00', 'remise_societe');
  const discount = [
    '622200 | Commissions Franchise SRL | 14.40 | 0.00',
    '445200 | Commissions Franchise SRL | 0.00 | 2.40',
    '709700 | Paiement en remise Franchise SRL | 0.00 | 12.00',
  ];
  const later = async () =>
    (await journal('Franchise SRL')).slice(lines.length).filter((line) => !line.startsWith('401'));
  expect(await later()).toEqual(discount);
  await db.asOwner('update private.paper_settings set vat_franchise = false');
  await giveBack(id);
  expect((await later()).filter((line) => !line.startsWith('471'))).toEqual([
    ...discount,
    '622200 | Annulation de commissions Franchise SRL | 0.00 | 24.00',
    '445200 | Annulation de commissions Franchise SRL | 4.00 | 0.00',
  ]);
});

test('[AC-08] a company without VAT number is refused a business abroad: at the request, the approval, the payment and the month', async () => {
  const client = await aPayee('Zed');
  await says(client, 'societe', 'Zed BV', 'NL', '1011', 'NL123456789B01');
  const [pending, approved] = [await ask(client, '10.00'), await ask(client, '10.00')];
  await decide(approved, 'approved');
  await db.become(commercial, (run) =>
    run(details, [commercial.id, 'agent', 'Ana Lopez', 'PT', '1000-001', 'PT123456789', null, false]),
  );
  const month = (method: string) =>
    outcome(
      db.asOwner(
        `insert into public.paid_periods (payee_id, month, amount, method, paid_at, paid_by)
         values ($1, '2025-01-01', 1, $2, now(), $3)`,
        [commercial.id, method, admin.id],
      ),
    );
  await withoutVatNumber(async () => {
    expect(await outcome(ask(client, '10.00'))).toBe('payee_abroad');
    expect(await outcome(decide(pending, 'approved'))).toBe('payee_abroad');
    expect(await outcome(decide(approved, 'paid'))).toBe('payee_abroad');
    expect(await month('paie')).toBe('payee_abroad');
    // What the bank has paid is paid.
    expect(await month('virement')).not.toBe('payee_abroad');
    const seen = await db.become(admin, (run) =>
      run<{ obstacle: string; said: string }>(
        `select t.obstacle, t.standing -> -1 ->> 'code' as said from public.transfers_to_make t where t.id = $1`,
        [approved],
      ),
    );
    expect(seen).toEqual([{ obstacle: 'abroad', said: 'abroad' }]);
    // The person in Spain and the company of Monaco owe nobody a VAT number.
    for (const who of [espagne, monaco]) await paid(who, '10.00');
    const shown = only(
      await db.become(client, (run) =>
        run<{ obstacle: string; number: string | null }>(
          `select s ->> 'reverse_charge_obstacle' as obstacle, s ->> 'company_vat_number' as number from private.payee_shown($1) s`,
          [client.id],
        ),
      ),
    );
    expect(shown).toEqual({ obstacle: 'no_vat_number', number: null });
    // Refusing stays possible, and papers off is as ever.
    await db.become(admin, (run) => run(asSeen.decide, [pending, 'rejected', 'Pas de numéro de TVA.']));
    await db.asOwner('update private.paper_settings set issues_papers = false');
    const free = await paid(client, '10.00');
    expect(await contentOf(free)).toEqual([]);
    await db.asOwner('update private.paper_settings set issues_papers = true');
  });
  await db.asOwner(`update private.paper_settings set postal_code = '97400'`);
  expect(await outcome(ask(client, '10.00'))).toBe('payee_abroad');
  await db.asOwner(`update private.paper_settings set postal_code = '35000'`);
  await decide(approved, 'paid');
  expect(await contentOf(approved)).toEqual([['R', { country: 'NL', rate: '20.00', amount: '2.00' }]]);
});

test('[AC-08] a batch with a business abroad waits for the company’s VAT number at its release', async () => {
  const client = await aPayee('Kim');
  await says(client, 'societe', 'Kim GmbH', 'DE', '10115', 'DE123456789');
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment('10.00', 'virement', $1, '\\x01')`, [
        { iban: 'DE89370400440532013000', beneficiary_name: 'Kim GmbH' },
      ]),
    ),
  );
  await decide(id, 'approved');
  const batch = only(
    await db.become(admin, (run) => run<{ id: string }>('select private.make_batch($1, $2) as id', [[id], '10.00'])),
  );
  const releaser = await anAdmin(db);
  await db.asOwner(
    `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', '\\x01')`,
  );
  const release = () =>
    outcome(
      db.become(releaser, (run) =>
        run(
          `select private.release_batch($1, 1, '10.00', (
             select min(d)::date from generate_series(now() + interval '1 day', now() + interval '5 days', interval '1 day') d
             where extract(isodow from d) < 6), '09', '\\x01', sha256('x'))`,
          [batch.id],
        ),
      ),
    );
  expect(await withoutVatNumber(release)).toBe('payee_abroad');
  expect(await release()).toBe('ok');
});

test('[AC-08] an agent’s month abroad is reverse charged too, once it is paid', async () => {
  await db.become(commercial, (run) =>
    run(details, [commercial.id, 'agent', 'Ana Lopez', 'PT', '1000-001', 'PT123456789', null, false]),
  );
  const { due } = only(
    await db.become(admin, (run) =>
      run<{ due: string }>('select sum(due) as due from public.commission_periods where payee_id = $1', [
        commercial.id,
      ]),
    ),
  );
  await db.become(admin, async (run) => {
    await run(
      `select set_config('app.at', (private.month_start((private.month_of(now()) + interval '1 month')::date) + interval '2 days')::text, true)`,
    );
    await run('select private.pay_periods(private.month_of(now()), $1::jsonb)', [
      JSON.stringify([{ payee_id: commercial.id, amount: due }]),
    ]);
  });
  // 20 % of a whole sum: a fifth.
  const tax = (Number.parseFloat(due) / 5).toFixed(2);
  expect((await journal('Ana Lopez')).slice(0, 4)).toEqual([
    `622200 | Commissions Ana Lopez | ${due} | 0.00`,
    `401000 | Commissions Ana Lopez | 0.00 | ${due}`,
    `445662 | Commissions Ana Lopez | ${tax} | 0.00`,
    `445200 | Commissions Ana Lopez | 0.00 | ${tax}`,
  ]);
});

test('[AC-08] whoever is abroad has no French number, a business there has its own, and no mandate is offered', async () => {
  const client = await aClient(db, { commercial });
  const refused: readonly (readonly [string, string, string | null, string, string | null, string?])[] = [
    ['micro', 'Mia', 'BE', '1000', 'BE0203201340'],
    ['association', 'Amis', 'BE', '1000', null],
    ['societe', 'Sans', 'BE', '1000', null],
    ['societe', 'Sans', 'BE', '1000', '0203201340'],
    ['societe', 'Deux', 'BE', '1000', 'BE0203201340', '552100554'],
    ['particulier', 'Eva', 'ES', '28013', 'ES12345678Z'],
    ['societe', 'Ici', 'FR', '35000', 'FR44732829320', '552100554'],
    ['particulier', 'Ici', 'FR', 'SW1A 1AA', null],
    ['particulier', 'Ici', 'fr', '35000', null],
  ];
  for (const said of refused) expect(await outcome(says(client, ...said))).not.toBe('ok');
  await says(client, 'particulier', 'Ann', 'GB', 'SW1A 1AA', null);
  // A client from before says no country.
  await db.become(client, (run) =>
    run(
      `select private.set_payee_details($1, 'societe', 'Bois', '1 rue', '35000', 'Rennes', '552100554', null, false, null)`,
      [client.id],
    ),
  );
  expect(
    await db.asOwner('select country, number_abroad from private.payee_details where payee_id = $1', [client.id]),
  ).toEqual([{ country: 'FR', number_abroad: null }]);
  const accepted = (who: Person) =>
    outcome(db.become(who, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)])));
  expect(await accepted(belge)).toBe('mandate_not_offered');
  expect(await accepted(client)).toBe('ok');
});

test('[AC-08] the DAS2 has the country of each payee, and the database the countries of the domain', async () => {
  const rows = await db.become(admin, (run) =>
    run<{ country: string }>(
      `select country from public.das2_payees(extract(year from now())::integer) where id = any ($1) order by 1`,
      [[belge.id, suisse.id, espagne.id, monaco.id]],
    ),
  );
  expect(rows.map(({ country }) => country)).toEqual(['CH', 'ES', 'MC']);
  const european = await db.asOwner<{ country: string }>(
    `select chr(65 + a) || chr(65 + b) as country from generate_series(0, 25) a, generate_series(0, 25) b
     where private.is_in_eu(chr(65 + a) || chr(65 + b)) order by 1`,
  );
  expect(european.map(({ country }) => country)).toEqual(
    [...Object.keys(euVatNumbers), 'FR'].toSorted((a, b) => (a < b ? -1 : 1)),
  );
});
