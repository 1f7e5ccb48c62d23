import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  aValidatedSale,
  anAdmin,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome, race } from './world.ts';

// CS-04: a contact without contract is forgotten in time, after the admins read who will be.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  client = await aClient(db, { commercial });
  scale = await aScale(db, { isDefault: true });
});
beforeEach(async () => {
  await db.asOwner('delete from private.announced_erasures');
  await replica(`update public.sales set updated_at = now()`);
  await setMonths(36);
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const anAddress = () => `ami-${randomUUID().slice(0, 8)}@exemple.fr`;
/** Writes the past, where no guard sets the time. */
const replica = (sql: string, values: readonly unknown[] = []) =>
  db.asOwner(
    `with past as (select set_config('session_replication_role', 'replica', true)) ${sql.replace(/( where |$)/u, ' from past$1')}`,
    values,
  );
const setMonths = (months: number, who = admin) =>
  db.become(who, (run) => run('select private.set_contact_months($1)', [months]));
async function aContact(months: number, days = 0): Promise<string> {
  const { id } = await aSale(db, { commercial, friendReferrer: client, contactEmail: anAddress() });
  await age(id, months, days);
  return id;
}
const age = (id: string, months: number, days = 0) =>
  replica(`update public.sales set updated_at = now() - make_interval(months => $2, days => $3) where id = $1`, [
    id,
    months,
    days,
  ]);
const announce = async () => only(await db.asOwner<{ n: number }>('select private.announce_erasures() as n')).n;
const erase = async (most = 200) =>
  only(await db.asOwner<{ n: number }>('select private.erase_announced($1) as n', [most])).n;
/** The announced day comes. */
const comeDue = () => db.asOwner('update private.announced_erasures set erase_on = private.today()');
const listed = async (who = admin) =>
  (await db.become(who, (run) => run<{ sale_id: string }>('select sale_id from private.contacts_to_erase()'))).map(
    ({ sale_id }) => sale_id,
  );
const keep = (id: string, reason: string | null = 'Un devis est promis', who = admin) =>
  db.become(who, (run) => run('select private.keep_contact($1, $2)', [id, reason]));
const saleOf = async (id: string) =>
  only(await db.asOwner<Record<string, unknown>>('select * from public.sales where id = $1', [id]));

test('[CS-04] who was not heard of for the company’s months is announced thirty days before, to admins alone, once', async () => {
  const old = await aContact(36);
  const soon = await aContact(36, -29);
  const young = await aContact(36, -31);
  expect(await announce()).toBe(2);
  expect((await listed()).toSorted()).toEqual([old, soon].toSorted());
  expect(await announce()).toBe(0);
  expect(await saleOf(young)).toMatchObject({ status: 'pending' });
  for (const person of [commercial, client]) expect(await outcome(listed(person))).toBe('forbidden');
  expect(
    await db.asOwner(
      `select recipient_id from public.notices where kind = 'contacts_to_erase' and sale_id in ($1, $2)`,
      [old, soon],
    ),
  ).toEqual([{ recipient_id: admin.id }]);
  expect(
    only(
      await db.asOwner(`select erase_on - private.today() as days from private.announced_erasures where sale_id = $1`, [
        old,
      ]),
    ),
  ).toEqual({ days: 30 });
});

test('[CS-04] on its day and not before an announced contact is forgotten: it ends, nobody is told, the next name may come', async () => {
  const id = await aContact(37);
  await announce();
  expect(await erase()).toBe(0);
  expect(await saleOf(id)).toMatchObject({ status: 'pending' });
  await comeDue();
  expect(await erase()).toBe(1);
  expect(await saleOf(id)).toMatchObject({
    status: 'rejected',
    rejection_reason: 'Contact effacé : sans nouvelles depuis longtemps',
    referred_contact_name: 'Contact effacé',
    referred_contact_email: null,
    referred_contact_phone: null,
    personal_message: null,
    commercial_notes: null,
  });
  expect(await listed()).toEqual([]);
  expect(
    await db.asOwner(`select from public.notices where sale_id = $1 and recipient_id = $2`, [id, client.id]),
  ).toEqual([]);
  // Forgotten is not refused: nobody said no.
  expect(await db.asOwner('select from private.opted_out')).toEqual([]);
  await comeDue();
  expect([await erase(), await announce()]).toEqual([0, 0]);
});

test('[CS-04] a contract, signed or validated, is never forgotten; a referral that was refused is', async () => {
  const signed = (
    await aSale(db, { commercial, friendReferrer: client, contactEmail: anAddress(), scale, isReady: true })
  ).id;
  const validated = (
    await aValidatedSale(db, { commercial, friendReferrer: client, contactEmail: anAddress(), scale, admin })
  ).id;
  const refused = await aContact(0);
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'rejected', null, null, null)`, [refused]),
  );
  for (const id of [signed, validated, refused]) await age(id, 60);
  expect(await announce()).toBe(1);
  expect(await listed()).toEqual([refused]);
});

test('[CS-04] an answer, a note, a day to call back and a move are news: none is announced, and who was announced is no more', async () => {
  const [answered, noted, called, moved] = [
    await aContact(40),
    await aContact(40),
    await aContact(40),
    await aContact(40),
  ];
  const silent = await aContact(40);
  expect(await announce()).toBe(5);
  await db.asOwner(
    `insert into public.call_consents (sale_id, is_given, statement, version, place) values ($1, false, 'Non.', '2026-11', 'mailed_link')`,
    [answered],
  );
  const { day } = only(await db.asOwner<{ day: string }>('select (private.today() + 40)::text as day'));
  const follow = (id: string, note: string | null, on: string | null) =>
    db.become(commercial, (run) => run(`select private.keep_follow_up($1, $2, $3::date)`, [id, note, on]));
  await follow(noted, 'À revoir', null);
  await follow(called, null, day);
  await db.asOwner(`update public.follow_ups set updated_at = now() - interval '40 months' where sale_id = $1`, [
    called,
  ]);
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'contacted', null, null, null)`, [moved]),
  );
  await comeDue();
  expect(await erase()).toBe(1);
  expect(await saleOf(silent)).toMatchObject({ referred_contact_name: 'Contact effacé' });
  for (const id of [answered, noted, called, moved]) {
    expect((await saleOf(id))['referred_contact_name']).not.toBe('Contact effacé');
  }
  expect([await listed(), await announce()]).toEqual([[], 0]);
});

test('[CS-04] an admin keeps one with a reason: it has as long again, and the journal says who and why', async () => {
  const id = await aContact(50);
  await announce();
  for (const person of [commercial, client]) expect(await outcome(keep(id, 'Moi', person))).toBe('forbidden');
  expect(await outcome(keep(id, ' '))).toBe('invalid_input');
  await keep(id);
  expect(await outcome(keep(id))).toBe('contact_not_announced');
  await comeDue();
  expect([await listed(), await erase(), await announce()]).toEqual([[], 0, 0]);
  expect(
    only(
      await db.asOwner(
        'select actor_id, action, reason from public.audit_entries where entity_id = $1 order by id desc limit 1',
        [id],
      ),
    ),
  ).toEqual({ actor_id: admin.id, action: 'keep_contact', reason: 'Un devis est promis' });
  await db.asOwner(`update private.announced_erasures set kept_at = now() - interval '36 months' where sale_id = $1`, [
    id,
  ]);
  expect(await announce()).toBe(1);
  expect(await listed()).toEqual([id]);
});

test('[CS-04] the company’s months are 36 by default, from 6 to 36, an admin’s to set; longer again, the list empties', async () => {
  expect(only(await db.asOwner('select contact_months from public.company_settings'))).toEqual({ contact_months: 36 });
  for (const months of [5, 37])
    expect(await outcome(setMonths(months))).toBe('company_settings_contact_months_are_bounded');
  for (const person of [commercial, client]) expect(await outcome(setMonths(12, person))).toBe('forbidden');
  const id = await aContact(12);
  expect(await announce()).toBe(0);
  await setMonths(12);
  expect(await announce()).toBe(1);
  await setMonths(36);
  await comeDue();
  expect([await erase(), await listed()]).toEqual([0, []]);
  expect(await saleOf(id)).toMatchObject({ status: 'pending' });
});

test('[CS-04] two nodes at once forget each contact once, batch by batch', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) ids.push(await aContact(40));
  expect(await announce()).toBe(6);
  await comeDue();
  expect(await race([() => erase(3), () => erase(3)])).toEqual({ ok: 2 });
  let left = await listed();
  while (left.length > 0) {
    await erase(2);
    left = await listed();
  }
  const names = await Promise.all(ids.map(async (id) => (await saleOf(id))['referred_contact_name']));
  expect(names).toEqual(ids.map(() => 'Contact effacé'));
});
