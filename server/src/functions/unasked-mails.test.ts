import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { clientOf, linkIn, PASSWORD, signedIn } from '../testing/accounts.ts';
import { callAs } from '../testing/call-function.ts';
import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { fragmentOf, landing } from '../testing/links.ts';

// Mails to people who did not ask for them: their senders, recipients and limits.

let server: TestServer;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, environment: { TRUST_PROXY: '1' } });
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

const address = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;

/** As somebody at an address of their own: of a network of their own, unless one is named. */
let networks = 0;
async function refer(
  who: Person,
  friend: Record<string, unknown> = {},
  { ip, on = server }: { readonly ip?: string; readonly on?: TestServer } = {},
) {
  networks += 1;
  const reply = await on.fetch(
    '/functions/v1/send-invitation-email',
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': ip ?? `10.7.${networks >> 8}.${networks & 255}`,
      },
      body: JSON.stringify({ name: 'Ami', email: address(), ...friend }),
    },
    who,
  );
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
}

describe('who may invite a friend', () => {
  test('[FX-04] a stranger’s unproven address invites nobody, until the link that was mailed to it is followed', async () => {
    const email = address();
    const visitor = clientOf(server).auth;
    const registered = await visitor.signUp({
      email,
      password: PASSWORD,
      options: { data: { full_name: 'Inès Roy' } },
    });
    const session = registered.data.session;
    const id = registered.data.user?.id ?? '';
    await server.database.asOwner('update public.profiles set commercial_id = $1 where id = $2', [commercial.id, id]);
    const person: Person = {
      id,
      role: 'client',
      email,
      fullName: 'Inès Roy',
      sessionId: String(
        (await server.database.asOwner<{ id: string }>('select id from auth.sessions where user_id = $1', [id]))[0]?.id,
      ),
    };
    expect(session).not.toBeNull();
    const refused = await refer(person);
    expect(refused).toMatchObject({ status: 403, body: { code: 'address_not_proven' } });
    expect(refused.body['error']).toContain('« Confirmez votre adresse »');
    const obstacles = await callAs(server, person, 'own-account?action=invitation', undefined, { method: 'GET' });
    expect(obstacles.body.data).toMatchObject({ obstacles: [{ code: 'address_not_proven' }], is_mail_sent: true });

    expect((await visitor.resend({ type: 'signup', email })).error).toBeNull();
    const mail = await server.mailbox.take(email);
    expect(mail.subject).toMatch(/^Confirmez votre adresse/u);
    expect(mail.text).toContain('vous pourrez ensuite inviter vos amis');
    expect(fragmentOf(await landing(linkIn(mail.text))).get('access_token')).not.toBeNull();

    // A person who confirms keeps the password and the session that they registered with.
    expect((await refer(person)).status).toBe(200);
    await signedIn(server, { id, email, password: PASSWORD });
    const none = await callAs(server, person, 'own-account?action=invitation', undefined, { method: 'GET' });
    expect(none.body.data).toEqual({ obstacles: [], is_mail_sent: true, commercial_asked_at: null });
  });

  test('[FX-04] another address is another mailbox: it is to be proven anew', async () => {
    const client = await aClient(server.database, { commercial });
    const other = address();
    await server.database.asOwner('update auth.users set email = $2 where id = $1', [client.id, other]);
    expect((await refer(client)).body).toMatchObject({ code: 'address_not_proven' });
  });

  test('[FX-04] credentials that came by mail prove the address of an invited client', async () => {
    const email = address();
    await callAs(server, commercial, 'invite-client', { name: 'Chloé', email });
    const proof = () =>
      server.database.asOwner<{ is_proven: boolean }>(
        'select email_proven_at is not null as is_proven from auth.users where email = $1',
        [email],
      );
    expect(await proof()).toEqual([{ is_proven: false }]);
    const password = /Mot de passe temporaire : (\S+)/u.exec((await server.mailbox.take(email)).text)?.[1] ?? '';
    expect((await callAs(server, undefined, 'auth-signin', { email, password })).status).toBe(200);
    expect(await proof()).toEqual([{ is_proven: true }]);
  });

  test('[FX-04] [FX-65] a client whom no commercial follows is told so, and nothing is promised', async () => {
    const alone = await aClient(server.database, { commercial });
    await server.database.asOwner('update public.profiles set commercial_id = null where id = $1', [alone.id]);
    const left = await aCommercial(server.database);
    const forsaken = await aClient(server.database, { commercial: left });
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [left.id]);
    for (const who of [alone, forsaken]) {
      const refused = await refer(who);
      expect(refused).toMatchObject({ status: 409, body: { code: 'commercial_missing' } });
      expect(refused.body['error']).toContain('Aucun commercial ne vous suit');
    }
  });

  test('[FX-04] where no mail leaves, no address needs to be proven', async () => {
    const mute = await startTestServer({ database: server.database });
    try {
      const client = await aClient(server.database, { commercial, isEmailProven: false });
      expect(await refer(client, {}, { on: mute })).toMatchObject({ status: 200, body: { emailSent: false } });
    } finally {
      await mute.close();
    }
  });
});

describe('whom a friend may not be', () => {
  const reasonFor = async (who: Person, email: string) => (await refer(who, { email })).body['code'] ?? 'ok';

  test('[FX-12] oneself, under whatever name of one’s mailbox', async () => {
    const client = await aClient(server.database, { commercial, email: `moi.${randomUUID()}@example.fr` });
    const gmail = await aClient(server.database, { commercial, email: `jean.${randomUUID()}@gmail.com` });
    expect(await reasonFor(client, client.email)).toBe('self_referral');
    expect(await reasonFor(client, client.email.replace('@', '+ami@').toUpperCase())).toBe('self_referral');
    expect(await reasonFor(gmail, gmail.email.replaceAll('.', '').replace('@gmailcom', '+x@googlemail.com'))).toBe(
      'self_referral',
    );
    // Elsewhere a dot tells two mailboxes apart.
    expect(await reasonFor(client, client.email.replace('moi.', 'moi'))).toBe('ok');
  });

  test('[FX-12] one’s own commercial, an admin, another client: each is told by its rule', async () => {
    const client = await aClient(server.database, { commercial });
    const admin = await anAdmin(server.database);
    const known = await aClient(server.database, { commercial });
    expect(await reasonFor(client, commercial.email)).toBe('friend_is_staff');
    expect(await reasonFor(client, admin.email)).toBe('friend_is_staff');
    expect(await reasonFor(client, known.email.replace('@', '+x@'))).toBe('friend_is_client');
    expect((await refer(client, { email: known.email })).body['error']).toContain('déjà cliente');
  });

  test('[FX-12] a friend who was invited, by another name of the same mailbox', async () => {
    const client = await aClient(server.database, { commercial });
    const email = address();
    expect(await reasonFor(client, email)).toBe('ok');
    expect(await reasonFor(client, email.replace('@', '+2@'))).toBe('friend_already_invited');
  });
});

describe('how many', () => {
  test('[FX-04] [FX-07] one person invites twenty friends a day, and is told when to go on', async () => {
    const client = await aClient(server.database, { commercial });
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) statuses.push((await refer(client)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const refused = await refer(client);
    expect(refused).toMatchObject({ status: 429, body: { code: 'daily_limit' } });
    expect(refused.body['error']).toMatch(
      /^Vous avez atteint la limite du jour pour cette action\. Réessayez dans \d+ (?:minutes|h)\.$/u,
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600);
  });

  test(
    '[FX-04] [FX-17] sixty friends a day from one network, whatever the address in it, and no other network is bound by it',
    { tags: 'long' },
    async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 60; count += 1) {
        const client = await aClient(server.database, { commercial });
        statuses.push((await refer(client, {}, { ip: `2001:db8:5:6:${count.toString(16)}::1` })).status);
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
      const client = await aClient(server.database, { commercial });
      const refused = await refer(client, {}, { ip: '2001:db8:5:6:ffff::2' });
      expect(refused).toMatchObject({ status: 429, body: { code: 'mail_limit' } });
      expect(refused.body['error']).toMatch(/Réessayez dans \d+ (?:minutes|h)\.$/u);
      expect((await refer(client, {}, { ip: '2001:db8:5:7::1' })).status).toBe(200);
    },
  );

  test(
    '[FX-04] the mails of the hour are those of the accounts and of the product together',
    { tags: 'long' },
    async () => {
      const small = await startTestServer({ smtp: true, environment: { MAILS_PER_HOUR: '4' } });
      try {
        const follower = await aCommercial(small.database);
        const client = await aClient(small.database, { commercial: follower });
        const friend = address();
        expect((await refer(client, { email: friend }, { on: small })).status).toBe(200);
        await small.mailbox.take(friend);
        // The commercial is told of the referral.
        await small.mailbox.take(follower.email);
        const invited = address();
        expect((await callAs(small, follower, 'invite-client', { name: 'Chloé', email: invited })).status).toBe(200);
        await small.mailbox.take(invited);
        expect((await clientOf(small).auth.resetPasswordForEmail(client.email)).error).toBeNull();
        await small.mailbox.take(client.email);
        // A fifth leaves neither from here nor from there, and nothing is written.
        expect(await refer(client, {}, { on: small })).toMatchObject({ status: 429, body: { code: 'mail_limit' } });
        const late = address();
        expect(await callAs(small, follower, 'invite-client', { name: 'Chloé', email: late })).toMatchObject({
          status: 429,
          body: { code: 'mail_limit' },
        });
        expect(await small.database.asOwner('select from auth.users where email = $1', [late])).toEqual([]);
        const asked = { name: 'Visiteur', email: 'visiteur@example.fr' };
        expect((await callAs(small, undefined, 'appointment-request', asked)).body.code).toBe('mail_limit');
      } finally {
        await small.close();
      }
    },
  );
});
