import { expect, test } from 'vitest';

import { callAs } from '../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';

test('[DF-07] what sets or lifts an obstacle before somebody is told to their open pages, and new rules to everybody', async () => {
  const server = await startTestServer();
  const { database } = server;
  const admin = await anAdmin(database);
  const commercial = await aCommercial(database);
  const client = await aClient(database, { commercial });
  /** Changes that an act sends, each with its audience. */
  const toldOf = async (act: () => Promise<unknown>) => {
    const [last] = await database.asOwner<{ id: string | null }>('select max(id)::text as id from private.changes');
    await act();
    return database.asOwner<{ table_name: string; key: string; audience: string[] | null }>(
      `select distinct table_name, key, audience from private.changes where id > coalesce($1::bigint, 0) and table_name <> 'notices'`,
      [last?.id ?? null],
    );
  };
  const theirs = { table_name: 'profiles', key: client.id, audience: [client.id] };
  const next = await aCommercial(database);
  expect(
    await toldOf(() =>
      callAs(server, admin, 'update-client', { client_id: client.id, name: 'Zoé', commercial_id: next.id }),
    ),
  ).toContainEqual({ ...theirs, audience: [client.id, next.id] });
  const statements = {
    'a proven address': `update auth.users set email_proven_at = now() - interval '1 second' where id = $1`,
    'an address to prove again': 'update auth.users set email_proven_at = null where id = $1',
    'an account in its 48 hours': `insert into public.payee_ibans (client_id, mark, usable_from)
      values ($1, sha256('x'), now() + interval '2 days')`,
    'an account that an admin checked': `update public.payee_ibans set confirmed_at = now(), usable_from = now() where client_id = $1`,
    'money that is held': `insert into public.doubtful_cases (payee_id) values ($1)`,
  };
  for (const [what, statement] of Object.entries(statements))
    expect([what, await toldOf(() => database.asOwner(statement, [client.id]))]).toEqual([what, [theirs]]);
  const details = { legal_name: 'Zoé Morel', street: '1 rue du Port', postal_code: '44000', city: 'Nantes' };
  expect(
    await toldOf(async () => {
      const body = { action: 'update_payee', payee_id: client.id, status: 'particulier', ...details };
      expect((await callAs(server, client, 'papers', body)).status).toBe(200);
    }),
  ).toEqual([theirs]);
  expect(
    await toldOf(async () => {
      const rules = { action: 'publish', body: 'Article 1. Bienvenue.', seen_version: 0 };
      expect((await callAs(server, admin, 'programme-rules', rules)).status).toBe(200);
    }),
  ).toContainEqual({ table_name: 'company_settings', key: '1', audience: null });
  await server.close();
});
