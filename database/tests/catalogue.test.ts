import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { connectAsOwner } from '../src/connect.ts';
import { ensureLogin, loginRoleOf } from '../src/roles.ts';
import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';

// Differences from the migrations' catalogue, left by an incomplete restore or by somebody's hand.

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** Differences that the catalogue check finds after the statement, which is rolled back. */
async function differencesAfter(statement: string): Promise<unknown[]> {
  const client = await connectAsOwner(db.owner);
  try {
    await client.query(`begin; ${statement}`);
    const findings = await verify(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
    return [...(findings.find(({ invariant }) => invariant.id === 'P-04b')?.violations ?? [])];
  } finally {
    await client.end();
  }
}

test('[FX-23] a migrated database differs in nothing, before and after a server made its login', async () => {
  expect(await differencesAfter('')).toEqual([]);
  const client = await connectAsOwner(db.owner);
  try {
    await ensureLogin(client, randomBytes(12).toString('hex'));
    expect(await differencesAfter('')).toEqual([]);
    expect(await differencesAfter(`revoke usage on schema private from ${await loginRoleOf(client)}`)).toEqual([
      { manque: 'private: grant to login of usage' },
    ]);
  } finally {
    await client.end();
  }
});

test.each([
  [
    'drop policy sales_authenticated_read on public.sales',
    { manque: expect.stringMatching(/^public\.sales: policy sales_authenticated_read for r/u) },
  ],
  [
    'alter table public.sales owner to service_role',
    { attendu: 'public.sales: owner owner', trouvé: 'public.sales: owner service_role' },
  ],
  ['revoke select on public.sales from authenticated', { manque: 'public.sales: grant to authenticated of select' }],
  ['grant delete on public.sales to anon', { 'en trop': 'public.sales: grant to anon of delete' }],
  [
    'grant update (amount) on public.payment_requests to authenticated',
    { 'en trop': 'public.payment_requests: grant to authenticated of update (amount)' },
  ],
  [
    'drop trigger sales_audit on public.sales',
    { manque: expect.stringMatching(/^public\.sales: trigger sales_audit /u) },
  ],
  [
    'alter table public.sales disable trigger sales_audit',
    { attendu: 'public.sales: firing of sales_audit on', trouvé: 'public.sales: firing of sales_audit off' },
  ],
  [
    'alter table public.sales no force row level security',
    { attendu: 'public.sales: row security forced', trouvé: 'public.sales: row security missing' },
  ],
  [
    'alter function private.identify() owner to service_role',
    { attendu: 'private: owner of identify() parrain_service', trouvé: 'private: owner of identify() service_role' },
  ],
  [
    `create or replace function private.now() returns timestamptz language sql stable parallel safe return '2000-01-01'::timestamptz`,
    { attendu: expect.stringMatching(/^private: body of now\(\)/u), trouvé: expect.any(String) },
  ],
  [
    'alter table public.sales drop constraint sales_validated_is_ready',
    { manque: expect.stringMatching(/^public\.sales: check sales_validated_is_ready/u) },
  ],
  [
    'alter table public.company_settings add column more text',
    { 'en trop': 'public.company_settings: column more text' },
  ],
  [
    'drop index private.mails_by_recipient',
    { manque: expect.stringMatching(/^private\.mails: index mails_by_recipient/u) },
  ],
  ['create table public.mine (id integer)', { 'en trop': 'public.mine: table' }],
  [
    'revoke usage on schema graphile_worker from parrain_service; alter schema graphile_worker owner to postgres',
    { attendu: 'graphile_worker: owner parrain_service', trouvé: 'graphile_worker: owner owner' },
  ],
  ['grant parrain_service to anon', { 'en trop': 'role anon: member of parrain_service' }],
  ['alter default privileges grant execute on functions to public', { manque: 'new functions of owner are nobody’s' }],
  [
    'drop function private.identify() cascade',
    { manque: 'private: function identify() as parrain_service for authenticator' },
  ],
])('[FX-23] verifying names what differs: %s', async (statement, difference) => {
  expect(await differencesAfter(statement)).toContainEqual(difference);
});

test('[FX-23] what is the operator’s own is no difference', async () => {
  const name = `reader_${randomBytes(6).toString('hex')}`;
  expect(
    await differencesAfter(`create role ${name}; grant usage on schema public to ${name}; grant select on public.sales to ${name};
      create index sales_of_mine on public.sales (created_at, id, version)`),
  ).toEqual([]);
});
