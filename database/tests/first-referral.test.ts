import { randomInt, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { aClient, aCommercial, aScale, anAdmin, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome, race } from './world.ts';

// CS-02: where the company says so, the first referral of a person counts, and the admin may decide otherwise.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let first: Person;
let second: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  await aScale(db, { isDefault: true });
});
beforeEach(async () => {
  [first, second] = [await aClient(db, { commercial }), await aClient(db)];
  await setMonths(12);
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const setMonths = (months: number | null, who = admin) =>
  db.become(who, (run) => run('select private.set_first_referral_months($1)', [months]));
const anAddress = () => `ami-${randomUUID().slice(0, 8)}@exemple.fr`;
const aPhone = () => `06${String(randomInt(10 ** 8)).padStart(8, '0')}`;
type Referral = { readonly id: string; readonly version: number };
const refer = async (who: Person, email: string | null, phone: string | null = null): Promise<Referral> =>
  only(
    await db.become(who, (run) =>
      run<Referral>(`select id, version from private.invite_friend('Ami', $1, $2, 'Un mot', false)`, [email, phone]),
    ),
  );
/** Records a refusal, as the server does. */
const record = (who: Person, email: string | null, phone: string | null = null) =>
  db.asOwner('select private.record_refused_referral($1, $2, $3)', [who.id, email, phone]);
const refusedOf = (saleId: string, who = admin) =>
  db.become(who, (run) =>
    run<{ client_id: string; tries: number }>('select client_id, tries from private.refused_referrers($1)', [saleId]),
  );
const give = (sale: Referral, to: Person, reason: string | null = 'Il l’avait dit avant.', who = admin) =>
  db.become(who, (run) => run('select private.give_referral($1, $2, $3, $4)', [sale.id, to.id, reason, sale.version]));
const saleOf = async (id: string) =>
  only(await db.asOwner<Record<string, unknown>>('select * from public.sales where id = $1', [id]));

test('[CS-02] [F-15] a friend may have several referrers until the company says that the first one counts', async () => {
  await setMonths(null);
  const email = anAddress();
  await refer(first, email);
  expect(await outcome(refer(second, email))).toBe('ok');
});

test('[CS-02] the same address or telephone, however it is written, is refused to the second referrer alone', async () => {
  const [email, phone] = [anAddress(), aPhone()];
  await refer(first, email, phone);
  expect(await outcome(refer(second, email.toUpperCase()))).toBe('friend_referred_before');
  expect(await outcome(refer(second, email.replace('@', '+essai@')))).toBe('friend_referred_before');
  const written = `+33 (0)${phone.slice(1, 2)}.${phone.slice(2, 6)} ${phone.slice(6)}`;
  expect(await outcome(refer(second, anAddress(), written))).toBe('friend_referred_before');
  expect(await outcome(refer(second, null, phone))).toBe('friend_referred_before');
  expect(await outcome(refer(second, anAddress(), aPhone()))).toBe('ok');
  // Of one’s own referral nothing is new.
  expect(await outcome(refer(first, email))).toBe('friend_already_invited');
});

test('[CS-02] it counts for as many months as the company says, while it is not refused', async () => {
  const email = anAddress();
  const { id } = await refer(first, email);
  const age = (days: number) =>
    db.asOwner(
      `with past as (select set_config('session_replication_role', 'replica', true))
       update public.sales set created_at = now() - make_interval(months => 12) + make_interval(days => $2) from past where id = $1`,
      [id, days],
    );
  await age(1);
  expect(await outcome(refer(second, email))).toBe('friend_referred_before');
  await setMonths(11);
  expect(await outcome(refer(second, email))).toBe('ok');
  await setMonths(12);
  const other = anAddress();
  const refused = await refer(first, other);
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'rejected', null, null, null)`, [refused.id]),
  );
  expect(await outcome(refer(second, other))).toBe('ok');
});

test('[CS-02] of many who refer one person at the same instant one wins', async () => {
  const [email, phone] = [anAddress(), aPhone()];
  const clients = await Promise.all(Array.from({ length: 6 }, () => aClient(db)));
  const count = await race(
    clients.map((client, n) => () => refer(client, n % 2 === 0 ? email : anAddress(), n === 1 ? null : phone)),
  );
  expect(count).toEqual({ ok: 2, friend_referred_before: 4 });
});

test('[CS-02] a refused try is kept for admins alone, and forgotten with the friend', async () => {
  const email = anAddress();
  const sale = await refer(first, email);
  await record(second, email);
  await record(second, email);
  await record(first, email);
  expect(await refusedOf(sale.id)).toEqual([{ client_id: second.id, tries: 2 }]);
  for (const person of [first, second, commercial]) {
    expect(await outcome(refusedOf(sale.id, person))).toBe('forbidden');
  }
  await db.asOwner(`select private.opt_out_contact($1, sha256('x'))`, [email]);
  expect(await refusedOf(sale.id)).toEqual([]);
});

test('[CS-02] the admin gives an open referral to a refused referrer, with a reason, and may give it back', async () => {
  const email = anAddress();
  const sale = await refer(first, email);
  expect(await outcome(give(sale, second))).toBe('client_not_found');
  await record(second, email);
  expect(await outcome(give(sale, second, ' '))).toBe('invalid_input');
  expect(await outcome(give({ ...sale, version: sale.version + 1 }, second))).toBe('sale_changed');
  for (const person of [first, second, commercial]) {
    expect(await outcome(give(sale, second, 'Moi.', person))).toBe('forbidden');
  }
  await give(sale, second);
  expect(await saleOf(sale.id)).toMatchObject({
    friend_referrer_id: second.id,
    commercial_id: commercial.id,
    personal_message: null,
    status: 'pending',
  });
  expect(
    only(
      await db.asOwner(
        'select actor_id, reason, before, after from public.audit_entries where entity_id = $1 order by id desc limit 1',
        [sale.id],
      ),
    ),
  ).toMatchObject({
    actor_id: admin.id,
    reason: 'Il l’avait dit avant.',
    before: { friend_referrer_id: first.id },
    after: { friend_referrer_id: second.id },
  });
  expect(await refusedOf(sale.id)).toEqual([{ client_id: first.id, tries: 1 }]);
  await give({ ...sale, version: sale.version + 1 }, first, 'Une erreur.');
  expect(await saleOf(sale.id)).toMatchObject({ friend_referrer_id: first.id });
});

test('[CS-02] a referral that is decided goes to nobody else, and an open one to nobody who was not refused', async () => {
  const email = anAddress();
  const sale = await refer(first, email);
  await record(second, email);
  const other = await aClient(db);
  const take = (client: Person) =>
    db.asOwner('update public.sales set friend_referrer_id = $2 where id = $1', [sale.id, client.id]);
  expect(await outcome(take(other))).toBe('sale_not_editable');
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'validated', 100, 'Contrat', null)`, [sale.id]),
  );
  const { version } = (await saleOf(sale.id)) as { version: number };
  expect(await outcome(give({ id: sale.id, version }, second))).toBe('sale_not_editable');
  expect(await outcome(take(second))).toBe('sale_not_editable');
});

test('[CS-02] an admin alone sets the months, from 1 to 60', async () => {
  expect(await outcome(setMonths(6, commercial))).toBe('forbidden');
  expect(await outcome(setMonths(0))).toBe('company_settings_first_referral_months_are_some');
  expect(await outcome(setMonths(61))).toBe('company_settings_first_referral_months_are_some');
  expect(await outcome(setMonths(60))).toBe('ok');
});
