import { readFile } from 'node:fs/promises';
import path from 'node:path';

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { addressForm, mailboxOf } from '@parrain/domain/email-address';
import { phoneOf } from '@parrain/domain/phone';
import { isVisible, withoutInvisible } from '@parrain/domain/visible-text';

import { aClient, aSale, anAdmin, createTestDatabase, only } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** Reads the texts by a function of the database, and expects what the domain makes of them. */
async function expectTheSame(name: string, texts: readonly string[], domain: (text: string) => unknown): Promise<void> {
  const { made } = only(
    await db.asOwner<{ made: unknown[] }>(
      `select array_agg(private.${name}(t.text) order by t.place) as made from unnest($1::text[]) with ordinality t (text, place)`,
      [texts],
    ),
  );
  const differing = texts
    .map((text, at) => ({ text, domain: domain(text), database: made[at] }))
    .filter((one) => one.domain !== one.database);
  expect(differing.slice(0, 5)).toEqual([]);
}

/** Every character that may stand in a text of the database. */
const characters = Array.from({ length: 0x10ffff }, (_, at) => at + 1)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));

test('[DF-30] the database takes away the same invisible characters as the domain', { tags: 'long' }, async () => {
  await expectTheSame(
    'without_invisible',
    characters.map((character) => `a${character}b`),
    withoutInvisible,
  );
});

test('[DF-38] what the domain sees, the database sees', async () => {
  await expectTheSame('is_visible', characters.filter(isVisible), () => true);
  await expectTheSame('is_visible', ['', ' ', '\u200b', '\u3164\u2800', '\u00a0\u0301'], () => false);
});

test('[DF-30] an address has one form and one mailbox in the domain and in the database', async () => {
  // Latin, Cyrillic and Han. « İ » has no lower case of its own, and « ı » shares its capital with « i ».
  const letters = characters.filter((one) => /[ß-ěĝ-įĲ-ſƀ-ɏа-џ一-龿]/u.test(one) && !/[İı]/u.test(one));
  const label = fc
    .array(fc.oneof(fc.constantFrom(...letters), fc.constantFrom('a', 'B', '0', 'e\u0301', '\u00ad', '\u200b')), {
      minLength: 1,
      maxLength: 9,
    })
    .map((drawn) => drawn.join(''))
    // A label that URL refuses stays as it is typed there, and no form takes it.
    .filter((one) => URL.canParse(`http://${one}.fr`) && withoutInvisible(one) !== '');
  const name = fc.stringMatching(/^[A-Za-z.+_ｊｅａｎ＋\u200b-]{1,9}$/u);
  const domain = fc.oneof(
    fc.constantFrom('Gmail.com', 'googlemail.com', 'ｇmail.com'),
    label.map((one) => `${one}.FR`),
  );
  const drawn = fc.sample(fc.tuple(name, domain), 4000).map(([left, right]) => ` ${left}@${right}\u00a0`);
  await expectTheSame('address_of', drawn, addressForm);
  await expectTheSame('mailbox_of', drawn, mailboxOf);
});

test('[DF-36] a number has one form in the domain and in the database', async () => {
  const part = fc.constantFrom(
    '+33',
    '(+33)',
    '33',
    '0033',
    '+262',
    '262',
    '0692',
    '06',
    '0',
    '(0)',
    '+44',
    '+39',
    '+508',
    '0508',
    '６',
  );
  const gap = fc.constantFrom('', ' ', '\u00a0', '\u2011', '.', '\u202a');
  const drawn = fc
    .sample(
      fc.tuple(fc.array(fc.tuple(part, gap), { minLength: 1, maxLength: 3 }), fc.stringMatching(/^\d{2,11}$/u)),
      4000,
    )
    .map(([parts, digits]) => parts.flat().join('') + digits);
  await expectTheSame('phone_of', [...drawn, '', '+', '06+12'], phoneOf);
});

test('[DF-30] who said no by one writing of an address said no by all: referrals end, waiting mails leave no more', async () => {
  const sale = await aSale(db);
  const other = await aSale(db);
  await db.asOwner(`update public.sales set referred_contact_email = 'jean.dupont+a@gmail.com' where id = $1`, [
    sale.id,
  ]);
  await db.asOwner(`update public.sales set referred_contact_email = 'jean.durand@gmail.com' where id = $1`, [
    other.id,
  ]);
  const mails = ['Jean.Dupont@gmail.com', 'jean.durand@gmail.com'].map((to) => to.toLowerCase());
  await db.asOwner(
    `insert into private.mails (id, template, recipient, is_secret, sealed)
     select gen_random_uuid(), 'friend-invitation', m, false, '\\x00' from unnest($1::text[]) m`,
    [mails],
  );
  await db.asOwner(`select private.opt_out_contact('jeandupont@gmail.com', sha256('a'))`);
  const rows = await db.asOwner(
    'select referred_contact_email as email, status from public.sales where id = any($1) order by status',
    [[sale.id, other.id]],
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { email: null, status: 'rejected' },
      expect.objectContaining({ email: 'jean.durand@gmail.com' }),
    ]),
  );
  expect(await db.asOwner('select recipient, status from private.mails order by recipient')).toEqual([
    { recipient: 'jean.dupont@gmail.com', status: 'withdrawn' },
    { recipient: 'jean.durand@gmail.com', status: 'queued' },
  ]);
});

test('[DF-38] nobody is called by invisible characters alone', async () => {
  const client = await aClient(db);
  const rename = (name: string) =>
    outcome(
      db.become(client, (run) => run('update public.profiles set full_name = $1 where id = $2', [name, client.id])),
    );
  expect(await rename('\u200b\u3164')).toContain('profiles_full_name_is_a_name');
  expect(await rename('李')).toBe('ok');
});

test('[DF-30] an account taken as it was pasted gets the one form of its address when the schema is brought up', async () => {
  const admin = await anAdmin(db);
  const pasted = await aClient(db);
  const taken = await aClient(db);
  const holder = await aClient(db);
  const write = async (id: string, email: string) => {
    await db.asOwner('update auth.users set email = $2 where id = $1', [id, email]);
    await db.asOwner('update public.profiles set email = $2 where id = $1', [id, email]);
  };
  await write(pasted.id, 'jean\u200b@café.fr');
  await write(taken.id, 'lu\u00adcie@exemple.fr');
  await write(holder.id, 'lucie@exemple.fr');
  const migration = await readFile(
    path.join(import.meta.dirname, '../migrations/0720-one-form-of-an-address-and-a-number.sql'),
    'utf8',
  );
  await db.asOwner(migration.slice(migration.indexOf('do $$')));
  const email = async (id: string) =>
    only(
      await db.asOwner<{ account: string; profile: string }>(
        'select u.email as account, p.email as profile from auth.users u join public.profiles p using (id) where id = $1',
        [id],
      ),
    );
  expect(await email(pasted.id)).toEqual({ account: 'jean@xn--caf-dma.fr', profile: 'jean@xn--caf-dma.fr' });
  expect(await email(taken.id)).toEqual({ account: 'lu\u00adcie@exemple.fr', profile: 'lu\u00adcie@exemple.fr' });
  expect((await email(admin.id)).account).toMatch(/@/u);
});
