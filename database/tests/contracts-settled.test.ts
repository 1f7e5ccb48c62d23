import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

// AC-07: a paper names the contracts that its payment settles, each with its own day, and adds up to the payment.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  scale = await aScale(db, { isDefault: true, clientAmount: '10' });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren)
     values (true, 'Lumeo Habitat', '12 rue des Lilas', '35000', 'Rennes', '732829320')`,
  );
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

/** Runs as somebody, at an instant of France. */
const at = <Row extends object>(instant: string, who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${instant} Europe/Paris`]);
    return run<Row & Record<string, unknown>>(text, [...values]);
  });
const FRIEND = 'Zoé Introuvable';

/** The contract's number, once it is validated on this day: its client earns a tenth. */
async function contract(friendReferrer: Person | null, contractAmount: string, day: string, of = commercial) {
  const { id } = await aSale(db, {
    commercial: of,
    friendReferrer,
    contractAmount,
    contactName: FRIEND,
    isReady: true,
  });
  await at(`${day} 10:00`, admin, asSeen.validate, [id, scale.id]);
  return { id, number: id.slice(0, 8).toUpperCase() };
}

async function aPayee(): Promise<Person> {
  const client = await aClient(db, { commercial });
  await db.asOwner(
    `insert into private.payee_details (payee_id, status, legal_name, street, postal_code, city)
     values ($1, 'particulier', 'Ada Martin', '1 rue', '35000', 'Rennes')`,
    [client.id],
  );
  return client;
}

async function approved(client: Person, amount: string, day: string): Promise<string> {
  const { id } = only(
    await at<{ id: string }>(
      `${day} 15:00`,
      client,
      `select id from private.request_payment($1, 'remise_societe', '{"company_account": "CLI-1"}', '\\x01', null)`,
      [amount],
    ),
  );
  await decide(id, 'approved', day);
  return id;
}
const decide = (id: string, status: string, day: string) =>
  at(
    `${day} 16:00`,
    admin,
    `select d.already from public.payment_requests r,
       private.decide_payment_request(r.id, $2, null, null, r.version, null) d where r.id = $1`,
    [id, status],
  );

type Line = { readonly contract?: string; readonly on?: string; readonly amount: string; readonly of?: string };
async function linesOf(source: string): Promise<readonly Line[]> {
  const paper = only(
    await db.asOwner<{ lines: Line[]; amount: string; sum: string; all: string }>(
      `select p.content -> 'lines' as lines, p.amount::text, p.content::text as all,
         (select sum((l ->> 'amount')::numeric)::text from jsonb_array_elements(p.content -> 'lines') l) as sum
       from public.papers p where $1 in (p.request_id, p.period_id)`,
      [source],
    ),
  );
  expect(paper.sum).toBe(paper.amount);
  expect(paper.all).not.toContain(FRIEND);
  return paper.lines;
}

test('[AC-07] payments settle contracts one after the other, the oldest first, whole or in part, to the cent', async () => {
  const client = await aPayee();
  const march = await contract(client, '1000.00', '2026-03-03');
  const april = await contract(client, '1500.50', '2026-04-10');
  const may = await contract(client, '2000.00', '2026-05-05');
  const first = await approved(client, '120.01', '2026-05-06');
  const second = await approved(client, '200.00', '2026-05-07');
  await decide(first, 'paid', '2026-05-08');
  await decide(second, 'paid', '2026-05-09');
  expect(await linesOf(first)).toEqual([
    { contract: march.number, on: '2026-03-03', amount: '100.00' },
    { contract: april.number, on: '2026-04-10', amount: '20.01', of: '150.05' },
  ]);
  expect(await linesOf(second)).toEqual([
    { contract: april.number, on: '2026-04-10', amount: '130.04', of: '150.05' },
    { contract: may.number, on: '2026-05-05', amount: '69.96', of: '200.00' },
  ]);
  // What is taken back of a contract is not paid for again: the next one makes up for it.
  await at('2026-05-20 10:00', admin, asSeen.cancel, [may.id, 'Rétractation']);
  const june = await contract(client, '3000.00', '2026-06-02');
  const third = await approved(client, '230.04', '2026-06-03');
  await decide(third, 'paid', '2026-06-04');
  expect(await linesOf(third)).toEqual([{ contract: june.number, on: '2026-06-02', amount: '230.04', of: '300.00' }]);
});

test('[AC-07] two payments of one payee that are made at once settle different contracts', async () => {
  const client = await aPayee();
  const one = await contract(client, '1000.00', '2026-03-03');
  const other = await contract(client, '1000.00', '2026-03-04');
  const requests = [await approved(client, '100.00', '2026-03-05'), await approved(client, '100.00', '2026-03-05')];
  await db.asOwner(
    `update public.payment_requests set status = 'paid', paid_at = '2026-03-06 10:00 Europe/Paris' where id = any($1)`,
    [requests],
  );
  const named = (await Promise.all(requests.map(linesOf))).flat().map(({ contract: number }) => number ?? '');
  expect(named.toSorted()).toEqual([one.number, other.number].toSorted());
});

test('[AC-07] a commercial’s month names the contracts of that month, and none that came after it', async () => {
  const agent = await aCommercial(db);
  await db.asOwner(
    `insert into private.payee_details (payee_id, status, legal_name, street, postal_code, city, siren, charges_vat)
     values ($1, 'agent', 'Noé Petit', '1 rue', '35000', 'Rennes', '552100554', false)`,
    [agent.id],
  );
  const numbers = [
    (await contract(null, '900.00', '2026-03-03', agent)).number,
    (await contract(null, '900.00', '2026-03-31', agent)).number,
  ];
  await contract(null, '900.00', '2026-04-01', agent);
  await at('2026-04-02 10:00', admin, `select private.pay_periods('2026-03-01', $1::jsonb)`, [
    JSON.stringify([{ payee_id: agent.id, amount: '100.00' }]),
  ]);
  const { id } = only(
    await db.asOwner<{ id: string }>('select id from public.paid_periods where payee_id = $1', [agent.id]),
  );
  expect(await linesOf(id)).toEqual([
    { contract: numbers[0], on: '2026-03-03', amount: '50.00' },
    { contract: numbers[1], on: '2026-03-31', amount: '50.00' },
  ]);
});

test('[AC-07] what no contract explains any more is a line of its own', async () => {
  const client = await aPayee();
  const kept = await contract(client, '500.00', '2026-03-03');
  const lost = await contract(client, '500.00', '2026-03-04');
  const { id: request } = only(
    await at<{ id: string }>(
      '2026-03-05 15:00',
      client,
      `select id from private.request_payment(100, 'virement', '{"iban": "FR76 •••• •••• 0189"}', '\\x01', sha256('a'))`,
    ),
  );
  await decide(request, 'approved', '2026-03-05');
  await db.asOwner(
    `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', '\\x01')`,
  );
  const { id: batch } = only(
    await at<{ id: string }>('2026-03-05 17:00', admin, `select private.make_batch(array[$1::uuid], 100) as id`, [
      request,
    ]),
  );
  await at(
    '2026-03-05 17:00',
    admin,
    `select private.release_batch($1, 1, 100, '2026-03-06', '09', '\\x01', sha256('x'))`,
    [batch],
  );
  // The contract is cancelled while the bank has the transfer, and the bank makes it.
  await at('2026-03-06 10:00', admin, asSeen.cancel, [lost.id, 'Rétractation']);
  await at('2026-03-07 10:00', admin, `select private.settle_batch($1, null)`, [batch]);
  expect(await linesOf(request)).toEqual([
    { contract: kept.number, on: '2026-03-03', amount: '50.00' },
    { amount: '50.00' },
  ]);
});
