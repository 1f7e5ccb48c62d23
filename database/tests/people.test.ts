import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome, race } from './world.ts';

let db: TestDatabase;
let admin: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  await aScale(db, { isDefault: true });
});
afterAll(() => db.drop());

const exists = async (id: string) =>
  only(await db.asOwner<{ is: boolean }>('select exists (select 1 from auth.users where id = $1) as is', [id])).is;
const deleteClient = (who: Person, id: string) =>
  db.become(who, (run) => run<{ name: string }>('select private.delete_client($1) as name', [id]));
const inviteClient = (who: Person, email: string, commercialId: string | null = null) => {
  const id = randomUUID();
  return db
    .become(who, (run) =>
      run(
        `select private.invite_client($1, $2, 'Chloé Durand', null, ' ', null, $3, 'hash', now() + interval '72 hours')`,
        [id, email, commercialId],
      ),
    )
    .then(() => id);
};
const inviteFriend = (who: Person, email = 'ami@exemple.example', message: string | null = null) =>
  db
    .become(who, (run) =>
      run<Record<string, unknown>>(`select s.* from private.invite_friend('Ami', $1, null, $2) s`, [email, message]),
    )
    .then(only);
const profile = async (id: string) =>
  only(await db.asOwner<Record<string, unknown>>('select * from public.profiles where id = $1', [id]));

describe('inviting', () => {
  test('[F-06, V-08] the admin invites a commercial; nobody else does', async () => {
    const invite = (who: Person) =>
      db.become(who, (run) =>
        run(`select private.invite_commercial($1, $2, 'Karim B.', null, 'hash', now() + interval '72 hours')`, [
          randomUUID(),
          `k${randomUUID()}@x.fr`,
        ]),
      );
    expect(await outcome(invite(admin))).toBe('ok');
    const commercial = await aCommercial(db);
    expect(await outcome(invite(commercial))).toBe('forbidden');
    expect(await outcome(invite(await aClient(db, { commercial })))).toBe('forbidden');
  });

  test('[F-13, V-11, P-02] a client whom a commercial invites is theirs, whatever the call says', async () => {
    const commercial = await aCommercial(db);
    const id = await inviteClient(commercial, `c${randomUUID()}@x.fr`);
    expect(await profile(id)).toMatchObject({
      role: 'client',
      commercial_id: commercial.id,
      company: null,
      notes: null,
    });
    const colleague = await aCommercial(db);
    expect(await outcome(inviteClient(commercial, `c${randomUUID()}@x.fr`, colleague.id))).toBe('forbidden');
    expect(await profile(await inviteClient(admin, `c${randomUUID()}@x.fr`, colleague.id))).toMatchObject({
      commercial_id: colleague.id,
    });
    expect(await outcome(inviteClient(admin, `c${randomUUID()}@x.fr`, admin.id))).toBe('commercial_not_found');
    expect(await outcome(inviteClient(await aClient(db), `c${randomUUID()}@x.fr`))).toBe('forbidden');
  });

  test('[F-13] an address has one account, even asked for twice at the same instant, in capitals or not', async () => {
    const commercial = await aCommercial(db);
    const count = await race(
      ['Lea@x.fr', 'lea@x.fr', 'LEA@X.FR'].map((email) => () => inviteClient(commercial, email)),
    );
    expect(count).toEqual({ ok: 1, email_taken: 2 });
  });

  test('[F-15, S-07, CL-03] inviting a friend creates an open referral with the client’s commercial', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    expect(await inviteFriend(client, 'Paul@Exemple.example', 'Bonjour')).toMatchObject({
      status: 'pending',
      commercial_id: commercial.id,
      friend_referrer_id: client.id,
      client_referrer_id: null,
      referred_contact_email: 'paul@exemple.example',
      personal_message: 'Bonjour',
      ready_for_validation: false,
    });
    expect(await outcome(inviteFriend(client, client.email.toUpperCase()))).toBe('self_referral');
    expect(await outcome(inviteFriend(client, 'a@b.fr', 'x'.repeat(501)))).toBe('sales_personal_message_is_a_text');
    expect(await outcome(inviteFriend(commercial))).toBe('forbidden');
  });
});

describe('deleting a client', () => {
  test('[V-13, CO-07] a client with nothing is removed, with what concerns them alone', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial, fullName: 'Léa Petit' });
    await aSale(db, { commercial, friendReferrer: client, status: 'rejected' });
    expect(only(await deleteClient(commercial, client.id)).name).toBe('Léa Petit');
    expect(await exists(client.id)).toBe(false);
    expect(await db.asOwner('select id from public.sales where friend_referrer_id = $1', [client.id])).toEqual([]);
  });

  test('[V-13] a client stays who brought revenue, or to whom a commission, a request or a live referral holds', async () => {
    const commercial = await aCommercial(db);
    const mine = { commercial };
    const withRevenue = await aClient(db, mine);
    await aValidatedSale(db, { ...mine, friendReferrer: withRevenue, admin });
    expect(await outcome(deleteClient(commercial, withRevenue.id))).toBe('client_has_revenue');

    const signed = await aClient(db, mine);
    await aSale(db, { ...mine, friendReferrer: signed, status: 'validated', isReady: true });
    expect(await outcome(deleteClient(commercial, signed.id))).toBe('client_has_revenue');

    const corrected = await aClient(db, mine);
    const sale = await aValidatedSale(db, { ...mine, friendReferrer: corrected, admin });
    await db.become(admin, (run) => run(asSeen.cancel, [sale.id, 'Erreur']));
    expect(await outcome(deleteClient(commercial, corrected.id))).toBe('client_has_commission');

    const live = await aClient(db, mine);
    await inviteFriend(live);
    expect(await outcome(deleteClient(commercial, live.id))).toBe('client_has_live_referral');
    for (const client of [withRevenue, signed, corrected, live]) expect(await exists(client.id)).toBe(true);
  });

  test('[V-13, P-02] neither somebody else’s client, nor an admin, nor a commercial is deleted that way', async () => {
    const stranger = await aClient(db);
    const commercial = await aCommercial(db);
    expect(await outcome(deleteClient(commercial, stranger.id))).toBe('client_not_found');
    expect(await outcome(deleteClient(admin, commercial.id))).toBe('client_not_found');
    expect(await outcome(deleteClient(admin, admin.id))).toBe('client_not_found');
    expect(await outcome(deleteClient(stranger, stranger.id))).toBe('forbidden');
    expect(await outcome(deleteClient(admin, stranger.id))).toBe('ok');
  });

  test('[V-13] deleting during a validation: one or the other, never a commission without a payee', async () => {
    for (let round = 0; round < 10; round += 1) {
      const commercial = await aCommercial(db);
      const client = await aClient(db, { commercial });
      const sale = await aSale(db, { commercial, friendReferrer: client, isReady: true });
      await race([
        () => deleteClient(commercial, client.id),
        () => db.become(admin, (run) => run(asSeen.validate, [sale.id, null])),
        () => inviteFriend(client),
      ]);
      const orphans = await db.asOwner(
        `select 1 from public.sales s where s.admin_validated and not exists (select 1 from public.profiles p where p.id = s.friend_referrer_id) and s.friend_referrer_id is not null`,
      );
      expect(orphans).toEqual([]);
      expect(await exists(client.id)).toBe(true);
    }
  });

  test('[V-13] deleting a client who invites: the referral exists with its client, or neither does', async () => {
    for (let round = 0; round < 10; round += 1) {
      const commercial = await aCommercial(db);
      const client = await aClient(db, { commercial });
      await race([() => deleteClient(commercial, client.id), () => inviteFriend(client)]);
      const [{ n } = { n: -1 }] = await db.asOwner<{ n: number }>(
        'select count(*)::int as n from public.sales where friend_referrer_id = $1',
        [client.id],
      );
      expect(n).toBe((await exists(client.id)) ? 1 : 0);
    }
  });
});

describe('a client’s commercial', () => {
  test('[AD-06] the admin changes the commercial: open referrals follow, validated ones stay', async () => {
    const [before, after] = [await aCommercial(db), await aCommercial(db)];
    const client = await aClient(db, { commercial: before });
    const open = await aSale(db, { commercial: before, friendReferrer: client });
    const done = await aValidatedSale(db, { commercial: before, friendReferrer: client, admin });
    const signed = await aSale(db, { commercial: before, friendReferrer: client, status: 'validated', isReady: true });
    await db.become(admin, (run) =>
      run(`select private.update_client($1, 'Nom', null, null, null, $2)`, [client.id, after.id]),
    );
    const rows = await db.asOwner<{ id: string; commercial_id: string }>(
      'select id, commercial_id from public.sales where friend_referrer_id = $1',
      [client.id],
    );
    const of = (id: string) => rows.find((row) => row.id === id)?.commercial_id;
    expect([of(open.id), of(signed.id), of(done.id)]).toEqual([after.id, after.id, before.id]);
    const update = (who: Person) =>
      db.become(who, (run) => run(`select private.update_client($1, 'Autre', null, null, null, null)`, [client.id]));
    expect(await outcome(update(before))).toBe('client_not_found');
    expect(await outcome(update(after))).toBe('ok');
    expect(await profile(client.id)).toMatchObject({ full_name: 'Autre', commercial_id: after.id });
  });
});

describe('a client assigned among many', () => {
  const assign = (who: Person, ...parameters: readonly unknown[]) =>
    db
      .become(who, (run) =>
        run<{ moved: string[] }>('select private.assign_client($1, $2, $3, $4) as moved', [...parameters]),
      )
      .then((rows) => only(rows).moved);

  test('[NV-04] [NV-09] they leave with their open referrals, and come back with those alone; nobody but an admin, and as seen', async () => {
    const [before, after] = [await aCommercial(db), await aCommercial(db)];
    const client = await aClient(db, { commercial: before });
    const open = await aSale(db, { commercial: before, friendReferrer: client });
    const theirs = await aSale(db, { commercial: after, friendReferrer: client });
    const done = await aValidatedSale(db, { commercial: before, friendReferrer: client, admin });
    for (const who of [before, client])
      expect(await outcome(assign(who, client.id, after.id, before.id, null))).toBe('forbidden');
    expect(await outcome(assign(admin, client.id, after.id, after.id, null))).toBe('client_changed');
    expect(await outcome(assign(admin, client.id, after.id, null, null))).toBe('client_changed');
    expect(await outcome(assign(admin, client.id, client.id, before.id, null))).toBe('commercial_not_found');
    expect(await outcome(assign(admin, before.id, after.id, null, null))).toBe('client_not_found');

    const moved = await assign(admin, client.id, after.id, before.id, null);
    expect(moved).toEqual([open.id]);
    expect(await outcome(assign(admin, client.id, before.id, before.id, null))).toBe('client_changed');
    // Sales that were with the other commercial before stay there on the way back.
    expect(await assign(admin, client.id, before.id, after.id, moved)).toEqual([open.id]);
    const rows = await db.asOwner<{ id: string; commercial_id: string }>(
      'select id, commercial_id from public.sales where friend_referrer_id = $1',
      [client.id],
    );
    const of = (id: string) => rows.find((row) => row.id === id)?.commercial_id;
    expect([of(open.id), of(theirs.id), of(done.id)]).toEqual([before.id, after.id, before.id]);
    expect(await profile(client.id)).toMatchObject({ commercial_id: before.id });
    expect(await assign(admin, client.id, before.id, before.id, null)).toEqual([]);
  });
});

describe('removing a commercial', () => {
  const remove = (id: string, to: string | null = null) =>
    db
      .become(admin, (run) =>
        run<{ outcome: string }>('select outcome from private.remove_commercial($1, $2)', [id, to]),
      )
      .then((rows) => only(rows).outcome);

  test('[AD-05] without a client or a sale a commercial is removed', async () => {
    const commercial = await aCommercial(db);
    expect(await remove(commercial.id)).toBe('removed');
    expect(await exists(commercial.id)).toBe(false);
  });

  test('[AD-05] with clients a commercial is deactivated, everything is kept, their sessions end', async () => {
    const commercial = await aCommercial(db);
    const client = await aClient(db, { commercial });
    expect(await remove(commercial.id)).toBe('deactivated');
    expect(await profile(client.id)).toMatchObject({ commercial_id: commercial.id });
    expect(await outcome(db.become(commercial, (run) => run('select 1')))).toBe('session_expired');
    await db.become(admin, (run) => run('select private.reactivate_commercial($1)', [commercial.id]));
    expect(await profile(commercial.id)).toMatchObject({ deactivated_at: null });
  });

  test('[AD-05] their clients and open referrals go to another first', async () => {
    const [leaving, staying] = [await aCommercial(db), await aCommercial(db)];
    const client = await aClient(db, { commercial: leaving });
    const open = await aSale(db, { commercial: leaving, friendReferrer: client });
    await aValidatedSale(db, { commercial: leaving, friendReferrer: client, admin });
    expect(await remove(leaving.id, staying.id)).toBe('deactivated');
    expect(await profile(client.id)).toMatchObject({ commercial_id: staying.id });
    expect(
      only(
        await db.asOwner<{ commercial_id: string }>('select commercial_id from public.sales where id = $1', [open.id]),
      ).commercial_id,
    ).toBe(staying.id);
    expect(await outcome(remove(staying.id, staying.id))).toBe('commercial_not_found');
    expect(await outcome(remove(client.id))).toBe('commercial_not_found');
  });

  test('[P-01] nobody else can', async () => {
    const [one, two] = [await aCommercial(db), await aCommercial(db)];
    for (const who of [one, await aClient(db)]) {
      expect(await outcome(db.become(who, (run) => run('select private.remove_commercial($1)', [two.id])))).toBe(
        'forbidden',
      );
    }
  });
});

describe('a mail’s record', () => {
  test.each([
    ['a client who is deleted', 'delete from auth.users where email = $1'],
    ['a client whose account is closed', 'update public.profiles set deactivated_at = now() where email = $1'],
    [
      'a friend who is forgotten',
      'update public.sales set referred_contact_email = null where referred_contact_email = $1',
    ],
  ])('[TM-04] names %s no more, and keeps no text that failed', async (_, forget) => {
    const email = `oubli-${randomUUID().slice(0, 8)}@exemple.fr`;
    const isFriend = forget.includes('referred_contact_email');
    await (isFriend ? aSale(db, { contactEmail: email }) : aClient(db, { email }));
    const mails = await db.asOwner<{ id: string }>(
      `insert into private.mails (template, recipient, sealed, status, is_secret)
       select 'notice', $1, '\\x00', s, false from unnest('{queued,failed}'::text[]) s returning id`,
      [email],
    );
    await db.asOwner(forget, [email]);
    expect(
      await db.asOwner(
        'select status, recipient, sealed is not null as has_text from private.mails where id = any ($1) order by status',
        [mails.map(({ id }) => id)],
      ),
    ).toEqual([
      { status: 'failed', recipient: null, has_text: false },
      { status: 'queued', recipient: null, has_text: true },
    ]);
  });
});

test.each([
  ['an address', `referred_contact_email = 'ami-note@exemple.fr'`],
  ['a telephone alone', `referred_contact_phone = '06 11 22 33 44'`],
])('[CS-04] what a commercial noted of a friend with %s goes when the friend is forgotten', async (_, contact) => {
  const commercial = await aCommercial(db);
  const sale = await aSale(db, { commercial });
  await db.asOwner(`update public.sales set ${contact} where id = $1`, [sale.id]);
  await db.become(commercial, (run) => run(`select private.keep_follow_up($1, 'Aime les roses', null)`, [sale.id]));
  const notes = () => db.asOwner('select private_note from public.follow_ups where sale_id = $1', [sale.id]);
  expect(await notes()).toEqual([{ private_note: 'Aime les roses' }]);
  await db.asOwner(
    'update public.sales set referred_contact_email = null, referred_contact_phone = null where id = $1',
    [sale.id],
  );
  expect(await notes()).toEqual([]);
});

test('[TM-03] a closed account keeps no notice, whoever closes it', async () => {
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial });
  const sale = await aSale(db, { commercial, friendReferrer: client });
  await db.asOwner(`insert into public.notices (recipient_id, kind, sale_id) values ($1, 'referral_contacted', $2)`, [
    client.id,
    sale.id,
  ]);
  await db.asOwner('update public.profiles set deactivated_at = now() where id = $1', [client.id]);
  expect(await db.asOwner('select kind from public.notices where recipient_id = $1', [client.id])).toEqual([]);
});

test('[FX-04] an address that was proven proves nothing of the one that takes its place', async () => {
  const client = await aClient(db, { commercial: await aCommercial(db) });
  const isProven = async () =>
    only(
      await db.asOwner<{ is: boolean }>('select email_proven_at is not null as is from auth.users where id = $1', [
        client.id,
      ]),
    ).is;
  await db.asOwner('update auth.users set email_proven_at = now() where id = $1', [client.id]);
  await db.asOwner('update auth.users set last_sign_in_at = now() where id = $1', [client.id]);
  expect(await isProven()).toBe(true);
  await db.asOwner(`update auth.users set email = 'autre-boite@exemple.fr' where id = $1`, [client.id]);
  expect(await isProven()).toBe(false);
});
