import { randomUUID } from 'node:crypto';

import { writingTo } from '@parrain/domain/call-consent';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
import { outcome, race } from './world.ts';

// CS-03: where the company asks for an agreement, who said nothing is written to once, and who said no is not.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  client = await aClient(db, { commercial });
  await requireConsent(true);
});
afterAll(() => db.drop());

const requireConsent = (isRequired: boolean) =>
  db.become(admin, (run) => run('select private.set_require_call_consent($1)', [isRequired]));
const anAddress = () => `ami-${randomUUID().slice(0, 8)}@exemple.fr`;
const aFriend = async () => (await aSale(db, { commercial, friendReferrer: client, contactEmail: anAddress() })).id;
const write = (saleId: string, who = commercial) =>
  db.become(who, (run) => run('select private.write_to_friend($1)', [saleId]));
const answer = (saleId: string, isGiven: boolean) =>
  db.asOwner(`select private.answer_call($1, $2, 'Lu.', '2026-11', '0611223344', 'mailed_link')`, [saleId, isGiven]);
const messagesOf = (saleId: string) =>
  db.asOwner('select written_by from public.friend_messages where sale_id = $1', [saleId]);

test('[CS-03] who said nothing is written to once: the second is refused, and the journal and the screens are told of one', async () => {
  const id = await aFriend();
  expect([await outcome(write(id)), await outcome(write(id))]).toEqual(['ok', 'friend_already_written']);
  expect(await messagesOf(id)).toEqual([{ written_by: commercial.id }]);
  expect(
    await db.asOwner(
      `select actor_id, before, after from public.audit_entries where entity_id = $1 and action = 'write_to_friend'`,
      [id],
    ),
  ).toEqual([{ actor_id: commercial.id, before: {}, after: {} }]);
  expect(
    await db.asOwner(
      `select audience from private.changes where table_name = 'sales' and operation = 'UPDATE' and key = $1`,
      [id],
    ),
  ).toEqual([{ audience: [commercial.id] }]);
});

test('[CS-03] of many at once one is kept', async () => {
  const id = await aFriend();
  expect(await race(Array.from({ length: 8 }, () => () => write(id)))).toEqual({ ok: 1, friend_already_written: 7 });
  expect(await messagesOf(id)).toHaveLength(1);
});

test('[CS-03] who said yes is written to freely, who said no is not; the answer after the message settles it too', async () => {
  const [yes, no, later] = [await aFriend(), await aFriend(), await aFriend()];
  await answer(yes, true);
  await answer(no, false);
  await write(later);
  await answer(later, false);
  expect(await outcome(write(yes))).toBe('friend_written_freely');
  expect(await outcome(write(no))).toBe('friend_declined');
  expect(await outcome(write(later))).toBe('friend_declined');
  await answer(later, true);
  expect(await outcome(write(later))).toBe('friend_written_freely');
  for (const id of [yes, no]) expect(await messagesOf(id)).toEqual([]);
});

test('[CS-03] a company that asks for no agreement, and a customer, have no such message', async () => {
  const id = await aFriend();
  const scale = await aScale(db, { isDefault: true });
  const contract = await aValidatedSale(db, {
    commercial,
    friendReferrer: client,
    contactEmail: anAddress(),
    scale,
    admin,
  });
  expect(await outcome(write(contract.id))).toBe('friend_written_freely');
  await requireConsent(false);
  expect(await outcome(write(id))).toBe('friend_written_freely');
  await requireConsent(true);
  expect(await outcome(write(id))).toBe('ok');
});

test('[CS-03] [P-03] the referral’s own commercial alone writes', async () => {
  const id = await aFriend();
  const other = await aCommercial(db);
  expect(await outcome(write(id, other))).toBe('sale_not_found');
  for (const who of [client, admin]) expect(await outcome(write(id, who))).toBe('forbidden');
  expect(await outcome(write(randomUUID()))).toBe('sale_not_found');
  expect(await messagesOf(id)).toEqual([]);
  await write(id);
  const readBy = (who: Person) =>
    db.become(who, (run) => run('select from public.friend_messages where sale_id = $1', [id]));
  for (const [who, count] of [
    [commercial, 1],
    [admin, 1],
    [other, 0],
    [client, 0],
  ] as const)
    expect(await readBy(who)).toHaveLength(count);
  // A client of theirs follows the referral to its next commercial: it is not written to a second time.
  await db.asOwner('update public.sales set commercial_id = $2 where id = $1', [id, other.id]);
  expect(await outcome(write(id, other))).toBe('friend_already_written');
});

test.each([
  ['« non » to being called', async (id: string) => answer(id, false)],
  [
    '« ne plus me contacter »',
    async (id: string) =>
      db.asOwner(
        `select private.opt_out_contact(s.referred_contact_email, sha256(convert_to(s.referred_contact_email, 'UTF8')))
         from public.sales s where s.id = $1`,
        [id],
      ),
  ],
])(
  '[CS-03] [F-15] after %s nothing leaves that still waits for its turn, but what is not about a referral',
  async (_, sayNo) => {
    const [id, other] = [await aFriend(), await aFriend()];
    const mails = ['friend-message', 'friend-invitation', 'account-invitation'];
    const queueFor = (saleId: string) =>
      db.asOwner<{ id: string }>(
        `insert into private.mails (template, recipient, sealed)
       select t, s.referred_contact_email, '\\x00' from unnest($2::text[]) t, public.sales s where s.id = $1 returning id`,
        [saleId, mails],
      );
    const queued = [...(await queueFor(id)), ...(await queueFor(other))].map((mail) => mail.id);
    await sayNo(id);
    expect(
      await db.asOwner(
        `select template, status, sealed is null as is_forgotten from private.mails
       where id = any ($1) order by array_position($1, id)`,
        [queued],
      ),
    ).toEqual([
      ...mails.map((template) => {
        const isGone = template !== 'account-invitation';
        return { template, status: isGone ? 'withdrawn' : 'queued', is_forgotten: isGone };
      }),
      ...mails.map((template) => ({ template, status: 'queued', is_forgotten: false })),
    ]);
  },
);

test('[CS-03] [CS-04] who has no address, and who was forgotten, is written to no more; what is kept names nobody', async () => {
  const phoneAlone = await aFriend();
  await db.asOwner(
    `update public.sales set referred_contact_email = null, referred_contact_phone = '0611223344' where id = $1`,
    [phoneAlone],
  );
  expect(await outcome(write(phoneAlone))).toBe('friend_without_email');
  const [before, after] = [await aFriend(), await aFriend()];
  await write(after);
  for (const id of [before, after]) {
    await db.asOwner(
      `select private.erase_contact(s.id, sha256(convert_to(s.referred_contact_email, 'UTF8'))) from public.sales s where s.id = $1`,
      [id],
    );
    expect(await outcome(write(id))).toBe('friend_without_email');
  }
  expect(
    await db.asOwner(
      `select to_jsonb(m) - 'written_at' as kept from public.friend_messages m where m.sale_id = any ($1)`,
      [[before, after]],
    ),
  ).toEqual([{ kept: { sale_id: after, written_by: commercial.id } }]);
});

test('[CS-03] a message is never changed and never taken back; it goes with its referral', async () => {
  const id = await aFriend();
  await write(id);
  expect(
    await db.asOwner(
      `select p.privilege from unnest(array['insert', 'update', 'delete', 'truncate']) as p (privilege)
       where has_table_privilege('parrain_service', 'public.friend_messages', p.privilege)`,
    ),
  ).toEqual([{ privilege: 'insert' }]);
  for (const sql of [
    'update public.friend_messages set written_at = now()',
    'delete from public.friend_messages',
    'insert into public.friend_messages (sale_id, written_by) select sale_id, written_by from public.friend_messages',
  ])
    expect(await outcome(db.become(commercial, (run) => run(sql)))).toBe('42501');
  await db.asOwner(`update public.sales set status = 'rejected' where id = $1`, [id]);
  await db.asOwner('delete from public.sales where id = $1', [id]);
  expect(await messagesOf(id)).toEqual([]);
});

test('[CS-03] the domain and the database say the same of how a friend may be written to', async () => {
  const bits = [false, true];
  const cases = [null, false, true].flatMap((said) =>
    bits.flatMap((isConsentRequired) =>
      bits.flatMap((hasContract) => bits.map((isWritten) => ({ said, isConsentRequired, hasContract, isWritten }))),
    ),
  );
  for (const { said, ...rest } of cases) {
    const { how } = only(
      await db.asOwner<{ how: string }>('select private.writing_to($1, $2, $3, $4) as how', [
        said,
        rest.isConsentRequired,
        rest.hasContract,
        rest.isWritten,
      ]),
    );
    expect([said, rest, how]).toEqual([said, rest, writingTo(said, rest)]);
  }
  expect(cases).toHaveLength(24);
});

test.each(['sms', 'email'] as const)(
  '[UI-03] [CS-03] a friend who chose « %s » is not called, and is written to freely, a later « non » to calls included',
  async (channel) => {
    const { id } = await aSale(db, { commercial, friendReferrer: client, contactEmail: anAddress() });
    const choose = (isGiven: boolean) =>
      outcome(
        db.asOwner(
          `insert into public.call_consents (sale_id, is_given, statement, version, place, channel)
           values ($1, $2, 'Choix.', '1', 'public_page', $3)`,
          [id, isGiven, channel],
        ),
      );
    expect(await choose(true)).toBe('call_consents_channel_says_whether_to_call');
    await choose(false);
    expect(await outcome(write(id))).toBe('friend_written_freely');
    await answer(id, false);
    expect(await outcome(write(id))).toBe('friend_written_freely');
    expect(
      await db.asOwner(
        'select is_given, channel, place from public.call_consents where sale_id = $1 order by said_at',
        [id],
      ),
    ).toEqual([
      { is_given: false, channel, place: 'public_page' },
      { is_given: false, channel, place: 'mailed_link' },
    ]);
  },
);

test('[CS-03] [F-11] who wrote may be taken away; that the friend was written to stays', async () => {
  const left = await aCommercial(db);
  const { id } = await aSale(db, { commercial: left, friendReferrer: client, contactEmail: anAddress() });
  await write(id, left);
  await db.asOwner('update public.sales set commercial_id = $1 where id = $2', [commercial.id, id]);
  await db.asOwner('delete from public.profiles where id = $1', [left.id]);
  expect(await messagesOf(id)).toEqual([{ written_by: null }]);
  expect(await outcome(write(id))).toBe('friend_already_written');
});
