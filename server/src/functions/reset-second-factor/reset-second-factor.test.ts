import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { anAccount, signedIn } from '../../testing/accounts.ts';
import { callAs } from '../../testing/call-function.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

const reset = (who: Person | undefined, person_id: unknown) =>
  callAs(server, who, 'reset-second-factor', { person_id });

test('[AU-17] an admin removes the second step of a person who lost it: sessions ended, message, audit trail', async () => {
  const account = await anAccount(server, { role: 'commercial', fullName: 'Camille Perdu' });
  const { client } = await signedIn(server, account);
  await passTotp(client, await enrolTotp(client));
  await server.mailbox.take(account.email);

  expect(await reset(admin, account.id)).toMatchObject({
    status: 200,
    body: { success: true, removed: 1, message: 'Double authentification de Camille Perdu retirée' },
  });
  expect((await server.mailbox.take(account.email)).subject).toBe(
    'Votre double authentification a été retirée – Mon Entreprise',
  );
  expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  const back = await signedIn(server, account);
  expect(back.session.user.factors).toBeUndefined();
  expect((await back.client.from('profiles').select('id')).error).toBeNull();
  expect(
    only(
      await server.database.asOwner(
        `select actor_id, entity from public.audit_entries where action = 'reset_second_factor' and entity_id = $1`,
        [account.id],
      ),
    ),
  ).toEqual({ actor_id: admin.id, entity: 'profiles' });

  // Nothing to remove: nothing is done, nobody is told.
  expect(await reset(admin, account.id)).toMatchObject({ status: 200, body: { removed: 0 } });
  expect((await back.client.auth.getUser()).error).toBeNull();
});

test('[AU-17][UI-12] an accountant who lost theirs is let in again too', async () => {
  const account = await anAccount(server, { role: 'comptable', fullName: 'Marie Compta' });
  const { client } = await signedIn(server, account);
  await passTotp(client, await enrolTotp(client));
  const holders = () =>
    server
      .client(admin)
      .then((official) => official.rpc('people_with_second_factor', { p_ids: [account.id] }))
      .then(({ data }) => data);
  expect(await holders()).toEqual([{ id: account.id }]);
  expect(await reset(admin, account.id)).toMatchObject({ status: 200, body: { removed: 1 } });
  expect(await holders()).toEqual([]);
  expect((await signedIn(server, account)).session.user.factors).toBeUndefined();
});

test('[AU-17] neither between admins, nor by another role, nor for nobody', async () => {
  expect(await reset(admin, (await anAdmin(server.database)).id)).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  });
  expect(await reset(admin, admin.id)).toMatchObject({ status: 403 });
  const client = await aClient(server.database);
  for (const who of [client, await aCommercial(server.database)]) {
    expect(await reset(who, client.id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
  expect(await reset(undefined, client.id)).toMatchObject({ status: 401 });
  for (const nobody of ['00000000-0000-4000-8000-000000000000', 'x', undefined]) {
    expect([400, 404]).toContain((await reset(admin, nobody)).status);
  }
});
