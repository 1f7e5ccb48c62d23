import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { anAccount, signedIn } from '../../testing/accounts.ts';
import { callAs } from '../../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';

let server: TestServer;
let mute: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  mute = await startTestServer({ database: server.database });
  admin = await anAdmin(server.database, { fullName: 'Aline Admin' });
  commercial = await aCommercial(server.database);
});
afterAll(async () => {
  await mute.close();
  await server.close();
});

const address = () => `personne-${randomUUID().slice(0, 8)}@example.fr`;
const give = (who: Person | undefined, person_id: unknown, on = mute, key?: string) =>
  callAs(on, who, 'temporary-password?action=give', { person_id }, key === undefined ? {} : { key });
const mayGive = async (who: Person, personId: string) =>
  (await callAs(server, who, `temporary-password?action=may&person_id=${personId}`, undefined, { method: 'GET' })).body
    .data.may as boolean;
const signIn = (email: string, password: string) => callAs(server, undefined, 'auth-signin', { email, password });
const passwordIn = (text: string) => /Mot de passe temporaire : (\S+)/u.exec(text)?.[1] ?? '';

test('[V-19] an admin gives a new temporary password: the former one and the sessions are over, the trail says who did it', async () => {
  const account = await anAccount(server, { role: 'commercial', fullName: 'Camille Perdu' });
  const { client } = await signedIn(server, account);
  const reply = await give(admin, account.id);
  expect(reply).toMatchObject({ status: 200, body: { emailState: 'not_sent', loginEmail: account.email } });
  const password = reply.body.tempPassword as string;
  expect(password.length).toBeGreaterThanOrEqual(16);
  expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  expect((await signIn(account.email, account.password)).status).toBe(401);
  expect((await signIn(account.email, password)).body).toMatchObject({ password_change_required: true });
  expect((await signIn(account.email, password)).status).toBe(401);
  expect(
    only(
      await server.database.asOwner(
        `select actor_id, entity from public.audit_entries where action = 'give_temporary_password' and entity_id = $1`,
        [account.id],
      ),
    ),
  ).toEqual({ actor_id: admin.id, entity: 'profiles' });
});

test('[V-19] [X-05] with a mail server the new password leaves by e-mail, and the answer does not show it', async () => {
  const account = await anAccount(server, { role: 'client', fullName: 'Chloé Perdue' });
  const { body } = await give(admin, account.id, server);
  expect(body).toMatchObject({ emailState: 'sent', message: 'Nouveau mot de passe temporaire créé' });
  expect(body).not.toHaveProperty('tempPassword');
  const mail = await server.mailbox.take(account.email);
  expect(mail.text).toContain('Aline Admin vous a donné un nouveau mot de passe');
  expect(mail.text).not.toContain('invite à rejoindre');
  expect((await signIn(account.email, passwordIn(mail.text))).status).toBe(200);
});

test('[FX-08] where the mail of a new password never leaves, the admin is shown another, of a person who signed in before too', async () => {
  const account = await anAccount(server, { role: 'client', fullName: 'Chloé Encore' });
  await signedIn(server, account);
  server.mailbox.refuseWith(550);
  const { body } = await give(admin, account.id, server);
  const outcome = async () => (await callAs(server, admin, 'invitation-outcome', { person_id: account.id })).body;
  const shown =
    body.emailState === 'not_sent'
      ? body
      : await expect.poll(outcome).toMatchObject({ emailState: 'not_sent' }).then(outcome);
  server.mailbox.refuseWith(null);
  expect((await signIn(account.email, shown.tempPassword as string)).status).toBe(200);
});

test('[V-19] [V-20] the same act asked again with its key gives the same password', async () => {
  const account = await anAccount(server, { role: 'client', fullName: 'Chloé Deux' });
  const key = randomUUID();
  const [first, again] = [await give(admin, account.id, mute, key), await give(admin, account.id, mute, key)];
  expect(again.body).toEqual(first.body);
  expect((await signIn(account.email, again.body.tempPassword as string)).status).toBe(200);
});

test('[V-19] [P-03] a commercial gives one to their own client until the first sign-in, and takes no account over after it', async () => {
  const email = address();
  const invited = await callAs(mute, commercial, 'invite-client', { name: 'Chloé', email });
  const id = invited.body.client.id as string;
  expect(await mayGive(commercial, id)).toBe(true);
  const { body } = await give(commercial, id);
  expect((await signIn(email, invited.body.tempPassword as string)).status).toBe(401);

  const colleague = await aCommercial(server.database);
  expect(await mayGive(colleague, id)).toBe(false);
  expect(await give(colleague, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });

  expect((await signIn(email, body.tempPassword as string)).status).toBe(200);
  expect(await mayGive(commercial, id)).toBe(false);
  expect(await give(commercial, id)).toMatchObject({ status: 404, body: { code: 'invitation_not_pending' } });
  // Not even while a password that an admin gave waits for its use.
  expect((await give(admin, id)).status).toBe(200);
  expect(await give(commercial, id)).toMatchObject({ body: { code: 'invitation_not_pending' } });
  expect(await mayGive(admin, id)).toBe(true);
});

test('[V-19] [P-03] neither oneself, nor an admin, nor who registered with a password of their own, nor by a client; strangers are not told apart', async () => {
  const other = await anAdmin(server.database);
  for (const id of [admin.id, other.id]) {
    expect(await give(admin, id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await mayGive(admin, id)).toBe(false);
  }
  const client = await aClient(server.database, { commercial });
  const owner = await anAccount(server, { role: 'client', fullName: 'Odile Sienne' });
  await server.database.asOwner('update public.profiles set commercial_id = $2 where id = $1', [
    owner.id,
    commercial.id,
  ]);
  expect(await give(client, client.id)).toMatchObject({ status: 403 });
  expect(await give(undefined, client.id)).toMatchObject({ status: 401 });
  expect(await give(commercial, owner.id)).toMatchObject({ body: { code: 'invitation_not_pending' } });
  const unknown = '00000000-0000-4000-8000-000000000000';
  const refusals = [];
  for (const id of [admin.id, commercial.id, (await aCommercial(server.database)).id, unknown]) {
    const { status, body } = await give(commercial, id);
    refusals.push({ status, code: body.code, error: body.error });
    expect(await mayGive(commercial, id)).toBe(false);
  }
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  expect(await give(admin, unknown)).toMatchObject({ status: 404 });
});

test('[FX-04] new passwords count as invitations: a mailbox receives five in a day', async () => {
  const account = await anAccount(server, { role: 'client', fullName: 'Chloé Souvent' });
  const statuses = [];
  for (let times = 0; times < 6; times += 1) statuses.push((await give(admin, account.id)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});
