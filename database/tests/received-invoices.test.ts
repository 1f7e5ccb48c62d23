import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aSale,
  aScale,
  asSeen,
  aValidatedSale,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome } from './world.ts';

// EI-02: what the platform brought is the company's own, and its admins' alone to decide.

let db: TestDatabase;
let people: Record<'admin' | 'accountant' | 'commercial' | 'client' | 'other', Person>;
let today: string;
beforeAll(async () => {
  db = await createTestDatabase();
  const [admin, commercial, accountant] = [await anAdmin(db), await aCommercial(db), await anAccountant(db)];
  const scale = await aScale(db, { isDefault: true, clientType: 'fixed', clientAmount: '5000.00' });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren) values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320')`,
  );
  await db.asOwner(
    `insert into private.e_invoicing (flow_url, directory_url, token_url, client_id, secret_sealed, is_on)
     values ('https://pa.example/flow', 'https://pa.example/dir', 'https://pa.example/token', 'x', 'x', true)`,
  );
  const sellers: Person[] = [];
  for (const siren of ['552100554', '443061841']) {
    const client = await aClient(db, { commercial });
    await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
    await db.become(client, (run) =>
      run(
        `select private.set_payee_details($1, 'societe', 'Bois', '1 rue', '35000', 'Rennes', $2, null, false, null)`,
        [client.id, siren],
      ),
    );
    sellers.push(client);
  }
  const [client, other] = sellers;
  if (client === undefined || other === undefined) throw new Error('Two sellers were made');
  people = { admin, accountant, commercial, client, other };
  today = only(await db.asOwner<{ day: string }>('select private.today()::text as day')).day;
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const ask = async (who: Person, amount: string): Promise<string> =>
  only(
    await db.become(who, (run) =>
      run<{ id: string }>('select id from private.request_payment($1, $2, $3, null)', [
        amount,
        'virement',
        '{"iban": "FR76 •••• 0189", "beneficiary_name": "Bois"}',
      ]),
    ),
  ).id;
const asService = <Result>(work: (run: TestDatabase['asOwner']) => Promise<Result>): Promise<Result> =>
  work(db.asOwner);
let flows = 0;
/** An invoice that came in and was read, of the first client's SIREN where it says no other. */
async function received(number: string, amount: string, more: object = {}): Promise<string> {
  flows += 1;
  await asService((run) =>
    run(`select private.note_received_invoices('pa.example', array[$1], now())`, [`flow-${flows}`]),
  );
  const claimed = await asService((run) =>
    run<{ id: string; attempts: number }>(`select * from private.claim_received_invoices('pa.example')`),
  );
  const { id, attempts } = only(claimed);
  const data = {
    number,
    day: today,
    type: '380',
    currency: 'EUR',
    amount,
    vat: '0.00',
    total: amount,
    due: null,
    sellerSiren: '552100554',
    sellerVat: null,
    ...more,
  };
  await asService((run) =>
    run(`select private.keep_received_invoice($1, $2, 'Facture.xml', $3, $4, $5, '{}', null)`, [
      id,
      attempts,
      Buffer.from(`<a>${number}</a>`),
      JSON.stringify(data),
      data.type === '381',
    ]),
  );
  return id;
}
const match = (id: string, request: string, who = people.admin): Promise<unknown> =>
  db.become(who, (run) => run('select from private.match_received_by_hand($1, $2)', [id, request]));
const stateOf = async (id: string) =>
  only(
    await db.asOwner<{ state: string; reason: string | null }>(
      'select state, reason from private.received_invoices where id = $1',
      [id],
    ),
  );

test('[EI-02] admins alone see, match, refuse and set aside; nobody reads the tables', async () => {
  const request = await ask(people.client, '50.00');
  const id = await received('F-1', '50.00');
  for (const who of [people.accountant, people.commercial, people.client, people.other]) {
    expect(await outcome(match(id, request, who))).toBe('forbidden');
    for (const call of [
      'private.received_invoices_shown()',
      `private.received_invoice_file('${id}')`,
      `private.refuse_received_invoice('${id}', 'Non')`,
      `private.set_aside_received_invoice('${id}')`,
    ])
      expect(await outcome(db.become(who, (run) => run(`select from ${call}`)))).toBe('forbidden');
  }
  for (const who of [people.admin, people.client]) {
    for (const table of ['received_invoices', 'received_invoice_files', 'received_invoice_statuses'])
      expect(await outcome(db.become(who, (run) => run(`select from private.${table}`)))).toBe('42501');
    for (const call of [
      `private.take_received_invoice('${id}', '${request}')`,
      `private.match_received_invoice('${id}', null, '${request}', null)`,
      `private.keep_payee_invoice(null, null, null, null, null, null, null, null, null, null)`,
      `private.note_received_invoices('pa.example', '{x}', now())`,
    ])
      expect(await outcome(db.become(who, (run) => run(`select from ${call}`)))).toBe('42501');
  }
  expect(await stateOf(id)).toEqual({ state: 'listed', reason: null });
});

test('[EI-02] it is of its own seller’s request alone, by its amounts and its day, in euros and unpaid, whoever matches it', async () => {
  const [mine, theirs] = [await ask(people.client, '51.00'), await ask(people.other, '51.00')];
  const tried = async (more: object, request = mine) => outcome(match(await received('F-2', '51.00', more), request));
  expect(await tried({}, theirs)).toBe('invoice_not_offered');
  expect(await tried({ sellerSiren: null, sellerVat: 'FR64443061841' })).toBe('invoice_not_offered');
  expect(await tried({ type: '381' })).toBe('invoice_not_offered');
  expect(await tried({ amount: '51.01', total: '51.01' })).toBe('invoice_mismatch');
  expect(await tried({ vat: '1.00', total: '52.00' })).toBe('invoice_mismatch');
  expect(await tried({ currency: 'USD' })).toBe('invoice_mismatch');
  expect(await tried({ due: '0.00' })).toBe('invoice_mismatch');
  expect(await tried({ day: '2020-01-01' })).toBe('invoice_mismatch');
  expect(await tried({ day: null })).toBe('invoice_mismatch');
  expect(await db.asOwner('select from public.payee_invoices')).toEqual([]);
  const id = await received('F-2', '51.00');
  await match(id, mine);
  expect(await stateOf(id)).toEqual({ state: 'matched', reason: null });
  // A number stands for one invoice of its seller; a request has one that is looked at.
  const next = await ask(people.client, '51.00');
  expect(await outcome(match(await received('f-2', '51.00'), next))).toBe('invoice_number_taken');
  expect(await outcome(match(await received('F-3', '51.00'), mine))).toBe('invoice_too_late');
});

test('[EI-02] a flow is noted once and kept by one node; what came stays as it came until it is set aside', async () => {
  const note = () =>
    asService((run) =>
      run<{ noted: number }>(`select private.note_received_invoices('pa.example', '{once,once}', now()) as noted`),
    );
  expect([only(await note()).noted, only(await note()).noted]).toEqual([1, 0]);
  const claim = () =>
    asService((run) =>
      run<{ id: string; attempts: number }>(`select * from private.claim_received_invoices('pa.example')`),
    );
  const { id, attempts } = only(await claim());
  expect(await claim()).toEqual([]);
  // Its lease over, another has it: the first comes too late.
  await db.asOwner(`update private.received_invoices set leased_until = '-infinity' where id = $1`, [id]);
  const second = only(await claim());
  const keep = (attempt: number) =>
    asService((run) =>
      run<{ kept: boolean }>(
        `select private.keep_received_invoice($1, $2, 'x.pdf', '%PDF-', null, false, '{}', 'unreadable') as kept`,
        [id, attempt],
      ),
    );
  expect([
    only(await keep(attempts)).kept,
    only(await keep(second.attempts)).kept,
    only(await keep(second.attempts)).kept,
  ]).toEqual([false, true, false]);
  for (const change of [
    `update private.received_invoice_files set bytes = 'y'`,
    'delete from private.received_invoice_files',
    'truncate private.received_invoice_files',
  ])
    expect(await outcome(db.asOwner(change))).toBe('forbidden');
  // Without its number no answer could name it.
  expect(
    await outcome(db.become(people.admin, (run) => run(`select private.refuse_received_invoice($1, 'Non')`, [id]))),
  ).toBe('invoice_too_late');
  await db.become(people.admin, (run) => run('select private.set_aside_received_invoice($1)', [id]));
  expect(await db.asOwner('select from private.received_invoice_files where received_id = $1', [id])).toEqual([]);
  expect(only(await note()).noted).toBe(0);
});

test('[EI-02] an answer is queued with each decision, in order, and an invoice that lapses waits once more', async () => {
  const request = await ask(people.client, '57.00');
  const id = await received('F-7', '57.00');
  await match(id, request);
  const decide = (isAccepted: boolean, reason: string | null) =>
    db.become(people.admin, (run) =>
      run('select from public.payee_invoices i, private.decide_payee_invoice(i.id, $2, $3) where i.request_id = $1', [
        request,
        isAccepted,
        reason,
      ]),
    );
  expect(await db.asOwner('select from private.received_invoice_statuses where received_id = $1', [id])).toEqual([]);
  await decide(true, null);
  expect(await stateOf(id)).toMatchObject({ state: 'accepted' });
  await db.become(people.admin, (run) => run(asSeen.decide, [request, 'rejected', 'Trop tôt']));
  expect(await stateOf(id)).toEqual({ state: 'listed', reason: null });
  await db.become(people.admin, (run) => run(`select private.refuse_received_invoice($1, 'Annulée')`, [id]));
  const claim = () =>
    asService((run) =>
      run<{ id: string; attempts: number; code: string }>(
        'select id, attempts, code from private.claim_received_statuses()',
      ),
    );
  const first = only(await claim());
  expect(first.code).toBe('205');
  // The refusal leaves after the acceptance.
  expect(await claim()).toEqual([]);
  await asService((run) =>
    run(`select private.settle_received_status($1, $2, 'deposited', 'f', null, null)`, [first.id, first.attempts]),
  );
  expect(only(await claim()).code).toBe('210');
});

test('[EI-01, EI-02] a try that failed waits a minute, then longer, or as long as the platform asks, eight hours at most', async () => {
  const delays = await db.asOwner<Record<'first' | 'seventh' | 'later' | 'asked' | 'bounded', number>>(
    `select private.e_invoice_delay(1, null) as first, private.e_invoice_delay(7, null) as seventh, private.e_invoice_delay(50, null) as later,
      private.e_invoice_delay(1, 600) as asked, private.e_invoice_delay(1, 99999) as bounded`,
  );
  const { first, seventh, later, asked, bounded } = only(delays);
  expect([first >= 54, first <= 66]).toEqual([true, true]);
  for (const long of [seventh, later]) expect([long >= 25_920, long <= 31_680]).toEqual([true, true]);
  expect([asked, bounded]).toEqual([600, 28_800]);
});

test('[EI-02] [AC-04] by hand it is of the month of its own seller, by its amounts and its day, and only while that month waits', async () => {
  const { month, before } = only(
    await db.asOwner<{ month: string; before: string }>(
      `select (private.last_month_begun() - interval '1 month')::date::text as month,
         (private.last_month_begun() - interval '2 months')::date::text as before`,
    ),
  );
  const scale = await aScale(db, { commercialType: 'fixed', commercialAmount: '100.03' });
  const agents: Person[] = [];
  for (const siren of ['404833048', '433115904']) {
    const commercial = await aCommercial(db);
    const sale = await aSale(db, { commercial, friendReferrer: people.client, scale, isReady: true });
    await db.become(people.admin, async (run) => {
      await run(`select set_config('app.at', $1, true)`, [`${month.slice(0, 8)}05 10:00 Europe/Paris`]);
      await run(asSeen.validate, [sale.id, scale.id]);
    });
    await db.become(commercial, (run) =>
      run(
        `select private.set_payee_details($1, 'societe', 'Bois', '1 rue', '35000', 'Rennes', $2, null, false, null)`,
        [commercial.id, siren],
      ),
    );
    agents.push(commercial);
  }
  const [agent, other] = agents;
  if (agent === undefined || other === undefined) throw new Error('Two commercials were made');
  const matchMonth = (id: string, of = month, payee = agent, who = people.admin) =>
    outcome(
      db.become(who, (run) => run('select from private.match_received_by_hand($1, null, $2, $3)', [id, payee.id, of])),
    );
  const mine = { sellerSiren: '404833048' };
  const id = await received('M-1', '100.03', mine);
  for (const who of [people.accountant, agent]) expect(await matchMonth(id, month, agent, who)).toBe('forbidden');
  expect(await matchMonth(id, month, other)).toBe('invoice_not_offered');
  expect(await matchMonth(id, before)).toBe('invoice_too_late');
  expect(await matchMonth(await received('M-2', '100.04', mine))).toBe('invoice_mismatch');
  expect(await matchMonth(await received('M-3', '100.03', { ...mine, vat: '1.00', total: '101.03' }))).toBe(
    'invoice_mismatch',
  );
  expect(await matchMonth(await received('M-4', '100.03', { ...mine, type: '381' }))).toBe('invoice_not_offered');
  expect(await matchMonth(id)).toBe('ok');
  // One that is looked at keeps its place.
  expect(await matchMonth(await received('M-5', '100.03', mine))).toBe('invoice_too_late');
  expect(await matchMonth(id)).toBe('invoice_too_late');
});
