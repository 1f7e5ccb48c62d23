import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, createTestDatabase, only } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// Rules that triggers keep for every writer, even past the server.

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test('[AU-17] who has a verified factor is known to have one, as long as it is there', async () => {
  const person = await aClient(db);
  const has = async (): Promise<boolean> =>
    only(
      await db.asOwner<{ has: boolean }>('select has_verified_factor as has from auth.users where id = $1', [
        person.id,
      ]),
    ).has;
  const { id } = only(
    await db.asOwner<{ id: string }>(
      `insert into auth.factors (user_id, friendly_name, factor_type, secret_sealed, status)
       values ($1, 'Téléphone', 'totp', '\\x00', 'unverified') returning id`,
      [person.id],
    ),
  );
  expect(await has()).toBe(false);
  await db.asOwner(`update auth.factors set status = 'verified' where id = $1`, [id]);
  expect(await has()).toBe(true);
  await db.asOwner(`update auth.sessions set aal = 'aal2' where id = $1`, [person.sessionId]);
  await db.asOwner('delete from auth.factors where id = $1', [id]);
  expect(await has()).toBe(false);
  expect(await db.asOwner('select aal from auth.sessions where id = $1', [person.sessionId])).toEqual([
    { aal: 'aal1' },
  ]);
});

test('[AU-16] an identity that only claims an address loses it when its holder confirms it', async () => {
  const person = await aClient(db);
  await db.asOwner('update auth.users set email_confirmed_at = null, invited_at = null where id = $1', [person.id]);
  await db.asOwner(
    `insert into auth.identities (user_id, provider, provider_id, identity_data)
     values ($1, 'google', $2, jsonb_build_object('email', $3::text, 'email_verified', false))`,
    [person.id, randomUUID(), person.email],
  );
  const claimed = (): Promise<unknown[]> =>
    db.asOwner(`select from auth.identities where user_id = $1 and provider = 'google'`, [person.id]);
  expect(await claimed()).toHaveLength(1);
  await db.asOwner(
    `insert into auth.one_time_tokens (user_id, kind, token_hash, relates_to, expires_at)
     values ($1, 'recovery', sha256($2::bytea), $3, now() + interval '1 hour')`,
    [person.id, randomUUID(), person.email],
  );
  expect(await claimed()).toHaveLength(0);
});

test('[ST-01] bytes that no file names any more are noted, and those that a file names are not', async () => {
  const loose = async (): Promise<string[]> =>
    (await db.asOwner<{ blob: string }>('select blob from storage.loose_blobs order by blob')).map(({ blob }) => blob);
  await db.asOwner(`insert into storage.loose_blobs (blob) values ('a'), ('b')`);
  await db.asOwner(
    `insert into storage.objects (bucket_id, name, blob, size, content_type, etag) values ('logos', 'x.png', 'a', 1, 'image/png', 'e')`,
  );
  expect(await loose()).toEqual(['b']);
  await db.asOwner(`update storage.objects set blob = 'b'`);
  expect(await loose()).toEqual(['a']);
  await db.asOwner('delete from storage.objects');
  expect(await loose()).toEqual(['a', 'b']);
});

test('[D-01] [P-02] the commercial of a client or of a sale is a commercial', async () => {
  const client = await aClient(db);
  for (const other of [await aClient(db), await anAdmin(db)]) {
    const update = db.asOwner('update public.profiles set commercial_id = $2 where id = $1', [client.id, other.id]);
    expect(await outcome(update)).toBe('commercial_not_found');
    expect(await outcome(aSale(db, { commercial: other, friendReferrer: client }))).toBe('commercial_not_found');
  }
});

test('[M-10] the counts of people stay those of the rows: come, gone, or of another role', async () => {
  const expectKept = async (): Promise<void> => {
    const kept = await db.asOwner(
      `select what, sum(number)::int as number from figures.company_totals group by what having sum(number) <> 0 order by what`,
    );
    expect(kept).toEqual(
      await db.asOwner('select what, number::int from figures.recounted_company where number <> 0 order by what'),
    );
  };
  const commercial = await aCommercial(db);
  const client = await aClient(db, { commercial });
  await aSale(db, { commercial, friendReferrer: null });
  await expectKept();
  await db.asOwner('delete from auth.users where id = $1', [client.id]);
  await expectKept();
  await db.asOwner('update public.profiles set deactivated_at = now() where id = $1', [commercial.id]);
  await expectKept();
  const gone = await aCommercial(db);
  await db.asOwner('delete from auth.users where id = $1', [gone.id]);
  await expectKept();
  // Nobody may; whoever owns the database can, and is counted nonetheless.
  const other = await anAdmin(db);
  await db.asOwner('alter table public.profiles disable trigger profiles_guard');
  await db.asOwner(`update public.profiles set role = 'commercial', deactivated_at = now() where id = $1`, [other.id]);
  await db.asOwner('alter table public.profiles enable trigger profiles_guard');
  const roles = await db.asOwner(
    `select k.what, sum(k.number)::int = (select r.number from figures.recounted_company r where r.what = k.what) as same
     from figures.company_totals k where k.what in ('role_admin', 'role_commercial') group by k.what order by k.what`,
  );
  expect(roles).toEqual([
    { what: 'role_admin', same: true },
    { what: 'role_commercial', same: true },
  ]);
});

test('[P-04] role, identity and birth of an account do not change, even for the owner of the database', async () => {
  const client = await aClient(db);
  for (const change of [
    `role = 'admin', commercial_id = null`,
    'id = gen_random_uuid()',
    `created_at = now() - interval '1 day'`,
    'is_test = not is_test',
  ]) {
    expect([
      change,
      await outcome(db.asOwner(`update public.profiles set ${change} where id = $1`, [client.id])),
    ]).toEqual([change, 'forbidden']);
  }
  await db.asOwner(`update public.profiles set full_name = 'Autre Nom', updated_at = '2020-01-01' where id = $1`, [
    client.id,
  ]);
  const [row] = await db.asOwner(
    "select updated_at > now() - interval '1 minute' as fresh from public.profiles where id = $1",
    [client.id],
  );
  expect(row).toEqual({ fresh: true });
});
