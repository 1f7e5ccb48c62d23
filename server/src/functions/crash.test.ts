import { dayOf } from '@parrain/domain/date';
import { verify } from '@parrain/database/verify';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { freePort } from '../testing/free-port.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  aPdf,
  asJustSeen,
  aSale,
  aScale,
  asSeen,
  aValidatedSale,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { leastEnvironment } from '../testing/processes.ts';
import { lockIsWaitedFor } from '../testing/waiting.ts';

/** Gives the database and the tokens; the requests go to another process, which gets killed. */
let reference: TestServer;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  reference = await startTestServer({ jobs: false });
  admin = await anAdmin(reference.database);
  commercial = await aCommercial(reference.database);
  scale = await aScale(reference.database, { isDefault: true });
  await callAs(reference, admin, 'company-settings?action=update_account', {
    holder: 'Lumeo',
    iban: 'FR7630006000011234567890189',
    bic: '',
  });
  await callAs(reference, admin, 'papers?action=update_company', {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat SARL',
    ...address,
    siren: '732 829 320',
    vat_number: '',
  });
});
afterAll(() => reference.close());

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };

/** A client of whom a paper of payment may be made (PP-01). */
async function aPayee(): Promise<Person> {
  const client = await aClient(reference.database, { commercial });
  const details = { payee_id: client.id, status: 'particulier', legal_name: 'Éloïse Lefèvre', ...address };
  expect((await callAs(reference, client, 'papers?action=update_payee', details)).status).toBe(200);
  return client;
}

/** Number of rounds made at once; the server is killed twice as often at most. CRASH_ROUNDS asks for more than `npm test` does. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 6);

type Running = { readonly url: string; readonly process: ChildProcess };

async function startProcess(port: number): Promise<Running> {
  const { host, port: databasePort, user, password, database } = reference.database.owner;
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...leastEnvironment,
      PORT: String(port),
      HOST: '127.0.0.1',
      // By its socket, which an address can only name among its parameters.
      DATABASE_URL: `postgres://localhost/${database}?${new URLSearchParams({ host, port: String(databasePort), user, password }).toString()}`,
      // The tokens are signed for the reference server's address.
      PUBLIC_URL: reference.url,
      SECRET_KEY: 'ab'.repeat(32),
      DEMO: '0',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The server did not start'))),
  ]);
  return { url: `http://127.0.0.1:${port}`, process: child };
}

type MoneyCall = {
  readonly who: Person;
  readonly name: string;
  readonly body: Record<string, unknown> | FormData;
  readonly key: string;
};

async function send(url: string, { who, name, body, key }: MoneyCall): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${url}/functions/v1/${name}`, {
    method: 'POST',
    headers: {
      apikey: reference.services.keys.publishableKey,
      authorization: `Bearer ${await reference.tokenOf(who)}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': key,
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  return { status: reply.status, text: await reply.text() };
}

/** As a page would: the same call with the same key, until an answer comes. */
async function sendUntilAnswered(url: string, call: MoneyCall): Promise<{ status: number; text: string }> {
  // Longer than all the kills and starts on a busy machine: until they end, nothing may be up for long.
  const deadline = Date.now() + 600_000;
  for (;;) {
    try {
      const reply = await send(url, call);
      if (reply.status !== 503) return reply;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await wait(25);
  }
}

/** A draft and a released batch (PO-01), each of one transfer of 10 €. */
async function aBatchOfEachKind() {
  const { database } = reference;
  const { day } = only(
    await database.asOwner<{ day: string }>(
      `select min(d)::text as day from (select private.today() + n as d from generate_series(1, 30) n) days where extract(isodow from d) = 3
         and to_char(d, 'MM-DD') not in ('01-01', '05-01', '12-25', '12-26')`,
    ),
  );
  const seen = { seen_version: 1, expected_total: '10.00', execution_on: day, format: '09' };
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const client = await aPayee();
    await aValidatedSale(database, { commercial, friendReferrer: client, scale, admin });
    const details = { iban: 'FR7630006000011234567890189', beneficiary_name: 'Paul Martin' };
    const asked = await callAs(reference, client, 'payment-request', {
      action: 'create',
      amount: 10,
      payment_method: 'virement',
      payment_details: details,
    });
    const request = { request_id: asked.body.data.id as string, status: 'approved' };
    await callAs(reference, admin, 'payment-request?action=update_status', await asJustSeen(database, request));
    const made = await callAs(reference, admin, 'payment-batch', {
      action: 'make',
      request_ids: [request.request_id],
      expected_total: '10.00',
    });
    ids.push(made.body.data.id as string);
  }
  const [draft = '', released = ''] = ids;
  const reply = await callAs(reference, admin, 'payment-batch', { action: 'release', batch_id: released, ...seen });
  expect(reply.status).toBe(200);
  return { draft, released, seen };
}

/** A line that its payee has questioned (LG-06), and one that they have not. */
async function aDispute() {
  const { database } = reference;
  const client = await aClient(database, { commercial });
  for (let n = 0; n < 2; n += 1) await aValidatedSale(database, { commercial, friendReferrer: client, scale, admin });
  const [questioned, other] = await database.asOwner<{ id: string }>(
    'select id from public.ledger_entries where payee_id = $1 order by id',
    [client.id],
  );
  const opened = await callAs(reference, client, 'disputes', {
    action: 'open',
    entry_id: questioned?.id,
    message: 'Il manque une tranche.',
  });
  return { client, disputeId: opened.body.data.id as string, entryId: other?.id };
}

/** A client of whom 30 € too much were paid: 50 € of commission, paid as a discount, and 30 € taken back (AC-05). */
async function aDebtor(): Promise<Person> {
  const { database } = reference;
  const client = await aPayee();
  const fifty = await aScale(database, { clientType: 'fixed', clientAmount: '50' });
  await aValidatedSale(database, { commercial, friendReferrer: client, scale: fifty, admin });
  const asked = await database.become(client, (run) =>
    run<{ id: string }>(`select id from private.request_payment(50, 'remise_societe', '{}', null)`),
  );
  for (const status of ['approved', 'paid'])
    await database.become(admin, (run) =>
      run('select from private.decide_payment_request($1, $2, null, null, null, null)', [only(asked).id, status]),
    );
  const less = { action: 'adjust', direction: 'less', amount: '30', seen_available: 0, reason: 'Saisi deux fois.' };
  expect((await callAs(reference, admin, 'disputes', { ...less, payee_id: client.id })).status).toBe(200);
  return client;
}

/** The acts of AC-05, each on a debt of its own: a repayment, a waiver, a repayment annulled, and an adjustment. */
async function actsOnDebts() {
  const [repaying, waived, mistaken, adjusted] = await Promise.all([aDebtor(), aDebtor(), aDebtor(), aPayee()]);
  const repayment = { action: 'repay', amount: '12,50', method: 'cheque', reference: 'CHQ 7', seen_debt: '30' };
  const made = await callAs(reference, admin, 'debts', { ...repayment, payee_id: mistaken.id });
  const adjustment = { action: 'adjust', direction: 'more', amount: '7', reason: 'Oubliés.', seen_available: 0 };
  return {
    repay: { ...repayment, payee_id: repaying.id },
    waive: { action: 'waive', payee_id: waived.id, amount: '17,50', reason: 'Geste commercial.', seen_debt: '30' },
    annul: { action: 'annul', act_id: (made.body.data as { id: string }).id, reason: 'Chèque impayé' },
    adjust: { ...adjustment, payee_id: adjusted.id },
  };
}

/** A PDF of an invoice for a commercial's month, of 23,46 € without tax. */
function monthInvoice(month: string, number: string): FormData {
  const form = new FormData();
  const fields = {
    request_id: '',
    month,
    name: 'facture.pdf',
    number,
    day: dayOf(new Date()),
    amount: '23,46',
    vat: '0',
  };
  for (const [name, value] of Object.entries({ ...fields, total: '23,46' })) form.set(name, value);
  form.set('file', new File([aPdf(number).toString()], 'facture.pdf'));
  return form;
}

/** Months of commercials in business (AC-04): one whose invoice is to be sent, one to be accepted, and one to be paid. */
async function monthsWithInvoices() {
  const { database } = reference;
  const { month } = only(
    await database.asOwner<{ month: string }>(
      `select (private.last_month_begun() - interval '1 month')::date::text as month`,
    ),
  );
  const fixed = await aScale(database, { commercialType: 'fixed', commercialAmount: '23.46' });
  const inBusiness = async (): Promise<Person> => {
    const agent = await aCommercial(database);
    const sale = await aSale(database, {
      commercial: agent,
      friendReferrer: await aPayee(),
      scale: fixed,
      isReady: true,
    });
    await database.become(admin, async (run) => {
      await run(`select set_config('app.at', $1, true)`, [`${month.slice(0, 8)}05 10:00 Europe/Paris`]);
      await run(asSeen.validate, [sale.id, fixed.id]);
    });
    const details = { status: 'societe', legal_name: 'Chêne SARL', siren: '404833048', charges_vat: false, ...address };
    const told = await callAs(reference, agent, 'papers?action=update_payee', { payee_id: agent.id, ...details });
    expect(told.status).toBe(200);
    return agent;
  };
  const sent = async (agent: Person): Promise<string> => {
    const form = monthInvoice(month, 'M-1');
    expect((await callAs(reference, agent, 'payment-request?action=send_invoice', form)).status).toBe(200);
    const rows = await database.asOwner<{ id: string }>('select id from public.payee_invoices where payee_id = $1', [
      agent.id,
    ]);
    return only(rows).id;
  };
  const accept = (id: string) => ({ action: 'decide_invoice', invoice_id: id, decision: 'accepted' });
  const [sending, accepted, paid] = await Promise.all([inBusiness(), inBusiness(), inBusiness()]);
  const toAccept = await sent(accepted);
  expect((await callAs(reference, admin, 'payment-request', accept(await sent(paid)))).status).toBe(200);
  const lines = [{ payee_id: paid.id, amount: '23.46', vat_amount: null }];
  return {
    sending,
    invoice: monthInvoice(month, 'M-1'),
    accept: accept(toAccept),
    pay: { action: 'pay_month', month, lines, paid_on: null },
  };
}

/** One of each money call, ready to be made. */
async function aRound(): Promise<{
  readonly calls: MoneyCall[];
  readonly saleId: string;
  readonly paymentId: string;
  readonly client: Person;
}> {
  const { database } = reference;
  const client = await aPayee();
  await aValidatedSale(database, { commercial, friendReferrer: client, scale, admin });
  const sale = await aSale(database, {
    commercial,
    friendReferrer: await aClient(database, { commercial }),
    isReady: true,
    scale,
  });
  const cancelled = await aValidatedSale(database, { commercial, scale, admin });
  const reduced = await aValidatedSale(database, { commercial, friendReferrer: client, scale, admin });
  const dispute = await aDispute();
  const batches = await aBatchOfEachKind();
  const { repay, waive, annul, adjust } = await actsOnDebts();
  const months = await monthsWithInvoices();
  const [payment] = await database.become(client, (run) =>
    run<{ id: string }>(`select id from private.request_payment(10, 'remise_societe', '{}', null)`),
  );
  if (payment === undefined) throw new Error('There is no payment request');
  const call = (who: Person, name: string, body: Record<string, unknown> | FormData): MoneyCall => ({
    who,
    name,
    body,
    key: randomUUID(),
  });
  return {
    saleId: sale.id,
    paymentId: payment.id,
    client,
    calls: [
      call(admin, 'sales-management', await asJustSeen(database, { action: 'validate', sale_id: sale.id })),
      call(
        admin,
        'sales-management',
        await asJustSeen(database, { action: 'cancel_validation', sale_id: cancelled.id, reason: 'Rétractation' }),
      ),
      call(client, 'payment-request', { action: 'create', amount: 20, payment_method: 'remise_societe' }),
      call(
        admin,
        'payment-request',
        await asJustSeen(database, { action: 'update_status', request_id: payment.id, status: 'approved' }),
      ),
      call(admin, 'payment-batch', { action: 'release', batch_id: batches.draft, ...batches.seen }),
      call(admin, 'payment-batch', { action: 'settle', batch_id: batches.released, outcomes: null }),
      call(admin, 'sales-management', {
        action: 'cancel_validation',
        sale_id: reduced.id,
        seen_version: reduced.version,
        contract_left: '1000.00',
        expected_contract_amount: '1234.56',
        expected_client_commission_amount: '23.46',
        expected_commercial_commission_amount: '0.00',
        reason: 'Contrat raccourci',
      }),
      call(dispute.client, 'disputes', { action: 'open', entry_id: dispute.entryId, message: 'Pourquoi ?' }),
      call(admin, 'disputes', {
        action: 'close',
        dispute_id: dispute.disputeId,
        seen_version: 1,
        message: 'Voici la différence.',
        direction: 'more',
        amount: '15,00',
      }),
      ...[repay, waive, annul].map((act) => call(admin, 'debts', act)),
      call(admin, 'disputes', adjust),
      call(months.sending, 'payment-request?action=send_invoice', months.invoice),
      call(admin, 'payment-request', months.accept),
      call(admin, 'payment-batch', months.pay),
      call(admin, 'invite-commercial', { name: 'Paul', email: `paul-${randomUUID()}@example.fr` }),
    ],
  };
}

test(
  '[V-20] [PO-02] [PP-02] [LG-04] [LG-06] [AC-04] [AC-05] threat 84: server killed at any instant, call retried with its key: one effect, all or nothing',
  { tags: 'long', timeout: 900_000 },
  async () => {
    const port = await freePort();
    let running = await startProcess(port);
    const stop = new AbortController();
    // Killed again and again, at no particular moment.
    const killer = (async () => {
      let kills = 0;
      while (!stop.signal.aborted && kills < 2 * ROUNDS) {
        // Time itself: killed at any instant.
        await wait(randomInt(10, 300));
        running.process.kill('SIGKILL');
        await once(running.process, 'exit');
        kills += 1;
        running = await startProcess(port);
      }
      return kills;
    })();

    const rounds = await Promise.all(Array.from({ length: ROUNDS }, aRound));
    const outcomes = await Promise.all(
      rounds.map(async (round) => {
        const first = await Promise.all(round.calls.map((call) => sendUntilAnswered(running.url, call)));
        const again = await Promise.all(round.calls.map((call) => sendUntilAnswered(running.url, call)));
        return { first, again };
      }),
    );
    stop.abort();
    expect(await killer).toBeGreaterThan(2);
    running.process.kill('SIGKILL');

    for (const { first, again } of outcomes) {
      expect(first.map((reply) => reply.status)).toEqual(first.map(() => 200));
      expect(again).toEqual(first);
    }
    for (const { saleId, client, paymentId, calls } of rounds) {
      const email = only(calls.flatMap(({ body }) => ('email' in body ? [body['email']] : [])));
      const effects = only(
        await reference.database.asOwner<Record<string, number>>(
          `select (select count(*)::int from public.commission_payments where sale_id = $1) as commissions,
             (select count(*)::int from public.payment_requests where client_id = $2 and amount = 20) as requests,
             (select count(*)::int from public.audit_entries where entity_id = $3 and after ->> 'status' = 'approved') as approvals,
             (select count(*)::int from public.profiles where email = $4) as accounts`,
          [saleId, client.id, paymentId, email],
        ),
      );
      expect(effects).toEqual({ commissions: 2, requests: 1, approvals: 1, accounts: 1 });
    }
    // Each batch has one file and one end, and is told of once in the trail.
    const ends = await reference.database.asOwner<{ status: string; number: number }>(
      `select after ->> 'status' as status, count(*)::int as number from public.audit_entries
       where entity = 'payment_batches' and action = 'update' group by 1 order by 1`,
    );
    expect(ends).toEqual([
      { status: 'released', number: rounds.length * 2 },
      { status: 'settled', number: rounds.length },
    ]);
    // The transfer, the month and the three discounts of a round have one paper each, and no number is missing.
    const papers = await reference.database.asOwner<{ number: number }>(
      'select number::int from public.papers order by number',
    );
    expect(papers.map(({ number }) => number)).toEqual(
      Array.from({ length: 5 * rounds.length }, (_, index) => index + 1),
    );
    const corrections = await reference.database.asOwner('select from public.sales where corrects_sale_id is not null');
    expect(corrections).toHaveLength(2 * rounds.length);
    // Each account is adjusted once, each debt settled once, and each line questioned once.
    const onAccounts = await reference.database.asOwner<{ act: string; amount: string; number: number }>(
      `select act, amount::text, count(*)::int as number from public.ledger_entries
       where act in ('adjustment', 'deduction', 'repayment', 'repayment_annulment', 'waiver', 'payroll')
       group by act, 2 order by act, min(ledger_entries.amount)`,
    );
    const ofEachRound = [
      ['adjustment', '7.00', 1],
      ['adjustment', '15.00', 1],
      ['deduction', '30.00', 3],
      ['payroll', '23.46', 1],
      ['repayment', '12.50', 2],
      ['repayment_annulment', '12.50', 1],
      ['waiver', '17.50', 1],
    ] as const;
    expect(onAccounts).toEqual(
      ofEachRound.map(([act, amount, times]) => ({ act, amount, number: times * rounds.length })),
    );
    const invoices = await reference.database.asOwner<{ status: string; number: number }>(
      'select status, count(*)::int as number from public.payee_invoices group by 1 order by 1',
    );
    expect(invoices).toEqual([
      { status: 'accepted', number: 2 * rounds.length },
      { status: 'sent', number: rounds.length },
    ]);
    const disputes = await reference.database.asOwner('select from public.disputes');
    // Two that payees opened, four adjustments that the admin began.
    expect(disputes).toHaveLength(6 * rounds.length);
    const findings = await verify((sql) => reference.database.asOwner(sql));
    expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  },
);

test('[F-89] connection cut before the answer, call retried with its key: one effect', async () => {
  const client = await aClient(reference.database, { commercial });
  await aValidatedSale(reference.database, { commercial, friendReferrer: client, scale, admin });
  const { hostname, port } = new URL(reference.url);
  for (let delay = 0; delay < 40; delay += 4) {
    const call: MoneyCall = {
      who: client,
      name: 'payment-request',
      body: {
        action: 'create',
        amount: 1,
        payment_method: 'remise_societe',
        payment_details: { company_account: String(delay) },
      },
      key: randomUUID(),
    };
    const body = JSON.stringify(call.body);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      [
        'POST /functions/v1/payment-request HTTP/1.1',
        `host: ${hostname}`,
        `apikey: ${reference.services.keys.publishableKey}`,
        `authorization: Bearer ${await reference.tokenOf(client)}`,
        `idempotency-key: ${call.key}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    // Time itself: cut at any instant.
    await wait(delay / 2);
    socket.resetAndDestroy();
    expect((await send(reference.url, call)).status).toBe(200);
  }
  const requests = await reference.database.asOwner('select from public.payment_requests where client_id = $1', [
    client.id,
  ]);
  expect(requests).toHaveLength(10);
});

test('[F-90] a deadlock with another transaction is retried by the server, and nobody notices', async () => {
  const client = await aClient(reference.database, { commercial });
  const sale = await aSale(reference.database, { commercial, friendReferrer: client, isReady: true, scale });
  const seen = await asJustSeen(reference.database, { action: 'validate', sale_id: sale.id });
  const other = new Client(reference.database.owner);
  await other.connect();
  try {
    // The server notices first, and is the one that PostgreSQL sends away.
    await other.query(`set deadlock_timeout = '20s'`);
    await other.query('begin');
    await other.query('select from public.profiles where id = $1 for update', [client.id]);
    const validated = send(reference.url, {
      who: admin,
      name: 'sales-management',
      body: seen,
      key: randomUUID(),
    });
    await lockIsWaitedFor(reference);
    await other.query('select from public.sales where id = $1 for update', [sale.id]);
    await other.query('commit');
    const { status, text } = await validated;
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ already: false });
  } finally {
    await other.end();
  }
  const payments = await reference.database.asOwner('select from public.commission_payments where sale_id = $1', [
    sale.id,
  ]);
  expect(payments).toHaveLength(2);
});

test(
  '[F-92] stopped at work, the server finishes its open requests: nothing confirmed is lost',
  { tags: 'long' },
  async () => {
    const port = await freePort();
    const running = await startProcess(port);
    const clients = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const client = await aClient(reference.database, { commercial });
        await aValidatedSale(reference.database, { commercial, friendReferrer: client, scale, admin });
        return client;
      }),
    );
    const calls = clients.map((who) => ({
      who,
      name: 'payment-request',
      body: { action: 'create', amount: 5, payment_method: 'remise_societe' },
      key: randomUUID(),
    }));
    const replies = calls.map((call) => send(running.url, call).catch(() => null));
    await Promise.any(replies);
    const stopped = once(running.process, 'exit');
    running.process.kill('SIGTERM');
    const answers = await Promise.all(replies);
    expect(await stopped).toEqual([0, null]);
    expect(answers.some((reply) => reply?.status === 200)).toBe(true);
    const kept = await reference.database.asOwner<{ client_id: string }>(
      'select client_id from public.payment_requests where client_id = any ($1)',
      [clients.map((client) => client.id)],
    );
    const keptFor = new Set(kept.map((row) => row.client_id));
    expect(keptFor.size).toBe(kept.length);
    answers.forEach((reply, index) => {
      if (reply?.status === 200) expect(keptFor.has(clients[index]?.id ?? '')).toBe(true);
    });
    // Callers without an answer ask again, elsewhere.
    for (const call of calls) expect((await send(reference.url, call)).status).toBe(200);
  },
);
