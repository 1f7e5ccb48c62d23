import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome, requestPayment } from './world.ts';

// « Clean database » (F-11, P-05): each test has a database of its own, for a cleaning speaks of all of it.

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  expect(await broken()).toEqual([]);
  await db.drop();
});

const clean = async (who: Person | 'anon', name: string | null = 'Mon Entreprise') =>
  only(await db.become(who, (run) => run('select * from private.clean_test_data($1)', [name])));
type Preview = { would_delete: Counts; held_by: Hold[]; is_session_fresh: boolean };
type Counts = Record<string, number>;
type Hold = { kind: string; number: number; examples: string[] };
const preview = async (who: Person | 'anon') =>
  only(await db.become(who, (run) => run<Preview>('select * from private.preview_cleaning()')));
const broken = () => brokenInvariants((sql) => db.asOwner(sql));
const as = (who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, (run) => run<{ id: string }>(text, values));
const everything = () =>
  db.asOwner(`select 'sale' as kind, s.id, s.version, s.is_test from public.sales s
    union all select 'person', p.id, 0, p.is_test from public.profiles p
    union all select 'commission', c.id, 0, c.is_test from public.commission_payments c
    union all select 'request', r.id, r.version, r.is_test from public.payment_requests r
    union all select 'scale', r.id, 0, r.is_test from public.commission_rates r order by 1, 2`);
const balanceOf = async (who: Person) =>
  (await db.asOwner('select earned, reversed, reserved, paid from public.balances where profile_id = $1', [who.id]))[0];

const NOTHING: Counts = {
  sales: 0,
  commission_payments: 0,
  payment_requests: 0,
  commission_rates: 0,
  clients: 0,
  commercials: 0,
};

/** A demo company: an admin, a commercial, a client who earned 123,46 € and asked for 10 €. */
async function aDemo() {
  const boss = await anAdmin(db, { isTest: true });
  const scale = await aScale(db, { name: 'Test', isTest: true });
  const commercial = await aCommercial(db, { isTest: true });
  const client = await aClient(db, { commercial, isTest: true });
  await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin: boss, isTest: true });
  await requestPayment(db, client, '10.00');
  return { boss, scale, commercial, client };
}

test('[AC-05] [P-05] what was done about test debts goes with them: posted, waiting or only proposed', async () => {
  const { boss, client } = await aDemo();
  await db.asOwner('update public.company_settings set release_above = 20');
  for (const status of ['approved', 'paid'])
    await as(
      boss,
      `select private.decide_payment_request(r.id, $2, null, null, null, null) from public.payment_requests r where r.client_id = $1`,
      [client.id, status],
    );
  await as(boss, `select from private.start_adjustment($1, -120, 'Erreur', 113.46)`, [client.id]);
  await as(boss, `select from private.settle_debt($1, 'repayment', 1, 6.54, null, 'cheque')`, [client.id]);
  await as(boss, `select from private.settle_debt($1, 'waiver', 2, 5.54, p_reason => 'Geste')`, [client.id]);
  await as(boss, `select from private.start_adjustment($1, 50, 'Geste', -3.54)`, [client.id]);
  await db.asOwner('update public.company_settings set release_above = 1');
  await as(boss, `select from private.settle_debt($1, 'waiver', 3.54, 3.54, p_reason => 'Encore')`, [client.id]);
  expect(await broken()).toEqual([]);
  await clean(boss);
  expect(await db.asOwner('select id from public.debt_acts union all select id from public.disputes')).toEqual([]);
});

test('[PP-02] [P-05] the quarters of a test agent go with what they say', async () => {
  const { boss, commercial } = await aDemo();
  const address = `'12 rue des Lilas', '35000', 'Rennes', '732829320'`;
  await as(boss, `select private.set_paper_settings(true, 'Lumeo Habitat', ${address}, null, 15)`);
  await as(
    commercial,
    `select private.set_payee_details($1, 'agent', 'Noé Petit', ${address.replace('732829320', '404833048')}, null, false, null)`,
    [commercial.id],
  );
  const made = await db.asOwner<{ made: number }>(
    `with later as materialized (
       select set_config('app.at', (private.month_start((date_trunc('quarter', private.today()::timestamp)
         + interval '3 months')::date) + interval '2 hours')::text, true) as at)
     select private.make_quarterly_statements(case when at <> '' then 10 end) as made from later`,
  );
  expect(only(made).made).toBe(1);
  const papers = () => db.asOwner<{ series: string }>('select series from public.papers');
  expect(await papers()).toEqual([{ series: 'TRT' }]);
  await clean(boss);
  expect(await papers()).toEqual([]);
});

/** An account that somebody invited, past its temporary password, with a session. */
async function invited(role: 'commercial' | 'client', by: Person): Promise<Person> {
  const id = randomUUID();
  const email = `${id}@example.fr`;
  const until = new Date(Date.now() + 60_000);
  await (role === 'commercial'
    ? as(by, `select private.invite_commercial($1, $2, 'Nouveau', null, 'x', $3)`, [id, email, until])
    : as(by, `select private.invite_client($1, $2, 'Nouvelle', null, null, null, $4, 'x', $3)`, [
        id,
        email,
        until,
        by.id,
      ]));
  await db.asOwner('update auth.users set password_change_required = false where id = $1', [id]);
  await db.asOwner('select private.prove_email($1)', [id]);
  const session = only(
    await db.asOwner<{ id: string }>(
      `insert into auth.sessions (user_id, refresh_key_sealed) values ($1, '\\x00') returning id`,
      [id],
    ),
  );
  return { id, role, email, fullName: 'Nouveau', sessionId: session.id };
}

test('[P-05, F-11] [FX-67] cleaning removes test data, nothing else, keeps the admins and tells the trail', async () => {
  const { boss, client } = await aDemo();
  const realScale = await aScale(db, { name: 'Réel', isDefault: true });
  const realCommercial = await aCommercial(db);
  const realClient = await aClient(db, { commercial: realCommercial });
  const real = await aValidatedSale(db, {
    commercial: realCommercial,
    friendReferrer: realClient,
    scale: realScale,
    admin: boss,
  });
  // Data that a demo account creates is test data too.
  await as(client, `select private.invite_friend('Ami', 'ami@x.fr', null, null)`);

  for (const who of [realCommercial, realClient, client]) {
    expect(await outcome(clean(who))).toBe('forbidden');
    expect(await outcome(preview(who))).toBe('forbidden');
  }
  expect(await outcome(clean('anon'))).toBe('42501');
  expect(await outcome(preview('anon'))).toBe('42501');

  const before = await everything();
  const counts = {
    sales: 2,
    commission_payments: 2,
    payment_requests: 1,
    commission_rates: 1,
    clients: 1,
    commercials: 1,
  };
  expect(await preview(boss)).toEqual({ would_delete: counts, held_by: [], is_session_fresh: true });
  expect(await everything()).toEqual(before);

  expect(await clean(boss)).toEqual({ deleted: counts, password_change_required: true });
  const left = await db.asOwner<{ id: string }>('select id from public.profiles order by role');
  expect(left.map((row) => row.id).toSorted()).toEqual([boss.id, realCommercial.id, realClient.id].toSorted());
  expect(await db.asOwner<{ id: string }>('select id from public.sales')).toEqual([{ id: real.id }]);
  expect(await db.asOwner<{ n: string }>('select count(*) as n from public.commission_payments')).toEqual([{ n: '2' }]);
  expect(
    only(
      await db.asOwner<Record<string, unknown>>(
        `select actor_id, action, before from public.audit_entries where action = 'clean'`,
      ),
    ),
  ).toEqual({ actor_id: boss.id, action: 'clean', before: counts });
});

test('[PP-02] [P-05] cleaning takes the papers of test data, and never a real one', async () => {
  const { boss, client } = await aDemo();
  const realClient = await aClient(db, { commercial: await aCommercial(db) });
  await aValidatedSale(db, {
    commercial: await aCommercial(db),
    friendReferrer: realClient,
    scale: await aScale(db),
    admin: boss,
  });
  await requestPayment(db, realClient, '10.00');
  await as(
    boss,
    `select private.set_paper_settings(true, 'Lumeo', '12 rue des Lilas', '35000', 'Rennes', '732829320', null, 15) as id`,
  );
  for (const payee of [client, realClient]) {
    await as(
      payee,
      `select private.set_payee_details($1, 'particulier', 'N', 'R', '35000', 'V', null, null, null, null) as id`,
      [payee.id],
    );
  }
  await db.asOwner(`update public.payment_requests set status = 'approved', approved_at = now()`);
  await db.asOwner(`update public.payment_requests set status = 'paid', paid_at = now()`);
  const papers = () =>
    db.asOwner<{ id: string; series: string; number: number }>(
      'select id, series, number from public.papers order by series',
    );
  for (const { id } of await papers()) await db.asOwner(`select private.keep_paper($1, '\\x255044462d')`, [id]);
  expect(await papers()).toMatchObject([
    { series: 'R', number: 1 },
    { series: 'TR', number: 1 },
  ]);
  await clean(boss);
  expect(await papers()).toMatchObject([{ series: 'R', number: 1 }]);
  expect(await db.asOwner('select from private.paper_files')).toHaveLength(1);
});

test('[AC-04] [P-05] cleaning takes the invoices of test data with their files, and never a real one', async () => {
  const { boss } = await aDemo();
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, scale: await aScale(db), admin: boss });
  await requestPayment(db, client, '10.00');
  await db.asOwner(
    `with sent as (
       insert into public.payee_invoices (request_id, payee_id, number, invoiced_on, amount, name, size, is_test)
       select id, client_id, id::text, '2026-01-02', amount, 'f.pdf', 5, is_test from public.payment_requests returning id)
     insert into private.payee_invoice_files (invoice_id, bytes) select id, '\\x255044462d' from sent`,
  );
  await db.asOwner(
    `select private.append_audit('payment_requests', i.request_id, 'send_invoice', null,
       jsonb_build_object('invoice_sha256', encode(sha256('%PDF-'), 'hex')), null) from public.payee_invoices i`,
  );
  const kept = () =>
    db.asOwner(
      `select i.is_test, count(*)::integer from public.payee_invoices i join private.payee_invoice_files f on f.invoice_id = i.id group by 1 order by 1`,
    );
  expect(await kept()).toEqual([
    { is_test: false, count: 1 },
    { is_test: true, count: expect.any(Number) as number },
  ]);
  await clean(boss);
  expect(await kept()).toEqual([{ is_test: false, count: 1 }]);
});

test('[FX-02] [LG-02] [PI-01] what was counted by night of test data goes with it: the months, and the control of accounts', async () => {
  const { boss } = await aDemo();
  await db.asOwner(
    `begin; select set_config('app.at', (now() + interval '2 days')::text, true); select private.count_control();
     select private.count_months(1); commit`,
  );
  const counted = () =>
    Promise.all(
      ['control_months', 'validated_months', 'counted_until'].map(async (name) => {
        const rows = await db.asOwner(`select from figures.${name}`);
        return rows.length > 0;
      }),
    );
  expect(await counted()).toEqual([true, true, true]);
  await clean(boss);
  expect(await counted()).toEqual([false, false, false]);
});

test('[FX-02] what is made after a cleaning is real, whoever makes it: a second one finds nothing', async () => {
  const { boss } = await aDemo();
  await clean(boss);
  expect(await db.asOwner('select id from public.profiles where is_test')).toEqual([]);
  await db.asOwner('update auth.users set password_change_required = false where id = $1', [boss.id]);

  const commercial = await invited('commercial', boss);
  const client = await invited('client', commercial);
  await as(boss, `select private.create_commission_rate('Réel', null, 'percentage', 10, 'fixed', 50)`);
  const sale = only(await as(client, `select id from private.invite_friend('Ami', 'ami@x.fr', null, null)`));
  await as(commercial, `select private.update_sale_status($1, 'validated', 10000, 'Toiture', null)`, [sale.id]);
  await as(boss, asSeen.validate, [sale.id, null]);
  const request = await requestPayment(db, client, '1000.00');
  await as(boss, asSeen.decide, [request, 'approved', null]);
  await as(boss, asSeen.decide, [request, 'paid', null]);

  const before = await everything();
  expect(await preview(boss)).toMatchObject({ would_delete: NOTHING });
  expect(await clean(boss)).toEqual({ deleted: NOTHING, password_change_required: false });
  expect(await everything()).toEqual(before);
  expect(await balanceOf(client)).toMatchObject({ earned: '1000.00', paid: '1000.00' });
});

describe('[FX-02] [FX-03] what something real depends on is never deleted: the cleaning is refused and says what holds', () => {
  const holds: Record<string, readonly [string, (demo: Awaited<ReturnType<typeof aDemo>>) => Promise<unknown>]> = {
    'a real client of a test commercial': ['clients', ({ commercial }) => aClient(db, { commercial })],
    'a real sale of a test commercial': ['sales', ({ commercial }) => aSale(db, { commercial, friendReferrer: null })],
    'a real sale that a test client referred as a friend': [
      'sales',
      async ({ client }) => aSale(db, { commercial: await aCommercial(db), friendReferrer: client }),
    ],
    'a real sale that a test client referred': [
      'sales',
      async ({ client }) =>
        aSale(db, { commercial: await aCommercial(db), friendReferrer: null, clientReferrer: client }),
    ],
    'a real sale on a test scale': [
      'scales',
      async ({ boss, scale }) =>
        aValidatedSale(db, { commercial: await aCommercial(db), friendReferrer: null, admin: boss, scale }),
    ],
    'a payout that test commissions earned': [
      'requests',
      async ({ boss, scale, commercial }) => {
        const friendReferrer = await aClient(db);
        await aValidatedSale(db, { commercial, friendReferrer, admin: boss, scale, isTest: true });
        await requestPayment(db, friendReferrer, '20.00');
      },
    ],
    'a real request of a test client': [
      'requests',
      ({ client }) => db.asOwner('insert into public.payment_requests (client_id, amount) values ($1, 5)', [client.id]),
    ],
  };

  test.each(Object.entries(holds))('%s', async (_name, [kind, make]) => {
    const demo = await aDemo();
    await make(demo);
    const before = await everything();
    const { held_by: held } = await preview(demo.boss);
    expect(held).toMatchObject([{ kind, number: 1, examples: [expect.stringMatching(/./u)] }]);
    const refusal = await clean(demo.boss).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'PR001', message: 'cleaning_held' });
    expect(JSON.parse((refusal as { detail: string }).detail)).toEqual({ held_by: held });
    expect(await everything()).toEqual(before);
  });

  test('once nothing holds any more it cleans', async () => {
    const { boss, commercial } = await aDemo();
    const client = await aClient(db, { commercial });
    expect(await outcome(clean(boss))).toBe('cleaning_held');
    const other = await aCommercial(db);
    await as(boss, `select private.update_client($1, 'Claire', null, null, null, $2)`, [client.id, other.id]);
    expect(await outcome(clean(boss))).toBe('ok');
  });
});

test('[FX-03] who earned on real and on test sales keeps a balance that the rows left explain', async () => {
  const { boss, scale, client } = await aDemo();
  const realScale = await aScale(db);
  const commercial = await aCommercial(db);
  const testOnly = await aCommercial(db);
  await aValidatedSale(db, {
    commercial,
    friendReferrer: null,
    admin: boss,
    scale: realScale,
    contractAmount: '100.00',
  });
  for (const who of [commercial, testOnly])
    await aValidatedSale(db, { commercial: who, friendReferrer: client, admin: boss, scale, isTest: true });
  const friend = await aClient(db);
  const annulled = await aValidatedSale(db, { commercial, friendReferrer: friend, admin: boss, scale, isTest: true });
  await as(boss, asSeen.cancel, [annulled.id, 'Erreur']);
  await aValidatedSale(db, { commercial, friendReferrer: friend, admin: boss, scale: realScale });
  await requestPayment(db, friend, '100.00');

  await clean(boss);
  expect(await balanceOf(commercial)).toEqual({ earned: '100.00', reversed: '0.00', reserved: '0.00', paid: '0.00' });
  expect(await balanceOf(testOnly)).toBeUndefined();
  expect(await balanceOf(friend)).toEqual({ earned: '123.46', reversed: '0.00', reserved: '100.00', paid: '0.00' });
});

test('[FX-02] a real scale that replaced one of the demonstration stays, and forgets it', async () => {
  const { boss, scale } = await aDemo();
  const real = await anAdmin(db);
  const { id } = only(
    await as(real, `select id from private.create_commission_rate('Suite', null, 'percentage', 5, 'fixed', 5, $1)`, [
      scale.id,
    ]),
  );
  expect(await outcome(db.asOwner('update public.commission_rates set replaces_id = null where id = $1', [id]))).toBe(
    'scale_in_use',
  );
  await clean(boss);
  expect(await db.asOwner('select id, replaces_id from public.commission_rates')).toEqual([{ id, replaces_id: null }]);
});

test('[FX-02] the company’s name is checked here, whatever the screen let pass', async () => {
  const { boss } = await aDemo();
  await as(boss, `select private.update_company_name('Été & Fils')`);
  const before = await everything();
  for (const name of ['', 'Mon Entreprise', 'Été', 'SUPPRIMER'])
    expect(await outcome(clean(boss, name))).toBe('confirmation_required');
  expect(await everything()).toEqual(before);
  expect(await outcome(clean(boss, ' été  & FILS '))).toBe('ok');
});

test('[FX-02] a session of more than ten minutes ago signs in again first', async () => {
  const { boss } = await aDemo();
  const age = (interval: string) =>
    db.asOwner(`update auth.sessions set created_at = now() - $2::interval where id = $1`, [boss.sessionId, interval]);
  await age('10 minutes 1 second');
  expect(await preview(boss)).toMatchObject({ is_session_fresh: false });
  expect(await outcome(clean(boss))).toBe('reauthentication_required');
  await age('9 minutes');
  expect(await outcome(clean(boss))).toBe('ok');
});

test('[FX-01] of the demo’s admin every way in goes but the session that cleaned, which must choose a password', async () => {
  const { boss } = await aDemo();
  const real = await anAdmin(db);
  await db.asOwner(
    `update auth.users set encrypted_password = 'h', phone = '33600000000', new_email = 'x@x.fr' where id = any ($1)`,
    [[boss.id]],
  );
  await db.asOwner(`insert into auth.sessions (user_id, refresh_key_sealed) values ($1, '\\x00'), ($1, '\\x01')`, [
    boss.id,
  ]);
  await db.asOwner(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key) values ($1, 'key', '\\x00')`,
    [boss.id],
  );
  await db.asOwner(`insert into auth.identities (user_id, provider, provider_id) values ($1, 'oidc', '1')`, [boss.id]);
  await db.asOwner(
    `insert into auth.one_time_tokens (user_id, kind, token_hash, expires_at) values ($1, 'recovery', '\\x00', now() + interval '1 hour')`,
    [boss.id],
  );
  await clean(boss);
  expect(
    only(
      await db.asOwner(
        `select u.encrypted_password, u.phone, u.new_email, u.password_change_required,
          (select count(*)::int from auth.webauthn_credentials c where c.user_id = u.id) as passkeys,
          (select count(*)::int from auth.identities i where i.user_id = u.id and i.provider <> 'email') as identities,
          (select count(*)::int from auth.one_time_tokens t where t.user_id = u.id) as links,
          array(select s.id from auth.sessions s where s.user_id = u.id) as sessions
        from auth.users u where u.id = $1`,
        [boss.id],
      ),
    ),
  ).toEqual({
    encrypted_password: null,
    phone: null,
    new_email: null,
    password_change_required: true,
    passkeys: 0,
    identities: 0,
    links: 0,
    sessions: [boss.sessionId],
  });
  expect(await outcome(preview(boss))).toBe('password_change_required');
  expect(await outcome(preview(real))).toBe('ok');
});

test('[FX-01] while the demonstration is closed its accounts open nothing; opened again, they do, and nobody else was touched', async () => {
  const { boss, client } = await aDemo();
  const [real, banned] = [await anAdmin(db), await aClient(db)];
  await db.asOwner(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [banned.id]);
  const open = (isOpen: boolean) =>
    db.become('parrain_service', (run) => run('select private.open_demo($1)', [isOpen]));
  await open(false);
  for (const who of [boss, client]) expect(await outcome(as(who, 'select'))).toBe('session_expired');
  const session = only(
    await db.asOwner<{ id: string }>(
      `insert into auth.sessions (user_id, refresh_key_sealed) values ($1, '\\x00') returning id`,
      [boss.id],
    ),
  );
  const again = { ...boss, sessionId: session.id };
  expect(await outcome(as(again, 'select'))).toBe('session_expired');
  expect(await outcome(as(real, 'select'))).toBe('ok');
  await open(true);
  expect(await outcome(as(again, 'select'))).toBe('ok');
  expect(await outcome(as(banned, 'select'))).toBe('session_expired');
});

describe('[FX-03] a cleaning excludes every writer', () => {
  test('whatever is asked for or decided beside it, each row that is left has its rows, and nobody waits for ever', async () => {
    const { boss, scale, commercial } = await aDemo();
    const real = await anAdmin(db);
    const realCommercial = await aCommercial(db);
    const realScale = await aScale(db);
    const work: (() => Promise<unknown>)[] = [];
    for (let n = 0; n < 6; n += 1) {
      const client = await aClient(db, { commercial, isTest: true });
      const validated = await aValidatedSale(db, {
        commercial,
        friendReferrer: client,
        scale,
        admin: real,
        isTest: true,
      });
      const ready = await aSale(db, { commercial, friendReferrer: client, isReady: true, scale, isTest: true });
      const asked = await requestPayment(db, client, '5.00');
      const realClient = await aClient(db, { commercial: realCommercial });
      const realSale = await aSale(db, { commercial: realCommercial, friendReferrer: realClient, isReady: true });
      work.push(
        () => requestPayment(db, client, '10.00'),
        () => as(real, asSeen.validate, [ready.id, scale.id]),
        () => as(real, asSeen.cancel, [validated.id, 'Erreur']),
        () => as(real, asSeen.decide, [asked, 'approved', null]),
        () => as(client, `select private.invite_friend('Ami', $1, null, null)`, [`ami-${n}@x.fr`]),
        () => as(real, asSeen.validate, [realSale.id, realScale.id]),
      );
    }
    const half = Math.floor(work.length / 2);
    const [cleaned, ...codes] = await Promise.all([
      outcome(clean(boss)),
      ...work.slice(0, half).map((task) => outcome(task())),
      ...work.slice(half).map((task) => outcome(task())),
    ]);
    expect(cleaned).toBe('ok');
    const known = new Set([
      'ok',
      'session_expired',
      'sale_not_found',
      'scale_not_found',
      'request_not_found',
      'sale_changed',
    ]);
    expect(codes.filter((code) => !known.has(code))).toEqual([]);
    expect((await everything()).filter((row) => row['is_test'])).toEqual([]);
    expect(await db.asOwner('select count(*)::int as n from public.sales where admin_validated')).toEqual([{ n: 6 }]);
  });

  test('it waits for whoever is writing, and lets go of its own locks meanwhile, so that neither waits for the other', async () => {
    const { boss, client } = await aDemo();
    // Somebody holds the client's balance, and only then turns to their row: the order that would make a deadlock.
    const step = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const writer = db.become('parrain_service', async (run) => {
      await run('select from public.balances where profile_id = $1 for update', [client.id]);
      held.resolve();
      await step.promise;
      await run('update public.profiles set phone = $2 where id = $1', [client.id, '0600000000']);
    });
    await held.promise;
    const cleaning = outcome(clean(boss));
    await expect
      .poll(
        async () =>
          (
            await db.asOwner(
              `select from pg_stat_activity where datname = current_database() and query like '%clean_test_data%' and wait_event_type = 'Lock'`,
            )
          ).length,
      )
      .toBeGreaterThan(0);
    step.resolve();
    await writer;
    expect(await cleaning).toBe('ok');
  });
});

test('[FX-03] the invariants speak of every payee: a request without commissions or balance is found', async () => {
  const other = await createTestDatabase();
  const client = await aClient(other);
  await other.asOwner('alter table public.payment_requests disable trigger user');
  await other.asOwner('insert into public.payment_requests (client_id, amount) values ($1, 5)', [client.id]);
  const found = (await verify((sql) => other.asOwner(sql))).filter(({ violations }) => violations.length > 0);
  expect(found.map(({ invariant }) => invariant.id)).toEqual(expect.arrayContaining(['I2', 'I2b']));
  const { counted } = found.find(({ invariant }) => invariant.id === 'I2') ?? {};
  expect(counted).toBe(1);
  await other.drop();
});

test('[UI-12] an accountant whom the demo’s admin invited goes with the test data; one of the company stays, as its admins do', async () => {
  const invite = (who: Person, email: string) =>
    as(who, `select id from private.invite_accountant(gen_random_uuid(), $1, 'Marie Compta', 'h', now())`, [email]);
  const { boss } = await aDemo();
  const owner = await anAdmin(db);
  await invite(boss, 'demo@cabinet.fr');
  await invite(owner, 'reel@cabinet.fr');
  await clean(owner);
  const left = await db.asOwner(`select email, is_test from public.profiles where role = 'comptable'`);
  expect(left).toEqual([{ email: 'reel@cabinet.fr', is_test: false }]);
});
