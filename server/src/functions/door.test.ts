import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

let server: TestServer;
let people: Record<'admin' | 'commercial' | 'client', Person>;
beforeAll(async () => {
  server = await startTestServer();
  const commercial = await aCommercial(server.database);
  people = {
    admin: await anAdmin(server.database),
    commercial,
    client: await aClient(server.database, { commercial }),
  };
});
afterAll(() => server.close());

const id = randomUUID();

/** Every action, and who may call it. */
const rights: readonly (readonly [
  address: string,
  body: Record<string, unknown> | undefined,
  who: readonly string[],
])[] = [
  ['company-settings?action=update_name', { company_name: 'Ici' }, ['admin']],
  ['company-settings?action=upload_logo', undefined, ['admin']],
  ['invite-commercial', {}, ['admin']],
  ['remove-commercial', { commercial_id: id }, ['admin']],
  ['reactivate-commercial', { commercial_id: id }, ['admin']],
  ['commission-management?action=create_commission_rate', {}, ['admin']],
  ['commission-management?action=archive_commission_rate', { commission_rate_id: id }, ['admin']],
  ['commission-management?action=restore_commission_rate', { commission_rate_id: id }, ['admin']],
  ['commission-management?action=set_default_commission_rate', { commission_rate_id: id }, ['admin']],
  ['payment-request?action=update_status', {}, ['admin']],
  ['payment-request', { action: 'annul_approval' }, ['admin']],
  ['payment-request', { action: 'list' }, ['client']],
  ['payment-request', { action: 'create' }, ['client']],
  ['payment-request', { action: 'details', request_id: id }, ['admin', 'client']],
  ['clean-database', undefined, ['admin']],
  ['sales-management', { action: 'update_status' }, ['commercial']],
  ['sales-management', { action: 'undo_status' }, ['commercial']],
  ['sales-management', { action: 'validate' }, ['admin']],
  ['sales-management', { action: 'reject' }, ['admin']],
  ['sales-management', { action: 'cancel_validation' }, ['admin']],
  ['invite-client', {}, ['admin', 'commercial']],
  ['invitation-outcome', { person_id: id }, ['admin', 'commercial']],
  ['update-client', {}, ['admin', 'commercial']],
  ['assign-client', {}, ['admin']],
  ['delete-client', {}, ['admin', 'commercial']],
  ['send-invitation-email', {}, ['client']],
];

describe('which caller may call which action', () => {
  test.for(rights)('[F-17] [P-01] [P-02] [P-03] %s %o', async ([address, body, who]) => {
    const visitor = await callAs(server, undefined, address, body);
    expect(visitor).toMatchObject({ status: 401, body: { code: 'session_expired' } });
    for (const [role, person] of Object.entries(people)) {
      const { status, body: reply } = await callAs(server, person, address, body);
      if (!who.includes(role))
        expect({ role, status, code: reply.code }).toEqual({ role, status: 403, code: 'forbidden' });
      else expect({ role, code: reply.code }).not.toEqual({ role, code: 'forbidden' });
      expect(status).toBeLessThan(500);
    }
  });

  test('[P-04] a role that somebody else wrote into a token is worth nothing: the database reads the profile again', async () => {
    const forged: Person = { ...people.client, role: 'admin' };
    const reply = await callAs(server, forged, 'sales-management', {
      action: 'reject',
      sale_id: id,
      reason: 'Non',
      seen_version: 1,
    });
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const named = await callAs(server, forged, 'company-settings?action=update_name', { company_name: 'À moi' });
    expect(named.status).toBe(403);
  });
});

describe('sessions and keys', () => {
  test('[E-02] [F-17] an ended session answers 401 in the words of the role', async () => {
    const { database } = server;
    for (const [person, sentence] of [
      [await anAdmin(database), 'Erreur: Session expirée, veuillez vous reconnecter'],
      [await aCommercial(database), 'Session expirée, veuillez vous reconnecter'],
      [await aClient(database), 'Votre session a expiré. Veuillez vous reconnecter.'],
    ] as const) {
      const before = await callAs(server, person, 'company-settings?action=get', undefined, { method: 'GET' });
      expect(before.status).toBe(200);
      await database.asOwner('delete from auth.sessions where id = $1', [person.sessionId]);
      const after = await callAs(server, person, 'company-settings?action=get', undefined, { method: 'GET' });
      expect(after).toMatchObject({ status: 401, body: { error: sentence, code: 'session_expired' } });
    }
  });

  test('[E-02] an expired or damaged token answers 401, never as a visitor', async () => {
    const token = await server.tokenOf(people.client);
    const [head, payload] = token.split('.');
    for (const bad of [`${head}.${payload}.AAAA`, `${head}.${payload}`, 'x', `${token}x`]) {
      const reply = await server.fetch('/functions/v1/send-invitation-email', {
        method: 'POST',
        headers: { authorization: `Bearer ${bad}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(reply.status).toBe(401);
      expect(await reply.json()).toMatchObject({ code: 'session_expired' });
    }
    const expired = await server.services.tokens.sign(
      {
        sub: people.client.id,
        session_id: people.client.sessionId,
        role: 'authenticated',
        app_metadata: { role: 'client' },
      },
      { expiresInSeconds: -60 },
    );
    const reply = await server.fetch('/functions/v1/send-invitation-email', {
      method: 'POST',
      headers: { authorization: `Bearer ${expired.token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ error: 'Votre session a expiré. Veuillez vous reconnecter.' });
  });

  test('[F-17] without a key, or with an unknown one, nothing answers', async () => {
    for (const headers of [{}, { apikey: 'sb_publishable_nope' }]) {
      const reply = await fetch(`${server.url}/functions/v1/auth-signin`, { method: 'POST', headers });
      expect(reply.status).toBe(401);
      expect(await reply.json()).toMatchObject({ error: 'La clé d’API est absente ou inconnue.' });
    }
  });

  test('[P-04] the secret key is nobody: it acts for no role', async () => {
    const reply = await server.fetch('/functions/v1/clean-database', {
      method: 'POST',
      headers: { apikey: server.services.keys.secretKey },
    });
    expect(reply.status).toBe(401);
  });
});

describe('the form of calls', () => {
  test('[F-17] W19: an action given twice, unknown or absent is refused', async () => {
    for (const [address, body] of [
      ['payment-request?action=update_status', { action: 'list' }],
      ['payment-request?action=list', { action: 'list' }],
      ['payment-request?action=list&action=create', {}],
      ['payment-request', { action: 'constructor' }],
      ['payment-request', { action: ['list'] }],
      ['payment-request', {}],
      ['payment-request', undefined],
    ] as const) {
      const reply = await callAs(server, people.client, address, body);
      expect({ address, status: reply.status, code: reply.body.code }).toEqual({
        address,
        status: 400,
        code: 'action_unknown',
      });
    }
  });

  test('another method answers 405, another address 404, in JSON and without cache', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      expect((await callAs(server, people.admin, 'clean-database', undefined, { method })).status).toBe(405);
    }
    expect((await callAs(server, people.admin, 'clean-database', undefined, { method: 'GET' })).status).toBe(405);
    expect((await callAs(server, people.admin, 'company-settings?action=get')).status).toBe(405);
    for (const address of [
      'clean-database/',
      'Clean-Database',
      'clean%2Ddatabase%2F',
      'clean-database%252f',
      '__proto__',
      'rien',
    ]) {
      const reply = await server.fetch(`/functions/v1/${address}`, { method: 'POST' }, people.admin);
      expect({ address, status: reply.status }).toEqual({ address, status: 404 });
      expect(reply.headers.get('content-type')).toContain('application/json');
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('[P-04][I-54] only JSON carried by a token is read, never a form of another site', async () => {
    for (const [type, body] of [
      ['text/plain', '{"action":"list"}'],
      ['application/x-www-form-urlencoded', 'action=list'],
      ['application/xml', '<action>list</action>'],
    ] as const) {
      const reply = await server.fetch(
        '/functions/v1/payment-request',
        { method: 'POST', headers: { 'content-type': type }, body },
        people.client,
      );
      expect({ type, status: reply.status }).toEqual({ type, status: 400 });
    }
  });

  test('threat 66: JSON that is damaged, poisoned or no object is refused in French', async () => {
    for (const body of [
      '{',
      'null',
      '[]',
      '"liste"',
      '{"__proto__":{"action":"list"}}',
      '{"constructor":{"prototype":{"action":"list"}}}',
    ]) {
      const reply = await server.fetch(
        '/functions/v1/payment-request',
        { method: 'POST', headers: { 'content-type': 'application/json' }, body },
        people.client,
      );
      expect({ body, status: reply.status }).toEqual({ body, status: 400 });
      expect(typeof ((await reply.json()) as { error: unknown }).error).toBe('string');
    }
  });

  test('threat 68: a NUL or a lone surrogate is refused, never an error 500', async () => {
    for (const name of ['a\u0000b', 'a\ud800b', 'a\u202eb']) {
      const reply = await callAs(server, people.admin, 'company-settings?action=update_name', { company_name: name });
      expect(reply.status).toBe(400);
    }
  });

  test('[F-17] an answer’s body is JSON to the official client, and CORS lets the idempotency key through', async () => {
    const preflight = await fetch(`${server.url}/functions/v1/payment-request`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://ailleurs.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,authorization,idempotency-key',
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const reply = await callAs(server, people.client, 'payment-request', { action: 'list' });
    expect(reply).toMatchObject({ status: 200, body: { success: true, data: [] } });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.has('x-relay-error')).toBe(false);
  });
});
