import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, createTestDatabase, only } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';

// What triggers keep true whoever writes, even past the server.

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test('[AU-17] qui a un facteur vérifié est connu pour en avoir un, aussi longtemps qu’il est là', async () => {
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

test('[AU-16] une identité qui ne fait que prétendre à une adresse la perd quand son titulaire la confirme', async () => {
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

test('[ST-01] les octets qu’aucun fichier ne nomme plus sont notés, et ceux qu’un fichier nomme ne le sont pas', async () => {
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
