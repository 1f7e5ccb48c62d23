import { dayOf } from '@parrain/domain/date';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  asSeen,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

const standard = {
  name: 'Standard',
  description: null,
  client_commission_type: 'percentage',
  client_commission_amount: 10,
  commercial_commission_type: 'fixed',
  commercial_commission_amount: 50,
};
const create = (body: Record<string, unknown>, key?: string): Promise<Reply> =>
  callAs(server, admin, 'commission-management?action=create_commission_rate', body, key === undefined ? {} : { key });
const count = async () =>
  only(await server.database.asOwner<{ count: number }>('select count(*)::int as count from public.commission_rates'))
    .count;

test('[F-07] a scale is created; the first one is the default', async () => {
  const reply = await create({ ...standard, description: ' Pour tous ' });
  expect(reply).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: 'Barème créé avec succès !',
      data: { ...standard, description: 'Pour tous', is_default: true },
    },
  });
  expect((await create({ ...standard, client_commission_amount: '12,5' })).body.data).toMatchObject({
    client_commission_amount: 12.5,
    is_default: false,
  });
});

test('[UI-07] the first scale of the first steps is refused where there is one already, made in another window', async () => {
  const empty = await startTestServer();
  try {
    const owner = await anAdmin(empty.database);
    const first = () =>
      callAs(empty, owner, 'commission-management?action=create_commission_rate', { ...standard, is_first: true });
    const replies = await Promise.all([first(), first(), first()]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('first_scale_exists');
    const rows = await empty.database.asOwner('select is_default from public.commission_rates');
    expect(rows).toEqual([{ is_default: true }]);
  } finally {
    await empty.close();
  }
});

test('[LG-03] a scale keeps a commission for some days; the job ends what is due, and leaves the rest', async () => {
  const reply = await create({ ...standard, client_hold_days: 30 });
  expect(reply.body.data).toMatchObject({ client_hold_days: 30 });
  expect((await create({ ...standard, client_hold_days: 366 })).body.error).toContain(
    'Le délai est un nombre de jours',
  );
  const { database, services } = server;
  const [due, kept] = [await aClient(database), await aClient(database)];
  for (const [client, daysAgo] of [
    [due, 31],
    [kept, 29],
  ] as const) {
    const sale = await aSale(database, { friendReferrer: client, isReady: true, contractAmount: '1234.56' });
    await database.become(admin, async (run) => {
      await run(`select set_config('app.at', (now() - make_interval(days => $1))::text, true)`, [daysAgo]);
      await run(asSeen.validate, [sale.id, reply.body.data.id]);
    });
  }
  await services.db.asService('test', (tx) => services.jobs.enqueue(tx, 'functions_release_holds', {}));
  const held = async (client: Person) =>
    only(
      await database.asOwner<{ held: string }>('select held from public.balances where profile_id = $1', [client.id]),
    ).held;
  await vi.waitFor(async () => expect(await held(due)).toBe('0.00'), { timeout: 120_000, interval: 100 });
  expect(await held(kept)).toBe('123.46');
});

test('[AD-12] a contract that reaches a scale’s amount is forecast with it, and below it with the default again', async () => {
  const { database } = server;
  const large = await create({ ...standard, client_commission_amount: 4, from_contract_amount: '15 000,00' });
  expect(large.body.data).toMatchObject({ from_contract_amount: 15_000, is_default: false });
  expect((await create({ ...standard, from_contract_amount: 0 })).body.error).toContain('Le seuil est un montant');
  const higher = await create({ ...standard, client_commission_amount: 3, from_contract_amount: 20_000 });
  const byDefault = only(
    await database.asOwner<{ id: string }>('select id from public.commission_rates where is_default'),
  ).id;
  const commercial = await aCommercial(database);
  const sale = await aSale(database, { friendReferrer: await aClient(database), commercial });
  const forecast = async (amount: number) => {
    const reply = await callAs(server, commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale.id,
      status: 'pending_final_validation',
      contract_amount: amount,
      contract_description: 'Isolation',
    });
    expect(reply.status).toBe(200);
    return only(
      await database.asOwner<{ rate: string; due: string }>(
        'select commission_rate as rate, client_commission_amount as due from public.sales where id = $1',
        [sale.id],
      ),
    );
  };
  expect(await forecast(14_999.99)).toMatchObject({ rate: byDefault });
  expect(await forecast(15_000)).toEqual({ rate: large.body.data.id, due: '600.00' });
  expect(await forecast(20_000)).toEqual({ rate: higher.body.data.id, due: '600.00' });
  expect(await forecast(1_000)).toMatchObject({ rate: byDefault });
  for (const scale of [large, higher])
    await callAs(server, admin, 'commission-management?action=archive_commission_rate', {
      commission_rate_id: scale.body.data.id,
    });
  expect(await forecast(15_000)).toMatchObject({ rate: byDefault });
});

test('[V-02] [V-03] missing and non-positive values, in the words of the specification', async () => {
  const before = await count();
  for (const [wrong, sentence] of [
    [{ name: ' ' }, 'Veuillez remplir tous les champs obligatoires'],
    [{ client_commission_amount: null }, 'Veuillez remplir tous les champs obligatoires'],
    [{ commercial_commission_amount: '' }, 'Veuillez remplir tous les champs obligatoires'],
    [{ client_commission_amount: 0 }, 'Le montant de commission client doit être un nombre positif'],
    [{ client_commission_amount: -1 }, 'Le montant de commission client doit être un nombre positif'],
    [{ commercial_commission_amount: 'abc' }, 'Le montant de commission commercial doit être un nombre positif'],
    [{ commercial_commission_amount: '1e3' }, 'Le montant de commission commercial doit être un nombre positif'],
    [{ commercial_commission_amount: 1.005 }, 'Le montant doit être un nombre d’euros, avec deux décimales au plus'],
    [{ client_commission_amount: 10.125 }, 'Un pourcentage a deux décimales au plus'],
  ] as const) {
    const reply = await create({ ...standard, ...wrong });
    expect(reply.status).toBe(400);
    expect(reply.body.issues.map((issue: { message: string }) => issue.message)).toContain(sentence);
  }
  const several = await create({ ...standard, name: '', client_commission_amount: 0, commercial_commission_amount: 0 });
  expect(several.body.issues).toHaveLength(3);
  expect(await count()).toBe(before);
});

test('[V-17] threat 11: a percentage is above 0 and at most 100', async () => {
  for (const client_commission_amount of [100.01, 0, -1, 1000, '100,01', '1e2']) {
    expect((await create({ ...standard, client_commission_amount })).status).toBe(400);
  }
  expect((await create({ ...standard, client_commission_type: 'moitié' })).status).toBe(400);
  const both = {
    commercial_commission_type: 'percentage',
    commercial_commission_amount: 60,
    client_commission_amount: 60,
  };
  // Each is at most 100; together they may be more (FX-62).
  expect((await create({ ...standard, ...both })).status).toBe(200);
  expect((await create({ ...standard, client_commission_amount: 99.99 })).status).toBe(200);
});

test('[S-12] a scale is not edited: a new version archives the old one and takes its place', async () => {
  const first = await create(standard);
  const id = first.body.data.id as string;
  await callAs(server, admin, 'commission-management?action=set_default_commission_rate', { commission_rate_id: id });
  await aValidatedSale(server.database, { admin, scale: { id } });
  const replies = await Promise.all(
    [1, 2, 3].map((amount) => create({ ...standard, client_commission_amount: amount, replaces_id: id })),
  );
  expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  const next = replies.find((reply) => reply.status === 200)?.body.data;
  expect(next).toMatchObject({ replaces_id: id, is_default: true });
  const old = only(
    await server.database.asOwner<Record<string, unknown>>(
      'select archived_at, client_commission_amount from public.commission_rates where id = $1',
      [id],
    ),
  );
  expect(old).toMatchObject({ client_commission_amount: '10.00' });
  expect(old['archived_at']).not.toBeNull();
  expect((await create({ ...standard, replaces_id: id })).body.code).toBe('scale_archived');
  expect((await create({ ...standard, replaces_id: randomUUID() })).body.code).toBe('scale_not_found');
});

test('[S-12] archiving, and choosing the default scale: always exactly one', async () => {
  const [one, two] = [(await create(standard)).body.data.id, (await create(standard)).body.data.id];
  const setDefault = (commission_rate_id: string) =>
    callAs(server, admin, 'commission-management?action=set_default_commission_rate', { commission_rate_id });
  const replies = await Promise.all([setDefault(one), setDefault(two), setDefault(one), setDefault(two)]);
  expect(replies.every((reply) => reply.status === 200)).toBe(true);
  const defaults = await server.database.asOwner<{ id: string }>(
    'select id from public.commission_rates where is_default',
  );
  expect(defaults).toHaveLength(1);
  const archive = (commission_rate_id: unknown) =>
    callAs(server, admin, 'commission-management?action=archive_commission_rate', { commission_rate_id });
  expect((await archive(one)).body.data.archived_at).not.toBeNull();
  expect((await archive(one)).status).toBe(200);
  expect((await setDefault(one)).body.code).toBe('scale_archived');
  expect((await archive(undefined)).status).toBe(404);
});

test('[NV-09] a scale that was archived comes back within a minute, unless a new version took its place', async () => {
  const call = (action: string, commission_rate_id: string) =>
    callAs(server, admin, `commission-management?action=${action}_commission_rate`, { commission_rate_id });
  const id = (await create(standard)).body.data.id;
  await call('archive', id);
  expect((await call('restore', id)).body.data).toMatchObject({ id, archived_at: null, is_default: false });
  expect((await call('restore', id)).status).toBe(200);
  await call('archive', id);
  await server.database.asOwner(
    `update public.commission_rates set archived_at = archived_at - interval '2 minutes' where id = $1`,
    [id],
  );
  expect((await call('restore', id)).body.code).toBe('scale_archived');
  const replaced = (await create(standard)).body.data.id;
  await create({ ...standard, replaces_id: replaced });
  expect((await call('restore', replaced)).body.code).toBe('scale_archived');
  expect((await call('restore', randomUUID())).body.code).toBe('scale_not_found');
});

test('[V-20] the same scale sent twice with its key is created once', async () => {
  const before = await count();
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 4 }, () => create(standard, key)));
  expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1);
  expect(await count()).toBe(before + 1);
});

test('[SC-01] a version is published at once or for a day to come, and withdrawn before it; the values of the scale follow by a job', async () => {
  const { database, services } = server;
  const { id } = (await create({ ...standard, name: 'À versions' })).body.data as { id: string };
  const act = (action: string, body: Record<string, unknown>) =>
    callAs(server, admin, `commission-management?action=${action}`, body);
  const publish = (seen: number, more: Record<string, unknown>) =>
    act('publish_scale_version', { ...standard, commission_rate_id: id, seen_number: seen, ...more });
  const value = async () =>
    only(
      await database.asOwner<{ value: string }>(
        'select client_commission_amount as value from public.commission_rates where id = $1',
        [id],
      ),
    ).value;
  const [inSixtyDays, inNinetyDays] = [60, 90].map((days) => dayOf(new Date(Date.now() + days * 86_400_000)));
  const now = await publish(1, { client_commission_amount: 12 });
  expect(now).toMatchObject({ status: 200, body: { data: { number: 2, rate_id: id } } });
  expect(await value()).toBe('12.00');
  expect((await publish(1, {})).body.code).toBe('changed_meanwhile');
  expect((await publish(2, { first_day: 'demain' })).status).toBe(400);
  expect((await publish(2, { first_day: '2020-01-01' })).body.code).toBe('scale_day_is_over');
  expect((await publish(2, { client_commission_amount: 0 })).status).toBe(400);
  expect((await publish(2, { first_day: '2098-01-01' })).body.code).toBe('scale_day_is_over');
  const later = await publish(2, { client_commission_amount: 15, first_day: inSixtyDays });
  expect(later).toMatchObject({ status: 200, body: { data: { number: 3, first_day: inSixtyDays } } });
  expect(await value()).toBe('12.00');
  const withdrawn = await act('withdraw_scale_version', { scale_version_id: later.body.data.id });
  expect(withdrawn).toMatchObject({ status: 200, body: { message: 'Version retirée' } });
  expect((await act('withdraw_scale_version', { scale_version_id: now.body.data.id })).body.code).toBe(
    'scale_version_begun',
  );
  // As if the day of a version had come since: the job of each minute moves the values.
  const due = await publish(3, { client_commission_amount: 14, first_day: inNinetyDays });
  await database.asOwner('alter table public.scale_versions disable trigger scale_versions_guard');
  await database.asOwner('update public.scale_versions set first_day = private.today() where id = $1', [
    due.body.data.id,
  ]);
  await database.asOwner('alter table public.scale_versions enable trigger scale_versions_guard');
  await services.db.asService('test', (tx) => services.jobs.enqueue(tx, 'functions_begin_scale_versions', {}));
  await vi.waitFor(async () => expect(await value()).toBe('14.00'), { timeout: 120_000, interval: 100 });
});

test('[SC-05] a draft is simulated for an admin alone, refused in the words of its publication, and its totals stand with the version', async () => {
  const { database } = server;
  const { id } = (await create({ ...standard, name: 'À simuler' })).body.data as { id: string };
  const act = (who: Person, action: string, more: Record<string, unknown> = {}) =>
    callAs(server, who, `commission-management?action=${action}`, { ...standard, commission_rate_id: id, ...more });
  await aValidatedSale(database, {
    admin,
    scale: { id },
    contractAmount: '1000.00',
    friendReferrer: await aClient(database),
  });
  const draft = { client_commission_amount: 12 };
  const { status, body } = await act(admin, 'simulate_scale_version', draft);
  expect(status).toBe(200);
  const { totals } = body.data as { totals: unknown };
  expect(totals).toEqual({ contracts: 1, before: 15_000, after: 17_000 });
  for (const wrong of [
    { client_commission_amount: 0 },
    { client_commission_amount: 101 },
    {
      client_rules: {
        steps: [
          { from: 2, value: 1 },
          { from: 1, value: 2 },
        ],
      },
    },
    { client_rules: { window: 'quarter' } },
    { last_day: '2020-01-01' },
    { commission_rate_id: randomUUID() },
  ]) {
    const [simulated, published] = [
      await act(admin, 'simulate_scale_version', wrong),
      await act(admin, 'publish_scale_version', { ...wrong, seen_number: 1 }),
    ];
    expect([simulated.status, simulated.body.error]).toEqual([published.status, published.body.error]);
    expect([400, 404]).toContain(simulated.status);
  }
  for (const person of [await aClient(database), await aCommercial(database)]) {
    expect((await act(person, 'simulate_scale_version', draft)).status).toBe(403);
  }
  const publish = (seen: unknown) =>
    act(admin, 'publish_scale_version', { ...draft, seen_number: 1, seen_simulation: seen });
  expect((await publish({ contracts: 1, before: 15_000, after: 16_999 })).body.code).toBe('simulation_changed');
  expect((await publish('douze mois')).status).toBe(400);
  const published = await publish(totals);
  expect(published).toMatchObject({ status: 200, body: { data: { number: 2, simulation: totals } } });
});

test('[SC-01] a contract takes another version with its reason alone, over the wire as in the database', async () => {
  const { database } = server;
  const { id } = (await create({ ...standard, name: 'Promis' })).body.data as { id: string };
  await callAs(server, admin, 'commission-management?action=publish_scale_version', {
    ...standard,
    commission_rate_id: id,
    seen_number: 1,
    client_commission_amount: 20,
  });
  const first = only(
    await database.asOwner<{ id: string }>('select id from public.scale_versions where rate_id = $1 and number = 1', [
      id,
    ]),
  ).id;
  const sale = await aSale(database, {
    friendReferrer: await aClient(database),
    isReady: true,
    contractAmount: '1000.00',
  });
  const validate = (more: Record<string, unknown>) =>
    callAs(server, admin, 'sales-management', {
      action: 'validate',
      sale_id: sale.id,
      commission_rate_id: id,
      seen_version: sale.version,
      expected_contract_amount: 1000,
      expected_client_commission_amount: 100,
      expected_commercial_commission_amount: 50,
      ...more,
    });
  expect((await validate({})).body.code).toBe('sale_changed');
  expect((await validate({ scale_version_id: first })).body.code).toBe('version_reason_required');
  expect((await validate({ scale_version_id: randomUUID(), version_reason: 'Promis' })).body.code).toBe(
    'scale_not_found',
  );
  expect((await validate({ scale_version_id: first, version_reason: 'Promis en octobre' })).status).toBe(200);
  expect(
    await database.asOwner('select number, chosen_reason from public.sale_terms where sale_id = $1', [sale.id]),
  ).toEqual([{ number: 1, chosen_reason: 'Promis en octobre' }]);
});
