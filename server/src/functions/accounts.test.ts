import { afterAll, beforeAll, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

let server: TestServer;
let passwordHash: string;
beforeAll(async () => {
  server = await startTestServer();
  passwordHash = await hashPassword(PASSWORD);
});
afterAll(() => server.close());

const PASSWORD = 'une phrase assez longue';
const signIn = (email: string, password: string) => callAs(server, undefined, 'auth-signin', { email, password });

test('[F-01] the session, as it is and under « session », with the profile and its role; the official client installs it', async () => {
  const people = [
    await anAdmin(server.database, { passwordHash }),
    await aCommercial(server.database, { passwordHash }),
    await aClient(server.database, { passwordHash }),
  ];
  for (const person of people) {
    const { status, body, headers } = await signIn(` ${person.email.toUpperCase()} `, PASSWORD);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      token_type: 'bearer',
      profile: { id: person.id, full_name: person.fullName, email: person.email, role: person.role },
      password_change_required: false,
      user: { id: person.id, email: person.email, app_metadata: { role: person.role } },
    });
    expect(body.session).toMatchObject({ access_token: body.access_token, refresh_token: body.refresh_token });
    expect(body.expires_at).toBeGreaterThan(Date.now() / 1000);
    const client = await server.client();
    const installed = await client.auth.setSession({
      access_token: body.access_token,
      refresh_token: body.refresh_token,
    });
    expect(installed.error).toBeNull();
    const settings = await client.functions.invoke('company-settings?action=get', { method: 'GET' });
    expect(settings.data).toMatchObject({ success: true, data: { company_name: 'Mon Entreprise', logo_url: null } });
  }
});

test('[F-01] unknown or wrong password: the same answer, in French', async () => {
  const person = await aClient(server.database, { passwordHash });
  const wrong = await signIn(person.email, 'pas le bon du tout');
  const unknown = await signIn('personne@example.fr', PASSWORD);
  expect(wrong).toMatchObject({
    status: 401,
    body: { error: 'E-mail ou mot de passe incorrect', code: 'invalid_credentials' },
  });
  expect(unknown.body).toEqual(wrong.body);
  for (const body of [{}, { email: 'x', password: '' }, { email: ['a'], password: {} }]) {
    const reply = await callAs(server, undefined, 'auth-signin', body);
    expect(reply.status).toBe(400);
    expect(reply.body.issues.length).toBeGreaterThan(0);
  }
});

test('[F-02] [A-06] threat 30: registration makes a client, whatever role was asked for', async () => {
  const reply = await callAs(server, undefined, 'auth-signup', {
    email: 'Zoe.Nouvelle@Example.fr',
    password: PASSWORD,
    full_name: ' Zoé Nouvelle ',
    phone: '',
    role: 'admin',
    app_metadata: { role: 'admin' },
    is_test: true,
  });
  expect(reply).toMatchObject({
    status: 200,
    body: { success: true, message: 'Compte créé avec succès ! Vous pouvez maintenant vous connecter.' },
  });
  const [profile] = await server.database.asOwner(`select * from public.profiles where full_name = 'Zoé Nouvelle'`);
  expect(profile).toMatchObject({
    role: 'client',
    email: 'zoe.nouvelle@example.fr',
    phone: null,
    commercial_id: null,
    is_test: false,
  });
  const { body } = await signIn('zoe.nouvelle@example.fr', PASSWORD);
  expect(body).toMatchObject({ profile: { role: 'client' }, user: { app_metadata: { role: 'client' } } });
});

test('[F-02] [V-01] a missing field, a taken e-mail, a short password: in French', async () => {
  const taken = await aClient(server.database);
  const register = (body: Record<string, unknown>) =>
    callAs(server, undefined, 'auth-signup', {
      email: 'neuf@example.fr',
      password: PASSWORD,
      full_name: 'Neuf',
      ...body,
    });
  expect(await register({ email: taken.email })).toMatchObject({
    status: 409,
    body: { error: 'Un compte existe déjà avec cet e-mail.', code: 'email_taken' },
  });
  const missing = await register({ email: '', password: '', full_name: '' });
  expect(missing.status).toBe(400);
  expect(missing.body.issues).toHaveLength(3);
  expect((await register({ password: 'court' })).body.issues[0].message).toContain('au moins 10 caractères');
});
