import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import type { Reply } from '../testing/call-function.ts';

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  admin = await anAdmin(server.database, { fullName: 'Aline Admin' });
  commercial = await aCommercial(server.database, { fullName: 'Corentin <b>Commercial</b>' });
  await callAs(server, admin, 'company-settings?action=update_name', { company_name: 'Dupont & Fils <Nord>' });
});
afterAll(() => server.close());

const address = () => `personne-${randomUUID().slice(0, 8)}@example.fr`;
const inviteCommercial = (body: Record<string, unknown>, key?: string): Promise<Reply> =>
  callAs(server, admin, 'invite-commercial', body, key === undefined ? {} : { key });
const inviteClient = (body: Record<string, unknown>, who = commercial): Promise<Reply> =>
  callAs(server, who, 'invite-client', body);
const profileOf = async (email: string) =>
  only(
    await server.database.asOwner<Record<string, unknown>>('select * from public.profiles where email = $1', [email]),
  );
const passwordIn = (text: string) => /Mot de passe temporaire : (\S+)/u.exec(text)?.[1] ?? '';
const signIn = (email: string, password: string) => callAs(server, undefined, 'auth-signin', { email, password });

describe('inviting a commercial, a client', () => {
  test('[F-06] [X-05] [E-03] [V-08] the invitation really leaves: the e-mail carries the credentials, the answer does not show them', async () => {
    const email = address();
    const reply = await inviteCommercial({
      name: 'Paul <i>Neuf</i>',
      email: email.toUpperCase(),
      phone: '',
      role: 'admin',
    });
    expect(reply).toMatchObject({
      status: 200,
      body: { success: true, emailSent: true, loginEmail: email, commercial: { full_name: 'Paul <i>Neuf</i>', email } },
    });
    expect(reply.body.tempPassword).toBeUndefined();
    expect(await profileOf(email)).toMatchObject({ role: 'commercial', phone: null, id: reply.body.commercial.id });

    const mail = await server.mailbox.take(email);
    expect(mail.recipients).toEqual([email]);
    expect(mail.subject).toBe('Dupont & Fils <Nord> : votre accès à votre espace commercial');
    expect(mail.html).toContain('lang="fr"');
    expect(mail.html).toContain('Dupont &amp; Fils &lt;Nord&gt;');
    expect(mail.html).toContain('Paul &lt;i&gt;Neuf&lt;/i&gt;');
    expect(mail.html).toContain(`${server.url}/auth/login`);
    const password = passwordIn(mail.text);
    expect(password.length).toBeGreaterThanOrEqual(16);
    expect(mail.html).toContain(password);
    expect((await signIn(email, password)).body).toMatchObject({
      password_change_required: true,
      profile: { role: 'commercial' },
    });
  });

  test('[X-05] [TM-01] the e-mail carries the company’s logo itself, and its colour: nothing is asked of anybody', async () => {
    const form = new FormData();
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    form.set('file', new File([drawing], 'logo.svg', { type: 'image/svg+xml' }));
    await callAs(server, admin, 'company-settings?action=upload_logo', form);
    const painted = await callAs(server, admin, 'company-settings?action=update_color', { brand_color: '#FFCC00' });
    expect(painted.body.data).toMatchObject({ brand_color: '#ffcc00' });
    const email = address();
    await inviteCommercial({ name: 'Paul', email });
    const { html, attachments } = await server.mailbox.take(email);
    expect([...html.matchAll(/\ssrc="([^"]*)"/gu)].map(([, source]) => source)).toEqual(['cid:logo@parrain']);
    expect(attachments).toEqual([{ contentId: '<logo@parrain>', type: 'image/png' }]);
    // Dark words on a light colour.
    expect(html).toContain('background:#ffcc00;color:#1a1f36');
    // In the dark the band is as bright.
    expect(html).toContain('.band { background: #ffcc00 !important; }');
    for (const color of ['jaune', '#12345', '#1234567', 'url(x)', 7]) {
      const refused = await callAs(server, admin, 'company-settings?action=update_color', { brand_color: color });
      expect(refused.status).toBe(400);
    }
    await callAs(server, admin, 'company-settings?action=update_color', { brand_color: null });
  });

  test('[F-13] [V-11] a commercial invites their client; empty fields are null', async () => {
    const email = address();
    const reply = await inviteClient({ name: 'Chloé', email, phone: '', company: '  ', notes: '' });
    expect(reply.body).toMatchObject({
      success: true,
      emailSent: true,
      loginEmail: email,
      client: { full_name: 'Chloé', email },
    });
    expect(await profileOf(email)).toMatchObject({
      role: 'client',
      commercial_id: commercial.id,
      phone: null,
      company: null,
      notes: null,
    });
    const mail = await server.mailbox.take(email);
    expect(mail.html).toContain('Corentin &lt;b&gt;Commercial&lt;/b&gt;');
    for (const body of [{}, { name: 'x' }, { email }, { name: ' ', email: ' ' }]) {
      const refused = await inviteClient(body);
      expect(refused.status).toBe(400);
      expect(refused.body.issues[0].message).toBe("Le nom et l'email sont requis");
    }
  });

  test('[E-03] without an SMTP server nothing is promised: the credentials are shown', async () => {
    const mute = await startTestServer({ database: server.database });
    try {
      const email = address();
      const reply = await callAs(mute, admin, 'invite-commercial', { name: 'Paul', email });
      expect(reply.body).toMatchObject({ success: true, emailSent: false, loginEmail: email });
      expect(reply.body.tempPassword.length).toBeGreaterThanOrEqual(16);
    } finally {
      await mute.close();
    }
  });

  test('[V-20] the same invitation with its key: one account, one e-mail, the same answer', async () => {
    const email = address();
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 4 }, () => inviteCommercial({ name: 'Paul', email }, key)));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    await server.mailbox.take(email);
    expect(server.mailbox.mails.filter((mail) => mail.recipients.includes(email))).toHaveLength(1);
    expect(await inviteCommercial({ name: 'Paul', email: address() }, key)).toMatchObject({ status: 422 });
  });

  test('a taken address, even written otherwise or twice at once: one account, no e-mail', async () => {
    const email = address();
    const replies = await Promise.all([
      inviteClient({ name: 'A', email }),
      inviteClient({ name: 'B', email: email.toUpperCase() }),
    ]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(replies.find((reply) => reply.status === 409)?.body).toMatchObject({
      code: 'email_taken',
      error: 'Un compte existe déjà avec cet e-mail.',
    });
    await server.mailbox.take(email);
    expect(server.mailbox.mails.filter((mail) => mail.recipients.includes(email))).toHaveLength(1);
  });

  test('[P-07] threat 31: a commercial invites neither an admin nor for a colleague; an admin chooses the commercial', async () => {
    const email = address();
    await inviteClient({ name: 'Chloé', email, role: 'admin', is_test: true });
    expect(await profileOf(email)).toMatchObject({ role: 'client', commercial_id: commercial.id, is_test: false });
    const colleague = await aCommercial(server.database);
    expect(await inviteClient({ name: 'x', email: address(), commercial_id: colleague.id })).toMatchObject({
      status: 403,
    });
    const entrusted = address();
    await inviteClient({ name: 'Chloé', email: entrusted, commercial_id: colleague.id }, admin);
    expect(await profileOf(entrusted)).toMatchObject({ commercial_id: colleague.id });
    expect((await inviteClient({ name: 'x', email: address(), commercial_id: admin.id }, admin)).body.code).toBe(
      'commercial_not_found',
    );
    expect(await profileOf(email)).toMatchObject({ role: 'client' });
  });

  test('[D-79] one address gets no more than five e-mails a day, from anybody', async () => {
    const email = address();
    const statuses: number[] = [];
    for (let sent = 0; sent < 6; sent += 1) {
      const client = await aClient(server.database, { commercial });
      statuses.push((await callAs(server, client, 'send-invitation-email', { name: 'Ami', email })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const reply = await inviteClient({ name: 'Chloé', email });
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('threat 65: an address that hides another, or a header, is refused', async () => {
    for (const email of [
      'a@example.fr,b@example.fr',
      'a@example.fr\r\nBcc: b@example.fr',
      '"a" <a@example.fr>',
      'a@b',
      'a b@example.fr',
    ]) {
      expect((await inviteClient({ name: 'x', email })).status).toBe(400);
    }
    for (const name of ['A\r\nBcc: b@example.fr', 'A\u202eB']) {
      expect((await inviteClient({ name, email: address() })).status).toBe(400);
    }
  });
});

describe('inviting a friend', () => {
  const refer = (who: Person, body: Record<string, unknown>, key?: string) =>
    callAs(server, who, 'send-invitation-email', body, key === undefined ? {} : { key });
  const aReferrer = (fullName = 'Clarisse Cliente') => aClient(server.database, { commercial, fullName });
  const salesOf = (who: Person) =>
    server.database.asOwner<Record<string, unknown>>('select * from public.sales where friend_referrer_id = $1', [
      who.id,
    ]);

  test('[F-15] [S-07] [E-04] the referral is born with its e-mail: the referrer, their message, the right to say no', async () => {
    const client = await aReferrer('Clarisse "O\'Neil"');
    const email = address();
    const reply = await refer(client, {
      name: 'Ami <script>alert(1)</script>',
      email,
      phone: null,
      personalMessage: 'Bonjour !\n<img src=x onerror=alert(1)> & à bientôt',
      clientId: client.id,
      clientName: 'Un nom d’emprunt',
      clientEmail: client.email,
    });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        success: true,
        emailSent: true,
        message:
          'Invitation envoyée avec succès ! Votre ami va recevoir un email personnalisé et votre commercial pourra le recontacter.',
        data: { status: 'pending', friend_referrer_id: client.id, commercial_id: commercial.id },
      },
    });
    expect(await salesOf(client)).toMatchObject([
      { status: 'pending', referred_contact_email: email, ready_for_validation: false },
    ]);

    const mail = await server.mailbox.take(email);
    expect(mail.subject).toBe('Clarisse "O\'Neil" vous recommande Dupont & Fils <Nord>');
    expect(mail.text).toContain('Clarisse "O\'Neil" fait confiance à Dupont & Fils <Nord>');
    expect(mail.text).not.toContain('emprunt');
    expect(mail.text).toContain('> <img src=x onerror=alert(1)> & à bientôt');
    expect(mail.html).toContain('Bonjour !<br>&lt;img src=x onerror=alert(1)&gt; &amp; à bientôt');
    expect(mail.html).not.toMatch(/<script|<img src=x/u);
    expect(mail.text).toContain('Si vous ne souhaitez pas être recontacté');
  });

  test('[P-07] W12: claiming to be another is refused, and nothing is written', async () => {
    const client = await aReferrer();
    const other = await aReferrer();
    for (const named of [
      { clientId: other.id },
      { clientEmail: other.email },
      { clientId: 3 },
      { clientEmail: { x: 1 } },
    ]) {
      const reply = await refer(client, { name: 'Ami', email: address(), ...named });
      expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    expect(await salesOf(client)).toEqual([]);
    expect(await salesOf(other)).toEqual([]);
  });

  test('[V-12] name and e-mail required, a message of at most 500 characters', async () => {
    const client = await aReferrer();
    for (const body of [{}, { name: 'Ami' }, { email: address() }]) {
      expect((await refer(client, body)).body.issues[0].message).toBe("Le nom et l'email sont requis");
    }
    expect((await refer(client, { name: 'Ami', email: address(), personalMessage: 'é'.repeat(501) })).status).toBe(400);
    expect((await refer(client, { name: 'Ami', email: address(), personalMessage: 'é'.repeat(500) })).status).toBe(200);
  });

  test('a friend gets one message from their referrer; nobody refers themselves', async () => {
    const client = await aReferrer();
    const email = address();
    const replies = await Promise.all([
      refer(client, { name: 'Ami', email }),
      refer(client, { name: 'Ami', email: email.toUpperCase() }),
    ]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(replies.find((reply) => reply.status === 409)?.body).toMatchObject({ code: 'friend_already_invited' });
    expect(await salesOf(client)).toHaveLength(1);
    await server.mailbox.take(email);
    expect(server.mailbox.mails.filter((mail) => mail.recipients.includes(email))).toHaveLength(1);
    expect((await refer(client, { name: 'Moi', email: client.email })).body.code).toBe('self_referral');
  });

  test('[E-02] expired session: 401, which the client’s page expects', async () => {
    const client = await aReferrer();
    await server.database.asOwner('delete from auth.sessions where user_id = $1', [client.id]);
    expect(await refer(client, { name: 'Ami', email: address() })).toMatchObject({
      status: 401,
      body: { error: 'Votre session a expiré. Veuillez vous reconnecter.' },
    });
  });

  test('[V-20] retried with its key: one referral, one e-mail', async () => {
    const client = await aReferrer();
    const key = randomUUID();
    const body = { name: 'Ami', email: address() };
    const first = await refer(client, body, key);
    expect((await refer(client, body, key)).body).toEqual(first.body);
    expect(await salesOf(client)).toHaveLength(1);
  });
});

describe('asking for an appointment', () => {
  test('[L-04] a visitor’s request is kept and sent to the operator', async () => {
    const reply = await callAs(server, undefined, 'appointment-request', {
      name: 'Visiteur <b>',
      email: 'visiteur@example.fr',
      phone: '01 02 03 04 05',
      preferred_slot: 'Mardi matin',
      message: 'Dix commerciaux\net vous ?',
    });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    const mail = await server.mailbox.take('no-reply@localhost');
    expect(mail.html).toContain('Visiteur &lt;b&gt;');
    expect(mail.text).toContain('Créneau souhaité : Mardi matin');
    const rows = await server.database.asOwner('select name, email, preferred_slot from private.appointment_requests');
    expect(rows).toEqual([{ name: 'Visiteur <b>', email: 'visiteur@example.fr', preferred_slot: 'Mardi matin' }]);
    expect((await callAs(server, undefined, 'appointment-request', {})).status).toBe(400);
  });

  test('[DF-10] the admins are told and have it in their list until one of them says that it is answered', async () => {
    const told = await anAdmin(server.database);
    const list = async (who: Person) => callAs(server, who, 'appointments?action=list', undefined, { method: 'GET' });
    await server.database.asOwner('delete from private.appointment_requests');
    await callAs(server, undefined, 'appointment-request', {
      name: 'Vera Visiteuse',
      email: 'vera@example.fr',
      preferred_slot: 'Mardi matin',
    });
    const notices = () =>
      server.database.asOwner('select kind, read_at is null as is_new from public.notices where recipient_id = $1', [
        told.id,
      ]);
    expect(await notices()).toEqual([{ kind: 'appointment_asked', is_new: true }]);
    const { data } = (await list(told)).body;
    expect(data).toMatchObject([{ name: 'Vera Visiteuse', email: 'vera@example.fr', preferred_slot: 'Mardi matin' }]);
    const seller = await aCommercial(server.database);
    expect((await list(seller)).status).toBe(403);
    const handle = (who: Person) =>
      callAs(server, who, 'appointments', { action: 'handle', appointment_id: data[0].id as string });
    expect((await handle(seller)).status).toBe(403);
    for (const _ of [1, 2]) expect((await handle(told)).status).toBe(200);
    expect((await list(told)).body.data).toEqual([]);
    expect(await notices()).toEqual([{ kind: 'appointment_asked', is_new: false }]);
  });

  test('[L-04] [D-79] five an hour and a network address', async () => {
    const body = { name: 'Visiteur', email: 'visiteur@example.fr' };
    const statuses: number[] = [];
    for (let sent = 0; sent < 6; sent += 1)
      statuses.push((await callAs(server, undefined, 'appointment-request', body)).status);
    expect(statuses.at(-1)).toBe(429);
  });
});
