import { webhookEvents } from '@parrain/domain/webhook';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  asJustSeen,
  aValidatedSale,
  createTestDatabase,
  only,
  SECRET_KEY,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { leastEnvironment } from '../../testing/processes.ts';
import { startWebhookReceiver, verifyWebhook } from '../../testing/webhook-receiver.ts';
import type { ReceivedWebhook, WebhookReceiver } from '../../testing/webhook-receiver.ts';
import { evaluateAlarms } from '../system-state/alarms.ts';

// WH-02: what other software is told, in which order and how often, while it is well and while it is not.

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database, { email: 'admin@exemple.fr' });
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await server.database.asOwner('delete from private.webhooks');
  await receiver.close();
});

const PATIENCE = { timeout: 120_000, interval: 50 };

const call = (body: Record<string, unknown>, who = admin) => callAs(server, who, 'webhooks', body);
const read = async (query: string, who = admin) =>
  callAs(server, who, `webhooks?${query}`, undefined, { method: 'GET' });

async function aWebhook(events: readonly string[] = webhookEvents, url = receiver.url) {
  const { status, body } = await call({ action: 'add', url, description: 'CRM', events });
  expect([status, body]).toEqual([200, expect.objectContaining({ success: true })]);
  return { id: body.id as string, secret: body.secret as string };
}

const log = async (id: string): Promise<Record<string, unknown>[]> =>
  (await read(`action=log&webhook_id=${id}`)).body.data;
const shown = async (id: string) =>
  ((await read('action=list')).body.data as Record<string, unknown>[]).find((webhook) => webhook['id'] === id);

/** Everything that waits is due now, as if its time had come; the next look of the job sends it. */
async function letTimePass(): Promise<void> {
  await server.database.asOwner(
    `update private.webhook_deliveries set run_at = now() where status = 'pending' and leased_until < now()`,
  );
  await look();
}
const look = () => server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, 'send_webhooks', {}));

/** Lets time pass until a delivery has been tried so often; of its own accord it is tried again within a minute twice at most. */
async function triedUntil(
  where: { readonly webhook: string; readonly type: string; readonly object: string },
  attempts: number,
) {
  const seen = async () =>
    only(
      await server.database.asOwner<{ attempts: number; is_sent: boolean }>(
        `select attempts, leased_until >= now() as is_sent from private.webhook_deliveries
         where webhook_id = $1 and type = $2 and object_id = $3`,
        [where.webhook, where.type, where.object],
      ),
    );
  for (;;) {
    const before = await vi.waitFor(async () => {
      const now = await seen();
      expect(now.is_sent).toBe(false);
      return now;
    }, PATIENCE);
    if (before.attempts >= attempts) return;
    await letTimePass();
    await vi.waitFor(async () => expect((await seen()).attempts).toBeGreaterThan(before.attempts), PATIENCE);
  }
}

function messageAt(index: number): ReceivedWebhook {
  const message = receiver.received[index];
  if (message === undefined) throw new Error(`Only ${receiver.received.length} messages came`);
  return message;
}

const alarmMails = () =>
  server.mailbox.mails.filter(
    ({ recipients, subject }) => recipients.includes(admin.email) && subject.startsWith('Un webhook ne répond plus'),
  );

async function settled(id: string, attempts: number): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await server.database.asOwner<{ tries: number }>(
      `select coalesce(sum(attempts) filter (where answered_at is not null and leased_until < now()), 0)::int as tries
       from private.webhook_deliveries where webhook_id = $1`,
      [id],
    );
    expect(only(rows).tries).toBeGreaterThanOrEqual(attempts);
  }, PATIENCE);
}

const typesOf = (objectId: string) =>
  receiver.received.filter(({ payload }) => payload.data.id === objectId).map(({ payload }) => payload.type as string);

const move = (saleId: string, status: string) =>
  server.database.asOwner('update public.sales set status = $2 where id = $1', [saleId, status]);

test('[WH-02] each step of a sale is told once, in order, signed as the official library takes it, with the row that admins read', async () => {
  const { id, secret } = await aWebhook();
  const sale = await aSale(server.database, { commercial, contactName: 'Paul Contact' });
  await move(sale.id, 'contacted');
  await move(sale.id, 'in_negotiation');
  await look();
  await vi.waitFor(
    () => expect(typesOf(sale.id)).toEqual(['sale.pending', 'sale.contacted', 'sale.in_negotiation']),
    PATIENCE,
  );
  const told = receiver.received.find(({ payload }) => payload.type === 'sale.in_negotiation');
  if (told === undefined) throw new Error('It was told');
  verifyWebhook(secret, told);
  expect(() => verifyWebhook(secret, { ...told, text: told.text.replace('Paul', 'Jean') })).toThrow('signature');
  const rest = await server.client(admin);
  const { data: row } = await rest.from('sales').select('*').eq('id', sale.id).single();
  expect(told.payload).toMatchObject({ id: told.id, type: 'sale.in_negotiation', version: 1, data: row });
  expect(Object.keys(told.payload.data).toSorted()).toEqual(Object.keys(row).toSorted());
  expect(await log(id)).toMatchObject([
    { type: 'sale.in_negotiation', status: 'delivered', attempts: 1, answer_status: 204, object_id: sale.id },
    { type: 'sale.contacted' },
    { type: 'sale.pending' },
    // The client who referred.
    { type: 'person.created' },
  ]);
});

test('[WH-02] requests, payouts and people are told of too; what was not asked for is not', async () => {
  await aWebhook(webhookEvents.filter((event) => !event.startsWith('sale.')));
  const scale = await aScale(server.database, { clientType: 'fixed', clientAmount: '100' });
  const client = await aClient(server.database, { commercial });
  await aValidatedSale(server.database, { admin, commercial, friendReferrer: client, scale });
  const asked = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount: 10,
    payment_method: 'virement',
    payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Paul Martin' },
  });
  const requestId = asked.body.data.id as string;
  await callAs(
    server,
    admin,
    'payment-request?action=update_status',
    await asJustSeen(server.database, { request_id: requestId, status: 'approved' }),
  );
  const made = await callAs(server, admin, 'payment-batch', {
    action: 'make',
    request_ids: [requestId],
    expected_total: '10.00',
  });
  expect(made.status).toBe(200);
  await server.database.asOwner('delete from public.payment_batches');
  await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [client.id]);
  await look();
  const types = () => receiver.received.map(({ payload }) => payload.type as string);
  await vi.waitFor(() => {
    expect(types()).toContain('person.deactivated');
    expect(types()).toContain('payout.removed');
  }, PATIENCE);
  expect(types().filter((type) => type.startsWith('pay'))).toEqual([
    'payment_request.pending',
    'payment_request.approved',
    'payout.queued',
    'payout.removed',
  ]);
  expect(types().filter((type) => type.startsWith('sale.'))).toEqual([]);
  // The bank details are what an admin's list shows of them: masked.
  expect(JSON.stringify(receiver.received)).not.toContain('FR7630006000011234567890189');
});

test('[WH-02] a change that is taken back was never told, and a cleaning tells nothing', async () => {
  const { id } = await aWebhook();
  await expect(
    server.database.asOwner(
      `do $$ begin insert into public.sales (referred_contact_name) values ('Paul'); raise exception 'no'; end $$`,
    ),
  ).rejects.toThrow('no');
  expect(await log(id)).toEqual([]);
});

describe('a receiver in trouble', () => {
  test('[WH-02] down for an hour: each event arrives once it is back, in order, with the id of its first try; nobody else waits', async () => {
    const { id } = await aWebhook(webhookEvents.filter((event) => event.startsWith('sale.')));
    // Before the first event: adding the webhook has woken the sender, which sends whatever it finds.
    receiver.answerWith(({ payload }) => ({
      status: payload.data.referred_contact_name === 'Ami Bloqué' ? 503 : 200,
      body: 'Maintenance',
    }));
    const stuck = await aSale(server.database, { commercial, contactName: 'Ami Bloqué' });
    const other = await aSale(server.database, { commercial });
    for (const status of ['contacted', 'in_negotiation']) {
      await move(stuck.id, status);
      await move(other.id, status);
    }
    // At 0 s, 5 s, 1 min, 6 min, 36 min; the try at 2 h 36 finds it well again.
    await triedUntil({ webhook: id, type: 'sale.pending', object: stuck.id }, 5);
    await vi.waitFor(
      () => expect(typesOf(other.id)).toEqual(['sale.pending', 'sale.contacted', 'sale.in_negotiation']),
      PATIENCE,
    );
    expect(new Set(typesOf(stuck.id))).toEqual(new Set(['sale.pending']));
    const waiting = (await log(id)).filter(({ object_id: of }) => of === stuck.id);
    expect(waiting).toMatchObject([
      { type: 'sale.in_negotiation', status: 'pending', attempts: 0 },
      { type: 'sale.contacted', status: 'pending', attempts: 0 },
      { type: 'sale.pending', status: 'pending', attempts: 5, answer_status: 503, answer: 'Maintenance' },
    ]);
    const [{ hours }] = (await server.database.asOwner(
      `select extract(epoch from run_at - answered_at)::float8 / 3600 as hours from private.webhook_deliveries where attempts = 5`,
    )) as [{ hours: number }];
    expect(hours).toBeGreaterThan(1.79);
    expect(hours).toBeLessThan(2.21);

    receiver.answerWith(() => ({ status: 200 }));
    await letTimePass();
    await vi.waitFor(
      () => expect(typesOf(stuck.id).slice(5)).toEqual(['sale.pending', 'sale.contacted', 'sale.in_negotiation']),
      PATIENCE,
    );
    await settled(id, 11);
    const tries = receiver.received.filter(
      ({ payload }) => payload.type === 'sale.pending' && payload.data.id === stuck.id,
    );
    expect([tries.length, new Set(tries.map(({ id: message }) => message)).size]).toEqual([6, 1]);
    expect((await log(id)).map(({ status, attempts }) => [status, attempts])).toEqual(
      expect.arrayContaining([['delivered', 6], ...Array.from({ length: 5 }, () => ['delivered', 1])]),
    );
    expect(await shown(id)).toMatchObject({ failures: 0, failing_since: null, waiting: 0 });
  });

  test('[WH-02] a database that does not take an answer at once is asked again: the message came once, what follows leaves', async () => {
    const { id } = await aWebhook(['sale.pending', 'sale.contacted']);
    const rename = (from: string, to: string) =>
      server.database.asOwner(`alter function private.${from} rename to ${to}`);
    await rename('settle_webhook_delivery', 'settle_webhook_delivery_away');
    // A sequence forgets nothing with the transaction that fails.
    await server.database.asOwner(`create sequence private.refusals;
      create function private.settle_webhook_delivery(uuid, integer, integer, text, text, integer, integer) returns double precision
      language plpgsql security definer as $$ begin perform nextval('private.refusals'); raise exception 'Busy'; end $$;
      grant execute on function private.settle_webhook_delivery to parrain_service`);
    const sale = await aSale(server.database, { commercial });
    await move(sale.id, 'contacted');
    await look();
    await vi.waitFor(
      async () =>
        expect(await server.database.asOwner('select is_called from private.refusals')).toEqual([{ is_called: true }]),
      PATIENCE,
    );
    await server.database.asOwner(`begin;
      drop function private.settle_webhook_delivery(uuid, integer, integer, text, text, integer, integer);
      alter function private.settle_webhook_delivery_away rename to settle_webhook_delivery;
      drop sequence private.refusals;
      commit`);
    await settled(id, 2);
    expect(receiver.received.map(({ payload }) => payload.type as string)).toEqual(['sale.pending', 'sale.contacted']);
  });

  test('[WH-02] one that never answers keeps neither the other receivers nor its own other objects waiting', async () => {
    const silent = await startWebhookReceiver();
    silent.answerWith(() => null);
    await aWebhook(['sale.pending'], silent.url);
    await aWebhook(['sale.pending']);
    const sales = [];
    for (let n = 0; n < 6; n += 1) sales.push(await aSale(server.database, { commercial }));
    await look();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(6), PATIENCE);
    // Four at a time.
    await vi.waitFor(() => expect(silent.received).toHaveLength(4), PATIENCE);
    await silent.close();
  });

  test('[WH-02] tried nine times within a day, then given up, and what followed it leaves', async () => {
    const { id } = await aWebhook(['sale.pending', 'sale.contacted']);
    receiver.answerWith(({ payload }) => ({ status: payload.type === 'sale.pending' ? 500 : 200 }));
    const sale = await aSale(server.database, { commercial });
    await move(sale.id, 'contacted');
    await triedUntil({ webhook: id, type: 'sale.pending', object: sale.id }, 9);
    await settled(id, 10);
    expect(await log(id)).toMatchObject([
      { type: 'sale.contacted', status: 'delivered', attempts: 1 },
      { type: 'sale.pending', status: 'failed', attempts: 9, answer_status: 500 },
    ]);
  });

  test('[WH-02] one that answers 410 is turned off at once: what waited is dropped, and the admins are told', async () => {
    const { id } = await aWebhook(['sale.pending', 'sale.contacted']);
    receiver.answerWith(() => ({ status: 410 }));
    // Both events stand at once: the first turns the address off as soon as it is sent.
    await server.database.asOwner(`insert into public.sales (referred_contact_name) values ('Ami Parti');
      update public.sales set status = 'contacted' where referred_contact_name = 'Ami Parti'`);
    await look();
    await vi.waitFor(async () => expect(await shown(id)).toMatchObject({ off_because: 'gone' }), PATIENCE);
    await aSale(server.database, { commercial });
    expect(await log(id)).toMatchObject([
      { type: 'sale.contacted', status: 'dropped', attempts: 0 },
      { type: 'sale.pending', status: 'failed', attempts: 1, answer_status: 410 },
    ]);
    expect(receiver.received).toHaveLength(1);
    await evaluateAlarms(server.services);
    await vi.waitFor(() => expect(alarmMails()).toHaveLength(1), PATIENCE);
    // An admin turns it on again: it starts anew, and the alarm is over.
    receiver.answerWith(() => ({ status: 200 }));
    expect((await call({ action: 'switch', webhook_id: id, is_on: true })).status).toBe(200);
    const later = await aSale(server.database, { commercial });
    await look();
    await vi.waitFor(() => expect(typesOf(later.id)).toEqual(['sale.pending']), PATIENCE);
    await evaluateAlarms(server.services);
    expect(await server.database.asOwner('select kind from private.alarms where cleared_at is null')).toEqual([]);
  });

  test('[WH-02] a redirect to a private address is a failure: nothing goes there', async () => {
    const target = await startWebhookReceiver();
    const { id } = await aWebhook(['sale.pending']);
    receiver.answerWith(() => ({ status: 307, headers: { location: target.url } }));
    await aSale(server.database, { commercial });
    await look();
    await settled(id, 1);
    expect(await log(id)).toMatchObject([{ status: 'pending', attempts: 1, answer_status: 307 }]);
    expect(target.received).toEqual([]);
    await target.close();
  });

  test('[WH-02] failing for half an hour it is told to the admins, for three days it is turned off', async () => {
    const { id } = await aWebhook(['sale.pending']);
    const failingFor = async (interval: string, failures: number) => {
      await server.database.asOwner(
        'update private.webhooks set failing_since = now() - $2::interval, failures = $3 where id = $1',
        [id, interval, failures],
      );
      await evaluateAlarms(server.services);
      return server.database.asOwner('select details from private.alarms where cleared_at is null');
    };
    expect(await failingFor('29 minutes', 9)).toEqual([]);
    expect(await failingFor('31 minutes', 4)).toEqual([]);
    expect(await failingFor('31 minutes', 5)).toEqual([{ details: { hosts: [new URL(receiver.url).host] } }]);
    await vi.waitFor(() => expect(alarmMails()).toHaveLength(2), PATIENCE);

    await server.database.asOwner(
      `update private.webhooks set failing_since = now() - interval '73 hours' where id = $1`,
      [id],
    );
    receiver.answerWith(() => ({ status: 500 }));
    await aSale(server.database, { commercial });
    await look();
    await vi.waitFor(
      async () => expect(await shown(id)).toMatchObject({ off_because: 'failures', failures: 6 }),
      PATIENCE,
    );
    expect(await log(id)).toMatchObject([{ status: 'dropped', attempts: 1 }]);
  });
});

test('[WH-02] two nodes send each event once', async () => {
  const second = await startTestServer({ database: server.database, doors: ['functions'] });
  const { id: webhookId } = await aWebhook(['sale.pending', 'sale.contacted']);
  const sales = await Promise.all(Array.from({ length: 15 }, () => aSale(server.database, { commercial })));
  for (const { id } of sales) await move(id, 'contacted');
  // Each of them looks by itself, over and over.
  const onNode = (node: TestServer) =>
    callAs(node, admin, 'webhooks', { action: 'switch', webhook_id: webhookId, is_on: true });
  await vi.waitFor(async () => {
    await Promise.all([onNode(server), onNode(second)]);
    expect(receiver.received.length).toBeGreaterThanOrEqual(30);
  }, PATIENCE);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(30);
  expect(receiver.received).toHaveLength(30);
  for (const { id } of sales) expect(typesOf(id)).toEqual(['sale.pending', 'sale.contacted']);
  await second.close();
});

test(
  '[WH-02] a node that is killed while it sends: another sends it again, with the same id',
  { tags: 'long' },
  async () => {
    const database = await createTestDatabase();
    const own = await anAdmin(database);
    const before = await startTestServer({ database, doors: ['functions'], jobs: false });
    await callAs(before, own, 'webhooks', { action: 'add', url: receiver.url, events: ['sale.pending'] });
    await before.close();
    receiver.answerWith(() => null);
    await aSale(database);
    const { host, port, user, password, database: name } = database.owner;
    const child = spawn(process.execPath, [fileURLToPath(new URL('../../main.ts', import.meta.url))], {
      env: {
        ...leastEnvironment,
        PORT: '0',
        HOST: '127.0.0.1',
        DATABASE_URL: `postgres://localhost/${name}?${new URLSearchParams({ host, port: String(port), user, password }).toString()}`,
        SECRET_KEY,
        DEMO: '0',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('The server did not start'))),
    ]);
    await database.asOwner(`select graphile_worker.add_job('send_webhooks', '{}')`);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const tries = () =>
      database.asOwner('select status, attempts, leased_until > now() as is_leased from private.webhook_deliveries');
    // Nobody takes it from a node that may still be at it.
    expect(await tries()).toEqual([{ status: 'pending', attempts: 1, is_leased: true }]);
    await database.asOwner('select private.claim_webhook_deliveries()');
    expect(await tries()).toEqual([{ status: 'pending', attempts: 1, is_leased: true }]);

    receiver.answerWith(() => ({ status: 200 }));
    const after = await startTestServer({ database, doors: ['functions'] });
    await database.asOwner(`update private.webhook_deliveries set leased_until = now() - interval '1 second'`);
    await database.asOwner(`select graphile_worker.add_job('send_webhooks', '{}')`);
    await vi.waitFor(
      async () => expect(await tries()).toEqual([{ status: 'delivered', attempts: 2, is_leased: false }]),
      PATIENCE,
    );
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    await after.close();
    await database.drop();
  },
);

describe('by hand', () => {
  test('[WH-02] a test is sent to one address, also while it is off; the log says what came back', async () => {
    const { id, secret } = await aWebhook();
    await call({ action: 'switch', webhook_id: id, is_on: false });
    receiver.answerWith(() => ({ status: 400, body: 'Inconnu' }));
    expect((await call({ action: 'test', webhook_id: id })).status).toBe(200);
    await settled(id, 1);
    expect(receiver.received).toMatchObject([{ payload: { type: 'webhook.test', version: 1, data: {} } }]);
    verifyWebhook(secret, messageAt(0));
    expect(await log(id)).toMatchObject([{ type: 'webhook.test', status: 'failed', attempts: 1, answer: 'Inconnu' }]);
    expect(await shown(id)).toMatchObject({ off_because: 'admin', failures: 0 });
  });

  test('[WH-02] an event is sent again with its id', async () => {
    const { id } = await aWebhook(['sale.pending']);
    await aSale(server.database, { commercial });
    await look();
    await settled(id, 1);
    const [delivery] = await log(id);
    expect((await call({ action: 'send_again', delivery_id: delivery?.['id'] })).status).toBe(200);
    await settled(id, 2);
    expect(receiver.received.map(({ id: message }) => message)).toEqual([delivery?.['id'], delivery?.['id']]);
    expect((await call({ action: 'send_again', delivery_id: crypto.randomUUID() })).status).toBe(404);
  });

  test('[WH-02] a new secret and the one before are both valid for a day', async () => {
    const { id, secret } = await aWebhook(['sale.pending']);
    const { body } = await call({ action: 'roll_secret', webhook_id: id });
    await aSale(server.database, { commercial });
    await look();
    await settled(id, 1);
    for (const each of [secret, body.secret as string]) verifyWebhook(each, messageAt(0));
    await server.database.asOwner(`update private.webhooks set former_secret_until = now() - interval '1 second'`);
    await aSale(server.database, { commercial });
    await look();
    await settled(id, 2);
    verifyWebhook(body.secret as string, messageAt(1));
    expect(() => verifyWebhook(secret, messageAt(1))).toThrow('signature');
    // The secret itself is in no other answer, and in no table in clear.
    expect(JSON.stringify((await read('action=list')).body)).not.toContain('whsec_');
    const [row] = await server.database.asOwner<{ clear: string }>(
      `select encode(secret_sealed, 'escape') || encode(former_secret_sealed, 'escape') as clear from private.webhooks`,
    );
    expect(row?.clear).not.toContain('whsec_');
  });

  test('[WH-02] ten addresses, and each in words that say what to do', async () => {
    for (let n = 0; n < 10; n += 1) await aWebhook();
    const add = { action: 'add', url: receiver.url, events: ['sale.pending'] };
    expect(await call(add)).toMatchObject({ status: 422, body: { code: 'webhooks_full' } });
    for (const [change, sentence] of [
      [{ url: '' }, 'Indiquez l’adresse à prévenir.'],
      [{ url: 'crm.example/hook' }, 'https://'],
      [{ url: 'ftp://crm.example' }, 'https://'],
      [{ url: 'https://me:secret@crm.example' }, 'Retirez le nom et le mot de passe'],
      [{ events: [] }, 'Choisissez au moins un événement.'],
      [{ events: ['sale.sold'] }, 'Un de ces événements n’existe pas.'],
    ] as const) {
      const refused = await call({ ...add, ...change });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(sentence)]);
    }
  });

  test('[WH-02] changed, turned off and removed: the trail says it, with the host alone', async () => {
    const { id } = await aWebhook(webhookEvents, `${receiver.url}/secret-path`);
    await call({ action: 'update', webhook_id: id, url: receiver.url, description: '', events: ['sale.validated'] });
    expect(await shown(id)).toMatchObject({ url: receiver.url, description: null, events: ['sale.validated'] });
    await call({ action: 'switch', webhook_id: id, is_on: false });
    await call({ action: 'roll_secret', webhook_id: id });
    await call({ action: 'remove', webhook_id: id });
    expect(await call({ action: 'remove', webhook_id: id })).toMatchObject({ status: 404 });
    const { host } = new URL(receiver.url);
    expect(
      await server.database.asOwner(
        `select before, after from public.audit_entries where entity = 'company_settings' order by id desc limit 5`,
      ),
    ).toEqual([
      { before: { webhook: host }, after: { webhook: null } },
      { before: { webhook_secret: null }, after: { webhook_secret: host } },
      { before: { webhook_on: host }, after: { webhook_on: null } },
      { before: { webhook: host }, after: { webhook: host } },
      { before: { webhook: null }, after: { webhook: host } },
    ]);
  });
});

test('[WH-02] an installation that others reach sends to no private network, whoever asks', async () => {
  const open = await startTestServer({
    database: server.database,
    doors: ['functions'],
    jobs: false,
    environment: { PUBLIC_URL: 'https://parrain.example' },
  });
  for (const [url, sentence] of [
    [receiver.url, 'https://'],
    ['https://127.0.0.1/', 'réseau privé'],
    ['https://2130706433/', 'réseau privé'],
    ['https://[::ffff:10.0.0.1]/', 'réseau privé'],
    ['https://localhost/', 'réseau privé'],
    ['https://a.localhost./', 'réseau privé'],
  ] as const) {
    const refused = await callAs(open, admin, 'webhooks', { action: 'add', url, events: ['sale.pending'] });
    expect([url, refused.status, JSON.stringify(refused.body)]).toEqual([url, 400, expect.stringContaining(sentence)]);
  }
  await open.close();
});

test('[WH-02] a session older than ten minutes opens no door that outlives it', async () => {
  const { id } = await aWebhook(['sale.pending']);
  const late = await anAdmin(server.database);
  await server.database.asOwner(`update auth.sessions set created_at = now() - interval '11 minutes' where id = $1`, [
    late.sessionId,
  ]);
  const add = { action: 'add', url: 'https://crm.example/', events: ['sale.pending'] };
  expect(await call(add, late)).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
  const update = { action: 'update', webhook_id: id, events: ['sale.contacted'] };
  expect(await call({ ...update, url: 'https://crm.example/' }, late)).toMatchObject({ status: 403 });
  expect(await call({ ...update, url: receiver.url }, late)).toMatchObject({ status: 200 });
});

test('[WH-02] an admin alone reads and changes them', async () => {
  const { id } = await aWebhook();
  const client = await aClient(server.database, { commercial });
  const calls = [
    'webhooks_shown()',
    `webhook_log('${id}', null)`,
    `add_webhook(gen_random_uuid(), 'https://a.example/', null, '{sale.pending}', '\\x00')`,
    `update_webhook('${id}', 'https://a.example/', null, '{sale.pending}')`,
    `remove_webhook('${id}')`,
    `switch_webhook('${id}', false)`,
    `roll_webhook_secret('${id}', '\\x00')`,
    `test_webhook('${id}')`,
    `send_webhook_again('${id}')`,
  ];
  for (const who of [commercial, client]) {
    for (const asked of calls) {
      await expect(server.database.become(who, (run) => run(`select private.${asked}`))).rejects.toThrow('forbidden');
    }
    expect((await read('action=list', who)).status).toBe(403);
  }
  for (const asked of [...calls, 'claim_webhook_deliveries()', `turn_webhook_off('${id}', 'admin')`]) {
    await expect(server.database.become('anon', (run) => run(`select private.${asked}`))).rejects.toThrow(
      /permission denied/u,
    );
  }
  await expect(
    server.database.become(admin, (run) => run('select * from private.claim_webhook_deliveries()')),
  ).rejects.toThrow(/permission denied/u);
});

describe('whoever is forgotten', () => {
  test('[WH-02] is forgotten in what waits and in the log, where a receiver may have repeated it', async () => {
    const { id } = await aWebhook(['sale.pending', 'person.created', 'person.deleted']);
    receiver.answerWith(() => ({ status: 200, body: 'Paul Secret' }));
    const leaving = await aClient(server.database, { commercial, fullName: 'Paul Secret' });
    const sale = await aSale(server.database, {
      commercial,
      contactName: 'Paul Secret',
      contactEmail: 'paul@secret.fr',
    });
    await look();
    await vi.waitFor(async () => {
      const entries = await log(id);
      expect(entries.filter(({ status }) => status === 'pending')).toEqual([]);
      expect(entries.length).toBeGreaterThanOrEqual(3);
    }, PATIENCE);
    const kept = () =>
      server.database.asOwner<{ n: number }>(
        `select count(*)::int as n from private.webhook_deliveries
         where object_id = any ($1) and (data::text ~* 'secret' or answer ~ 'Secret')`,
        [[leaving.id, sale.id]],
      );
    expect(await kept()).toEqual([{ n: 2 }]);
    await server.database.asOwner(
      `update public.sales set referred_contact_name = 'Contact effacé', referred_contact_email = null where id = $1`,
      [sale.id],
    );
    expect(await kept()).toEqual([{ n: 1 }]);
    const told = await server.database.asOwner('select data from private.webhook_deliveries where object_id = $1', [
      sale.id,
    ]);
    expect(told).toMatchObject([{ data: { referred_contact_name: 'Contact effacé', status: 'pending' } }]);
    await server.database.asOwner(`update public.profiles set full_name = 'Paul Autrement' where id = $1`, [
      leaving.id,
    ]);
    expect(await kept()).toEqual([{ n: 0 }]);
    await server.database.asOwner('delete from auth.users where id = $1', [leaving.id]);
    expect(await kept()).toEqual([{ n: 0 }]);
    const left = await server.database.asOwner(
      'select type, data from private.webhook_deliveries where object_id = $1',
      [leaving.id],
    );
    expect(left).toEqual([{ type: 'person.deleted', data: { id: leaving.id, role: 'client' } }]);
  });

  test('[WH-02] [FX-02] test data goes with its events, and its cleaning is no event', async () => {
    const { id } = await aWebhook();
    const demo = await aClient(server.database, { isTest: true });
    const sale = await aSale(server.database, { friendReferrer: demo, isTest: true });
    expect((await log(id)).length).toBeGreaterThan(1);
    await server.database.asOwner(
      `with cleaning as (select set_config('app.cleaning', 'on', true))
       delete from public.sales using cleaning where sales.id = $1`,
      [sale.id],
    );
    expect((await log(id)).filter(({ object_id: of }) => of === sale.id)).toEqual([]);
  });

  test('[WH-02] [FX-02] a request of test data goes with its events too', async () => {
    const { id } = await aWebhook(['payment_request.pending']);
    const scale = await aScale(server.database, { clientType: 'fixed', clientAmount: '100' });
    const demo = await aClient(server.database, { commercial, isTest: true });
    await aValidatedSale(server.database, { admin, commercial, friendReferrer: demo, scale, isTest: true });
    const asked = await callAs(server, demo, 'payment-request', {
      action: 'create',
      amount: 10,
      payment_method: 'association',
      payment_details: { association_name: 'Les Restos', association_details: 'Lyon' },
    });
    expect(asked.body).toMatchObject({ success: true });
    const requestId = asked.body.data.id as string;
    expect((await log(id)).map(({ object_id: of }) => of)).toEqual([requestId]);
    // Its transfers stay: what was deleted is put back.
    await expect(
      server.database.asOwner(`do $$ begin
        perform set_config('app.cleaning', 'on', true);
        delete from public.payment_requests where id = '${requestId}';
        raise exception 'told of it still: %', (select count(*) from private.webhook_deliveries where object_id = '${requestId}');
      end $$`),
    ).rejects.toThrow('told of it still: 0');
  });
});

test('[WH-02] the database and the screens name the same events', async () => {
  const [row] = await server.database.asOwner<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'webhooks_events_are_known'`,
  );
  const known = [...(row?.definition ?? '').matchAll(/'([a-z_.]+)'::text/gu)].map(([, event = '']) => event);
  expect(known.toSorted()).toEqual([...webhookEvents].toSorted());
});
