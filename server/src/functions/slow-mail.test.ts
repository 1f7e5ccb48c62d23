import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

// A relay that takes its time: nobody is shown credentials that may yet arrive by mail (FX-08).

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

const address = () => `personne-${randomUUID().slice(0, 8)}@example.fr`;
const invite = (email: string) => callAs(server, commercial, 'invite-client', { name: 'Chloé', email });
const outcome = (id: string, who = commercial) => callAs(server, who, 'invitation-outcome', { person_id: id });
const passwordIn = (text: string) => /Mot de passe temporaire : (\S+)/u.exec(text)?.[1] ?? '';
const signIn = (email: string, password: string) => callAs(server, undefined, 'auth-signin', { email, password });

test('[FX-08] a mail that is being handed over is « en cours d’envoi »: no credentials are shown, and it arrives', async () => {
  const release = server.mailbox.hold();
  const emails = Array.from({ length: 8 }, address);
  const replies = await Promise.all(emails.map(invite));
  for (const { body } of replies) {
    expect(body).toMatchObject({ success: true, emailSent: false, emailState: 'sending' });
    expect(body.message).toBe('Invitation créée avec succès ! L’e-mail est en cours d’envoi.');
    expect(body).not.toHaveProperty('tempPassword');
  }
  const [first] = replies;
  expect((await outcome(first?.body.client.id)).body).toMatchObject({ emailSent: false, emailState: 'sending' });
  release();
  const mails = await Promise.all(emails.map((email) => server.mailbox.take(email)));
  const told = await outcome(first?.body.client.id);
  expect(told.body).toMatchObject({ emailSent: true, emailState: 'sent' });
  expect(told.body).not.toHaveProperty('tempPassword');
  expect((await signIn(emails[0] ?? '', passwordIn(mails[0]?.text ?? ''))).status).toBe(200);
  // From the first sign-in on the invitation is over.
  expect((await outcome(first?.body.client.id)).body.code).toBe('invitation_not_pending');
});

test(
  '[FX-08] where the mail never leaves, other credentials are shown, and those of the mail are worth nothing',
  { tags: 'long' },
  async () => {
    const release = server.mailbox.hold();
    const email = address();
    const { body } = await invite(email);
    expect(body.emailState).toBe('sending');
    server.mailbox.refuseWith(550);
    release();
    await expect
      .poll(async () => (await outcome(body.client.id, admin)).body)
      .toMatchObject({ emailSent: false, emailState: 'not_sent', loginEmail: email, tempPassword: expect.any(String) });
    server.mailbox.refuseWith(null);
    const shown = (await outcome(body.client.id)).body.tempPassword as string;
    expect((await signIn(email, shown)).body.password_change_required).toBe(true);
    expect(server.mailbox.mails.some(({ recipients }) => recipients.includes(email))).toBe(false);
    expect(
      await server.database.asOwner('select from auth.users where email = $1 and email_proven_at is not null', [email]),
    ).toEqual([]);
  },
);

test('[FX-08] [P-03] nobody asks for the credentials of somebody else’s client, nor of an admin', async () => {
  const { body } = await invite(address());
  const colleague = await aCommercial(server.database);
  const client = await aClient(server.database, { commercial });
  const other = await anAdmin(server.database);
  expect((await outcome(body.client.id, colleague)).body.code).toBe('invitation_not_pending');
  expect((await outcome(client.id)).body.code).toBe('invitation_not_pending');
  expect((await outcome(other.id, admin)).body.code).toBe('invitation_not_pending');
  expect((await outcome(body.client.id, client)).status).toBe(403);
});
