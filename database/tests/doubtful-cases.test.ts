import { randomInt, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { connectAsOwner } from '../src/connect.ts';
import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  asSeen,
  createTestDatabase,
  only,
  brokenInvariants,
} from '../src/testing.ts';
import type { Person, PersonDetails, TestDatabase } from '../src/testing.ts';
import { outcome, race, requestPayment } from './world.ts';

// FD-01: doubts open a case, which an admin decides; nobody else learns of it, and nothing is blocked.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  scale = await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

const aMailbox = () => `ami.${randomUUID().slice(0, 8)}`;
const anAddress = () => `${aMailbox()}@exemple.fr`;
const aPhone = () => `06${String(randomInt(10 ** 8)).padStart(8, '0')}`;
const aReferrer = (details: PersonDetails = {}) => aClient(db, { commercial, ...details });
type Friend = { readonly name?: string; readonly email?: string | null; readonly phone?: string | null };
const refer = async (who: Person, { name = 'Ami Nouveau', email = anAddress(), phone = null }: Friend = {}) =>
  only(
    await db.become(who, (run) =>
      run<{ id: string; version: number }>(
        `select id, version from private.invite_friend($1, $2, $3, 'Un mot', false)`,
        [name, email, phone],
      ),
    ),
  );

type Case = { readonly id: string; readonly status: string; readonly version: number; readonly reasons: string[] };
/** The cases about a client's money, each with its reasons: « rule compared person ». */
const casesOf = (payee: Person) =>
  db.asOwner<Case>(
    `select c.id, c.status, c.version, array(
       select r.rule || ' ' || r.compared || coalesce(' ' || p.full_name, '') from public.doubt_reasons r
       left join public.profiles p on p.id = r.person_id where r.case_id = c.id order by 1) as reasons
     from public.doubtful_cases c where c.payee_id = $1 order by c.created_at, c.id`,
    [payee.id],
  );
const reasonsOf = async (payee: Person) => (await casesOf(payee)).flatMap(({ reasons }) => reasons);
const decide = (
  seen: Pick<Case, 'id' | 'version'>,
  decision: 'confirmed' | 'cleared',
  { reason = 'Vu avec eux.', isPairCleared = false, who = admin } = {},
) =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.decide_doubtful_case($1, $2, $3, $4, $5)', [
      seen.id,
      decision,
      reason,
      seen.version,
      isPairCleared,
    ]),
  );
const setRule = (code: string, isOn: boolean, most: number | null = null, who = admin) =>
  db.become(who, (run) => run('select private.set_doubt_rule($1, $2, $3)', [code, isOn, most]));

describe('a client who refers themselves', () => {
  test('[FD-01] their own address with other dots or a suffix opens a case; one like it at another provider does not', async () => {
    const mailbox = aMailbox();
    const client = await aReferrer({ email: `${mailbox}@exemple.fr` });
    await refer(client, { email: `${mailbox.replace('.', '')}+ami@EXEMPLE.fr` });
    expect(await reasonsOf(client)).toEqual(['self_referral email']);
    const other = await aReferrer({ email: `${aMailbox()}@exemple.fr` });
    await refer(other, { email: other.email.replace('exemple.fr', 'autre.fr') });
    await refer(other, { email: other.email.replace('@', 'x@') });
    expect(await reasonsOf(other)).toEqual([]);
  });

  test('[FD-01] their own telephone, however it is written, opens a case; one figure less or too short a number does not', async () => {
    const phone = aPhone();
    const client = await aReferrer({ phone });
    await refer(client, { phone: `+33 (0)${phone.slice(1, 2)} ${phone.slice(2)}` });
    expect(await reasonsOf(client)).toEqual(['self_referral phone']);
    const other = await aReferrer({ phone: '12 34' });
    await refer(other, { phone: '1234' });
    await refer(other, { phone: aPhone() });
    const silent = await aReferrer();
    await refer(silent);
    expect([await reasonsOf(other), await reasonsOf(silent)]).toEqual([[], []]);
  });

  test('[FD-01] their own name without accents or turned round opens a case; a relative’s, or a first name alone, does not', async () => {
    const client = await aReferrer({ fullName: 'Hélène D’Aubigné-Roux' });
    await refer(client, { name: "roux HELENE d'aubigne" });
    expect(await reasonsOf(client)).toEqual(['self_referral name']);
    const other = await aReferrer({ fullName: 'Marc Lenoir' });
    await refer(other, { name: 'Paul Lenoir' });
    const single = await aReferrer({ fullName: 'Zoé' });
    await refer(single, { name: 'Zoé' });
    expect([await reasonsOf(other), await reasonsOf(single)]).toEqual([[], []]);
  });
});

test('[FD-01] a friend who is a client or of the team already opens a case; one who left, or a namesake, does not', async () => {
  const [phone, left] = [aPhone(), aPhone()];
  const known = await aReferrer({ phone, fullName: 'Claire Connue', email: `${aMailbox()}@exemple.fr` });
  const gone = await aReferrer({ phone: left });
  await db.asOwner('update public.profiles set deactivated_at = now() where id = $1', [gone.id]);
  const client = await aReferrer();
  await refer(client, { phone, email: known.email.replace('ami.', 'ami-') });
  expect(await reasonsOf(client)).toEqual(['known_friend email Claire Connue', 'known_friend phone Claire Connue']);
  const other = await aReferrer();
  await refer(other, { phone: left });
  await refer(other, { name: 'Claire Connue' });
  expect(await reasonsOf(other)).toEqual([]);
});

test('[FD-01] a telephone that many share names ten of them', async () => {
  const phone = aPhone();
  for (let n = 0; n < 12; n += 1) await aReferrer({ phone });
  const client = await aReferrer();
  await refer(client, { phone });
  expect(await reasonsOf(client)).toHaveLength(10);
});

test('[FD-01] a commercial who is also a beneficiary opens a case, also when a referral is handed over to them', async () => {
  const phone = aPhone();
  const seller = await aCommercial(db, { fullName: 'Sarah Vendeuse', phone });
  const client = await aReferrer({ phone, fullName: 'Vendeuse Sarah' });
  const sale = await refer(client);
  expect(await reasonsOf(client)).toEqual(['team_referrer phone Sarah Vendeuse']);
  await db.asOwner('update public.sales set commercial_id = $2 where id = $1', [sale.id, seller.id]);
  const [one, ...others] = await casesOf(client);
  expect([one?.reasons, others]).toEqual([
    ['team_referrer name Sarah Vendeuse', 'team_referrer phone Sarah Vendeuse'],
    [],
  ]);
  const namesake = await aReferrer({ fullName: 'Sarah Vendeuse' });
  await refer(namesake);
  expect(await reasonsOf(namesake)).toEqual([]);
});

test('[FD-01] more referrals within an hour than the company finds usual open one case about their client', async () => {
  await setRule('burst', true, 3);
  const client = await aReferrer();
  for (let n = 0; n < 3; n += 1) await refer(client);
  expect(await reasonsOf(client)).toEqual([]);
  for (let n = 0; n < 2; n += 1) await refer(client);
  expect(await reasonsOf(client)).toEqual(['burst number']);
  // A decided one is not opened anew within its hour; what is an hour old is no burst.
  await decide(only(await casesOf(client)), 'cleared');
  await refer(client);
  expect(await casesOf(client)).toHaveLength(1);
  const patient = await aReferrer();
  for (let n = 0; n < 3; n += 1) await refer(patient);
  await db.asOwner(
    `with past as (select set_config('session_replication_role', 'replica', true))
     update public.sales set created_at = now() - interval '61 minutes' from past where friend_referrer_id = $1`,
    [patient.id],
  );
  await refer(patient);
  expect(await reasonsOf(patient)).toEqual([]);
  await setRule('burst', true, 10);
});

test('[FD-01] a friend who writes from the network and the browser of the client opens a case; from one of them alone does not', async () => {
  const device = async (ip: string, agent: string, signedIn = 'now()') => {
    const client = await aReferrer();
    await db.asOwner(
      `insert into auth.sessions (user_id, refresh_key_sealed, ip, user_agent, created_at, refreshed_at)
       values ($1, '\\x00', '198.18.0.7', 'Mozilla/5.0 (Une)', ${signedIn}, ${signedIn})`,
      [client.id],
    );
    const sale = await refer(client);
    await db.become('parrain_service', (run) => run('select private.doubt_device($1, $2, $3)', [sale.id, ip, agent]));
    return reasonsOf(client);
  };
  expect(await device('198.18.0.7', 'Mozilla/5.0 (Une)')).toEqual(['same_device device']);
  expect(await device('198.18.0.8', 'Mozilla/5.0 (Une)')).toEqual([]);
  expect(await device('198.18.0.7', 'Mozilla/5.0 (Autre)')).toEqual([]);
  expect(await device('198.18.0.7', 'Mozilla/5.0 (Une)', `now() - interval '31 days'`)).toEqual([]);
});

describe('a payment request', () => {
  const anEarner = async (details: PersonDetails = {}) => {
    const client = await aReferrer(details);
    await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
    return client;
  };
  const ask = (client: Person, account: string) =>
    db.become(client, (run) =>
      run(
        `select private.request_payment(1, 'virement', jsonb_build_object('iban', $1::text, 'beneficiary_name', 'C. C.'), '\\x01', sha256($1::bytea))`,
        [account],
      ),
    );
  const age = (client: Person, change: string) =>
    db.asOwner(
      `with past as (select set_config('session_replication_role', 'replica', true))
       update public.payee_ibans i set ${change} from past where client_id = $1`,
      [client.id],
    );

  test('[FD-01] to an account that another client is paid on opens a case, with whose it is', async () => {
    const account = randomUUID();
    const [first, second] = [await anEarner({ fullName: 'Prem Ière' }), await anEarner()];
    await ask(first, account);
    await ask(first, account);
    await ask(second, account);
    expect([await reasonsOf(first), await reasonsOf(second)]).toEqual([[], ['shared_iban iban Prem Ière']]);
    await ask(second, randomUUID());
    expect(await reasonsOf(second)).toEqual(['shared_iban iban Prem Ière', 'changed_iban delay']);
  });

  test('[FD-01] within a week of another account opens a case; the first account, a confirmed one and an older one do not', async () => {
    const client = await anEarner();
    await ask(client, 'first');
    expect(await reasonsOf(client)).toEqual([]);
    await ask(client, randomUUID());
    expect(await reasonsOf(client)).toEqual(['changed_iban delay']);

    const careful = await anEarner();
    await ask(careful, randomUUID());
    const replaced = randomUUID();
    await ask(careful, replaced);
    expect(await casesOf(careful)).toHaveLength(1);
    await db.asOwner(
      `select private.confirm_iban(id) from public.payee_ibans where client_id = $1 and usable_from > now()`,
      [careful.id],
    );
    await ask(careful, replaced);
    expect(await casesOf(careful)).toHaveLength(1);

    const late = await anEarner();
    await ask(late, randomUUID());
    const old = randomUUID();
    await ask(late, old);
    await age(late, `created_at = created_at - interval '8 days', usable_from = usable_from - interval '8 days'`);
    await ask(late, old);
    expect(await casesOf(late)).toHaveLength(1);
  });
});

describe('an admin decides', () => {
  const aCase = async () => {
    const phone = aPhone();
    const client = await aReferrer({ phone });
    const sale = await refer(client, { phone });
    return { client, sale, seen: only(await casesOf(client)) };
  };

  test('[FD-01] with a reason, on the case as it was read, and the trail says which rules but nothing of anybody', async () => {
    const { client, seen } = await aCase();
    expect(await outcome(decide(seen, 'cleared', { reason: ' ' }))).toBe('invalid_input');
    expect(await outcome(decide({ ...seen, version: 7 }, 'cleared'))).toBe('case_changed');
    expect(await outcome(decide({ ...seen, id: randomUUID() }, 'cleared'))).toBe('case_not_found');
    expect(await decide(seen, 'confirmed')).toEqual([{ already: false }]);
    expect(await decide(seen, 'confirmed')).toEqual([{ already: true }]);
    expect(await outcome(decide(seen, 'confirmed', { reason: 'Autre.' }))).toBe('case_changed');
    const [confirmed] = await casesOf(client);
    expect(confirmed).toMatchObject({ status: 'confirmed', version: 2 });
    expect(
      only(
        await db.asOwner('select actor_id, reason, before, after from public.audit_entries where entity_id = $1', [
          seen.id,
        ]),
      ),
    ).toEqual({
      actor_id: admin.id,
      reason: 'Vu avec eux.',
      before: { status: 'open' },
      after: { status: 'confirmed', rules: ['self_referral'] },
    });
    // A mistake is made good; what was cleared stays.
    await decide({ id: seen.id, version: 2 }, 'cleared', { reason: 'Je me suis trompé.' });
    expect(await outcome(decide({ id: seen.id, version: 3 }, 'confirmed'))).toBe('case_already_decided');
  });

  test('[FD-01] of several admins at the same instant one decides', async () => {
    const { seen } = await aCase();
    const admins = await Promise.all(Array.from({ length: 5 }, () => anAdmin(db)));
    expect(
      await race(admins.map((who, n) => () => decide(seen, n % 2 === 0 ? 'cleared' : 'confirmed', { who }))),
    ).toEqual({ ok: 1, case_changed: 4 });
  });

  test('[FD-01] « ne plus signaler » silences a rule for two people, not for others and not another rule', async () => {
    const phone = aPhone();
    const mother = await aReferrer({ phone, fullName: 'Mère Dupré', email: `${aMailbox()}@exemple.fr` });
    const son = await aReferrer();
    await refer(son, { phone });
    await decide(only(await casesOf(son)), 'cleared', { isPairCleared: true });
    await refer(son, { phone, email: mother.email.replace('ami.', 'ami-') });
    expect(await casesOf(son)).toHaveLength(1);
    const other = await aReferrer();
    await refer(other, { phone });
    expect(await reasonsOf(other)).toEqual(['known_friend phone Mère Dupré']);
  });

  test('[FD-01] a rule that is off says nothing, and each rule counts what became of its cases', async () => {
    const figures = async (code: string) =>
      only(
        await db.become(admin, (run) =>
          run<{ opened: number; confirmed: number; cleared: number }>(
            'select is_on, opened::int, confirmed::int, cleared::int from public.doubt_rule_figures where code = $1',
            [code],
          ),
        ),
      );
    const before = await figures('self_referral');
    const [one, two] = [await aCase(), await aCase()];
    await aCase();
    await decide(one.seen, 'confirmed');
    await decide(two.seen, 'cleared');
    expect(await figures('self_referral')).toEqual({
      is_on: true,
      opened: before.opened + 3,
      confirmed: before.confirmed + 1,
      cleared: before.cleared + 1,
    });
    await setRule('self_referral', false);
    const phone = aPhone();
    const client = await aReferrer({ phone });
    await refer(client, { phone });
    expect(await casesOf(client)).toEqual([]);
    await setRule('self_referral', true);
    expect(await outcome(setRule('burst', true))).toBe('invalid_input');
    expect(await outcome(setRule('burst', true, 101))).toBe('invalid_input');
    expect(await outcome(setRule('unknown', true))).toBe('invalid_input');
  });

  test('[FD-01] nobody else decides, sets a rule, or reads a word of it', async () => {
    const { client, seen } = await aCase();
    for (const who of [client, commercial]) {
      expect(await outcome(decide(seen, 'cleared', { who }))).toBe('forbidden');
      expect(await outcome(setRule('burst', false, 5, who))).toBe('forbidden');
      for (const table of ['doubtful_cases', 'doubt_reasons', 'doubt_rules', 'doubt_rule_figures']) {
        expect([table, await db.become(who, (run) => run(`select from public.${table}`))]).toEqual([table, []]);
      }
      expect(await outcome(db.become(who, (run) => run('select from private.undoubted_pairs')))).toBe('42501');
    }
    expect(await db.become(client, (run) => run('select from public.notices'))).toEqual([]);
    const told = await db.asOwner('select from private.changes where key = $1', [seen.id]);
    expect(told).toEqual([]);
  });

  test('[FD-01] [P-04] what a case is about never changes, whoever writes', async () => {
    const { client, seen } = await aCase();
    for (const change of [
      `status = 'open'`,
      `payee_id = '${admin.id}', status = 'cleared', version = version + 1`,
      `status = 'cleared'`,
    ]) {
      const sql = `update public.doubtful_cases set ${change} where id = $1`;
      expect([change, await outcome(db.asOwner(sql, [seen.id]))]).toEqual([change, 'forbidden']);
      expect([change, await outcome(db.become(client, (run) => run(sql, [seen.id])))]).toEqual([change, '42501']);
    }
  });

  test('[FD-01] [S-07] a friend who is forgotten takes the case along', async () => {
    const { client } = await aCase();
    const { email } = only(
      await db.asOwner<{ email: string }>(
        'select referred_contact_email as email from public.sales where friend_referrer_id = $1',
        [client.id],
      ),
    );
    await db.asOwner(`select private.opt_out_contact($1, sha256('x'))`, [email]);
    expect(await casesOf(client)).toEqual([]);
  });

  test('[FD-01] [CS-04] the friend of a signed contract who is erased does not', async () => {
    const { client, sale } = await aCase();
    await db.become(commercial, (run) =>
      run(`select private.update_sale_status($1, 'validated', 100, 'Contrat', null)`, [sale.id]),
    );
    await db.asOwner(`select private.erase_contact($1, sha256('y'))`, [sale.id]);
    expect(await casesOf(client)).toHaveLength(1);
  });

  test('[FD-01] [CS-04] a friend who corrects their telephone to the client’s opens a case', async () => {
    const phone = aPhone();
    const client = await aReferrer({ phone });
    const { id } = await refer(client, { phone: aPhone() });
    expect(await reasonsOf(client)).toEqual([]);
    await db.asOwner(`select private.correct_contact($1, 'Ami Nouveau', $2, $3)`, [id, anAddress(), phone]);
    expect(await reasonsOf(client)).toEqual(['self_referral phone']);
  });
});

describe('where the company keeps the money of doubtful cases', () => {
  /** No longer holding waits for another admin (DF-24), which is tried elsewhere. */
  const setHold = async (isHeld: boolean, who = admin): Promise<void> => {
    await db.become(who, (run) => run('select private.set_hold_doubtful($1)', [isHeld]));
    await db.asOwner('update public.company_settings set hold_doubtful = $1', [isHeld]);
  };
  beforeAll(() => setHold(true));
  afterAll(() => setHold(false));

  const validate = (sale: { id: string; version: number }, by: { readonly id: string }) =>
    db.become(admin, (run) => run(asSeen.validate, [sale.id, by.id]));
  /** A client with a case about their sale, whose commission of 10.00 is validated. */
  const aDoubtfulEarner = async (by: { readonly id: string } = scale) => {
    const client = await aReferrer();
    const sale = await aSale(db, {
      commercial,
      friendReferrer: client,
      isReady: true,
      contractAmount: '100.00',
      contactName: client.fullName,
    });
    await validate(sale, by);
    return { client, sale, seen: only(await casesOf(client)) };
  };
  const money = async (client: Person) =>
    only(
      await db.become(client, (run) =>
        run<{ available: string; held: string }>(
          'select available::numeric(14, 2)::text, held::numeric(14, 2)::text from public.client_figures()',
        ),
      ),
    );
  const transfers = async (client: Person) =>
    (
      await db.asOwner<{ entry: string }>(
        `select act || ' ' || debit || ' ' || credit || ' ' || amount as entry from public.ledger_entries where payee_id = $1 order by id`,
        [client.id],
      )
    ).map(({ entry }) => entry);
  const release = () => db.become('parrain_service', (run) => run('select private.release_holds(null, 1000)'));
  const kept = { available: '0.00', held: '10.00' };
  const given = { available: '10.00', held: '0.00' };

  test('[FD-01] it is earned and kept, the client’s and the commercial’s, to the cent, until a case is cleared; every other one’s is not', async () => {
    const ofCommercial = async () =>
      only(
        await db.asOwner<{ held: string; due: string }>(
          `select b.held::text, (select p.due::text from public.commission_periods p where p.payee_id = b.profile_id)
           from public.balances b where b.profile_id = $1`,
          [commercial.id],
        ),
      );
    const plain = await aReferrer();
    await validate(
      await aSale(db, { commercial, friendReferrer: plain, isReady: true, contractAmount: '100.00' }),
      scale,
    );
    expect(await money(plain)).toEqual(given);
    expect((await transfers(commercial)).at(-1)).toBe('validation charged available 50.00');
    const { due } = await ofCommercial();
    const checked = async () =>
      only(await db.become(admin, (run) => run(`select amount::text from public.due_soon() where step = 'checked'`)))[
        'amount'
      ];
    const { client, seen } = await aDoubtfulEarner();
    expect(await money(client)).toEqual(kept);
    await release();
    expect(await money(client)).toEqual(kept);
    expect(await outcome(requestPayment(db, client, '1.00'))).toBe('amount_out_of_range');
    expect(await db.become(client, (run) => run('select is_under_check from public.commission_holds'))).toEqual([
      { is_under_check: true },
    ]);
    // A month owes a commercial nothing of it; of what is due it is a part of its own (UI-08).
    expect(await ofCommercial()).toEqual({ held: '50.00', due });
    expect(await checked()).toBe('60.00');
    await decide(seen, 'cleared');
    expect(await money(client)).toEqual(given);
    expect(await transfers(client)).toEqual(['validation charged held 10.00', 'release held available 10.00']);
    expect((await transfers(commercial)).slice(-2)).toEqual([
      'validation charged held 50.00',
      'release held available 50.00',
    ]);
    expect(await ofCommercial()).toEqual({ held: '0.00', due: (Number(due) + 50).toFixed(2) });
  });

  test('[FD-01] [LG-03] what the scale keeps anyway is kept until its day, whatever is decided before', async () => {
    const patient = await aScale(db, { clientHoldDays: 30, name: 'Patient' });
    const { client, seen } = await aDoubtfulEarner(patient);
    await decide(seen, 'cleared');
    expect(await money(client)).toEqual(kept);
    expect(await transfers(client)).toEqual(['validation charged held 10.00']);
    const { client: other } = await aDoubtfulEarner(patient);
    await db.asOwner(
      `with past as (select set_config('session_replication_role', 'replica', true))
       update public.commission_holds set until = now() - interval '1 second' from past where payee_id = $1`,
      [other.id],
    );
    await release();
    expect(await money(other)).toEqual(kept);
    await db.asOwner(
      `with past as (select set_config('session_replication_role', 'replica', true))
       update public.commission_holds h set until = p.created_at + interval '30 days' from past, public.commission_payments p
       where p.id = h.commission_id and h.payee_id = $1`,
      [other.id],
    );
  });

  test('[FD-01] [LG-04] [S-11] a confirmed case keeps it, through a correction in part, until the correction in whole', async () => {
    const { client, sale, seen } = await aDoubtfulEarner();
    await decide(seen, 'confirmed');
    expect(await money(client)).toEqual(kept);
    const correct = (left: number | null, before: number, fromClient: number, fromCommercial: number) =>
      db.become(admin, (run) =>
        run(`select private.cancel_validation(id, 'Fraude', version, $2, $3, $4, $5) from public.sales where id = $1`, [
          sale.id,
          fromClient,
          fromCommercial,
          left,
          before,
        ]),
      );
    await correct(40, 100, 6, 0);
    expect(await money(client)).toEqual({ available: '0.00', held: '4.00' });
    await correct(null, 40, 4, 50);
    expect(await money(client)).toEqual({ available: '0.00', held: '0.00' });
    expect(await transfers(client)).toEqual([
      'validation charged held 10.00',
      'correction held charged 6.00',
      'correction held charged 4.00',
    ]);
  });

  test('[FD-01] a case about a client keeps all that is validated for them; of two cases both must be cleared', async () => {
    await setRule('burst', true, 1);
    const client = await aReferrer();
    await refer(client);
    await refer(client);
    await setRule('burst', true, 10);
    const sale = await aSale(db, {
      commercial,
      friendReferrer: client,
      isReady: true,
      contractAmount: '100.00',
      contactName: client.fullName,
    });
    await validate(sale, scale);
    const cases = await casesOf(client);
    expect(cases.map(({ reasons }) => reasons)).toEqual([['burst number'], ['self_referral name']]);
    const ofSale = () =>
      db.asOwner(
        `select p.type, h.is_under_check, h.ended_at is not null as is_given from public.commission_holds h
         join public.commission_payments p on p.id = h.commission_id where p.sale_id = $1 order by p.type`,
        [sale.id],
      );
    const both = (state: object) => [
      { type: 'client', ...state },
      { type: 'commercial', ...state },
    ];
    await decide(cases[1] as Case, 'cleared');
    expect(await money(client)).toEqual(kept);
    expect(await ofSale()).toEqual(both({ is_under_check: true, is_given: false }));
    await decide(cases[0] as Case, 'confirmed');
    expect(await money(client)).toEqual(kept);
    await decide({ ...(cases[0] as Case), version: 2 }, 'cleared');
    expect(await money(client)).toEqual(given);
    expect(await ofSale()).toEqual(both({ is_under_check: false, is_given: true }));
  });

  test('[FD-01] [V-16] a validation and decisions at the same instant leave nothing kept, and nothing is given twice', async () => {
    await setRule('burst', true, 1);
    for (let round = 0; round < 4; round += 1) {
      const client = await aReferrer();
      await refer(client);
      await refer(client);
      const sale = await aSale(db, {
        commercial,
        friendReferrer: client,
        isReady: true,
        contractAmount: '100.00',
        contactName: client.fullName,
      });
      const cases = await casesOf(client);
      expect(cases).toHaveLength(2);
      const outcomes = await race([
        () => validate(sale, scale),
        ...cases.map((one) => () => decide(one, 'cleared')),
        release,
      ]);
      expect(outcomes).toEqual({ ok: 4 });
      expect(await money(client)).toEqual(given);
    }
    await setRule('burst', true, 10);
  });

  test('[FD-01] a request in doubt may be refused, and is approved once its case is cleared; its owner is told of a check alone', async () => {
    const account = randomUUID();
    const ask = async (client: Person) =>
      only(
        await db.become(client, (run) =>
          run<{ id: string }>(
            `select id from private.request_payment(1, 'virement', '{"iban":"FR76","beneficiary_name":"C. C."}', '\\x01', sha256($1::bytea))`,
            [account],
          ),
        ),
      ).id;
    const underCheck = async (client: Person) =>
      (await db.become(client, (run) => run<{ id: string }>('select private.own_requests_under_check() as id'))).map(
        ({ id }) => id,
      );
    const [first, second, third] = [await aReferrer(), await aReferrer(), await aReferrer()];
    for (const client of [first, second, third])
      await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
    await ask(first);
    const [request, other] = [await ask(second), await ask(third)];
    expect([await underCheck(first), await underCheck(second)]).toEqual([[], [request]]);
    const approve = () => outcome(db.become(admin, (run) => run(asSeen.decide, [request, 'approved', 'Note'])));
    expect(await approve()).toBe('request_under_check');
    const seen = only(await casesOf(second));
    await decide(seen, 'confirmed');
    expect([await approve(), await underCheck(second)]).toEqual(['request_under_check', [request]]);
    await decide({ ...seen, version: 2 }, 'cleared');
    expect([await underCheck(second), await approve()]).toEqual([[], 'ok']);
    expect(await outcome(db.become(admin, (run) => run(asSeen.decide, [other, 'rejected', 'Fraude'])))).toBe('ok');
    expect(await underCheck(third)).toEqual([]);
    expect(await outcome(underCheck(commercial))).toBe('forbidden');
  });

  test('[FD-01] [P-04] a check begins and ends by its case alone, whoever writes; verify finds one without a case', async () => {
    const { client, seen } = await aDoubtfulEarner();
    for (const change of [
      'ended_at = now()',
      'is_under_check = false, amount = 1',
      'is_under_check = false, ended_at = now()',
    ]) {
      const sql = `update public.commission_holds set ${change} where payee_id = $1`;
      expect([change, await outcome(db.asOwner(sql, [client.id]))]).not.toEqual([change, 'ok']);
      expect([change, await outcome(db.become(client, (run) => run(sql, [client.id])))]).toEqual([change, '42501']);
    }
    for (const who of [client, commercial]) expect(await outcome(setHold(false, who))).toBe('forbidden');
    const owner = await connectAsOwner(db.owner);
    await owner.query('begin; set local session_replication_role = replica');
    await owner.query('delete from public.doubtful_cases where id = $1', [seen.id]);
    const findings = await brokenInvariants(async (sql) => (await owner.query<Record<string, unknown>>(sql)).rows);
    expect(findings.map(({ invariant }) => invariant.id)).toEqual(['I2f']);
    await owner.query('rollback');
    await owner.end();
    await decide(seen, 'cleared');
    const again = `update public.commission_holds set is_under_check = true where payee_id = $1`;
    expect(await outcome(db.asOwner(again, [client.id]))).toBe('forbidden');
  });
});

test('[FD-01] [F-15] [F-16] a doubtful referral is referred, signed and validated as any other', async () => {
  const phone = aPhone();
  const client = await aReferrer({ phone });
  const sale = await aSale(db, {
    commercial,
    friendReferrer: client,
    isReady: true,
    contractAmount: '100.00',
    contactName: client.fullName,
  });
  expect(await reasonsOf(client)).toEqual(['self_referral name']);
  await db.become(admin, (run) =>
    run('select private.validate_sale($1, $2, $3, 100, 10, 50)', [sale.id, scale.id, sale.version]),
  );
  expect(
    await db.become(client, (run) => run('select available::numeric(14, 2)::text from public.client_figures()')),
  ).toEqual([{ available: '10.00' }]);
});
