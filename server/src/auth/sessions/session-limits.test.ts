import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, refreshWith, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { ALL_CLOSED, ALL_OPEN, knock } from '../../testing/doors.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

/** A node for each setting, on one database. */
let server: TestServer;
const nodes = new Map<string, TestServer>();
beforeAll(async () => {
  server = await startTestServer({ environment: { ...common } });
  for (const [setting, value] of [
    ['SESSION_MAX_HOURS', '8'],
    ['SESSION_IDLE_HOURS', '2'],
    ['SESSION_LOW_AAL_MINUTES', '10'],
    ['SESSION_SINGLE', 'on'],
  ] as const) {
    const node = await startTestServer({
      database: server.database,
      jobs: false,
      environment: { ...common, [setting]: value },
    });
    nodes.set(setting, node);
  }
});
afterAll(async () => {
  for (const node of nodes.values()) await node.close();
  await server.close();
});

const common = { PUBLIC_URL: 'http://parrain.test', TRUST_PROXY: '1' };

function nodeWith(setting: string): TestServer {
  const node = nodes.get(setting);
  if (node === undefined) throw new Error(`No node has ${setting}`);
  return node;
}

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.21.0.${lastNetwork}` };
}

async function arrive(
  node: TestServer,
  known?: TestAccount,
): Promise<{ readonly account: TestAccount; readonly client: SupabaseClient; readonly session: Session }> {
  const account = known ?? (await anAccount(server, { role: 'admin' }));
  return { account, ...(await signedIn(node, account, elsewhere())) };
}

/** As if the session had been opened, used and limited that much earlier. */
async function age(
  session: Session,
  interval: string,
  columns = ['created_at', 'refreshed_at', 'not_after'],
): Promise<void> {
  const set = columns.map((column) => `${column} = ${column} - $2::interval`).join(', ');
  await server.database.asOwner(`update auth.sessions set ${set} where id = $1`, [sessionId(session), interval]);
}

function sessionId(session: Session): string {
  return String(claimsOf(session.access_token)['session_id']);
}

function claimsOf(token: string): Record<string, unknown> {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
}

async function expectOver(node: TestServer, session: Session): Promise<void> {
  expect(await knock(node, session.access_token)).toEqual(ALL_CLOSED);
  expect((await clientOf(node).auth.getUser(session.access_token)).error).toMatchObject({
    status: 403,
    code: 'session_expired',
  });
  const refused = await refreshWith(node, session.refresh_token);
  expect(refused).toMatchObject({ status: 400, body: { code: 'session_expired' } });
}

describe('SESSION_MAX_HOURS', () => {
  test('[AU-03] a session does not outlast its duration, at any door, even refreshed', async () => {
    const node = nodeWith('SESSION_MAX_HOURS');
    const { session } = await arrive(node);
    expect(session.expires_in).toBe(3600);
    // Pages say it ahead (DF-85).
    const endsAt = claimsOf(session.access_token)['session_ends_at'];
    expect(Number(endsAt) - (session.expires_at ?? 0)).toBeGreaterThan(7 * 3600 - 60);
    expect(await knock(node, session.access_token)).toEqual(ALL_OPEN);

    await age(session, '7 hours 30 minutes');
    const refreshed = await refreshWith(node, session.refresh_token);
    expect(refreshed.status).toBe(200);
    // The last token ends with the session.
    expect(refreshed.body['expires_in']).toBeGreaterThan(1700);
    expect(refreshed.body['expires_in']).toBeLessThanOrEqual(1800);

    await age(session, '30 minutes');
    await expectOver(node, {
      ...session,
      access_token: String(refreshed.body['access_token']),
      refresh_token: String(refreshed.body['refresh_token']),
    });
  });

  test('[AU-03] a session opened before the limit was set falls under it at its refresh', async () => {
    const { session } = await arrive(server);
    await age(session, '9 hours');
    const refused = await refreshWith(nodeWith('SESSION_MAX_HOURS'), session.refresh_token);
    expect(refused).toMatchObject({ status: 400, body: { code: 'session_expired' } });
    expect((await refreshWith(server, session.refresh_token)).status).toBe(200);
  });
});

describe('SESSION_IDLE_HOURS', () => {
  test('[AU-03] [DF-85] unused, it ends; used, it lasts, so that its token names no end', async () => {
    const node = nodeWith('SESSION_IDLE_HOURS');
    const { session } = await arrive(node);
    expect(claimsOf(session.access_token)).not.toHaveProperty('session_ends_at');
    let token = session.refresh_token;
    for (let use = 0; use < 3; use += 1) {
      await age(session, '1 hour 50 minutes');
      const refreshed = await refreshWith(node, token);
      expect(refreshed.status).toBe(200);
      token = String(refreshed.body['refresh_token']);
    }
    await age(session, '2 hours');
    await expectOver(node, { ...session, refresh_token: token });
  });
});

describe('SESSION_LOW_AAL_MINUTES', () => {
  test('[AU-17] without the second step that it waits for, a session ends soon; the others do not', async () => {
    const node = nodeWith('SESSION_LOW_AAL_MINUTES');
    const simple = await arrive(node);
    expect(simple.session.expires_in).toBe(3600);
    await age(simple.session, '20 minutes');
    expect((await refreshWith(node, simple.session.refresh_token)).status).toBe(200);

    const application = await enrolTotp(simple.client);
    await passTotp(simple.client, application, -1);
    const raised = (await simple.client.auth.getSession()).data.session;
    if (raised === null) throw new Error('Nobody is signed in');
    expect(raised.expires_in).toBe(3600);
    expect(await knock(node, raised.access_token)).toEqual(ALL_OPEN);

    const low = await arrive(node, simple.account);
    expect(low.session.expires_in).toBeLessThanOrEqual(600);
    await age(low.session, '10 minutes');
    await expectOver(node, low.session);
    expect((await low.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'b' })).error?.code).toBe(
      'session_expired',
    );
    await age(raised, '10 minutes');
    expect((await refreshWith(node, raised.refresh_token)).status).toBe(200);
  });
});

describe('SESSION_SINGLE', () => {
  test('[AU-03] the last sign-in ends the other sessions, at every door', async () => {
    const node = nodeWith('SESSION_SINGLE');
    const first = await arrive(node);
    expect(await knock(node, first.session.access_token)).toEqual(ALL_OPEN);
    const second = await arrive(node, first.account);
    await expectOver(node, first.session);
    expect(await knock(node, second.session.access_token)).toEqual(ALL_OPEN);
    const refreshed = await refreshWith(node, second.session.refresh_token);
    expect(refreshed.status).toBe(200);
  });

  test('[AU-03] of ten simultaneous sign-ins one session remains', async () => {
    const node = nodeWith('SESSION_SINGLE');
    const account = await anAccount(server);
    await Promise.all(Array.from({ length: 10 }, () => arrive(node, account)));
    const alive = await server.database.asOwner(
      'select from auth.sessions where user_id = $1 and (not_after is null or not_after > now())',
      [account.id],
    );
    expect(alive).toHaveLength(1);
  });

  test('[AU-17] a person with a second factor is not signed out by somebody with the password alone', async () => {
    const node = nodeWith('SESSION_SINGLE');
    const owner = await arrive(node);
    const application = await enrolTotp(owner.client);
    await passTotp(owner.client, application, -1);
    const raised = (await owner.client.auth.getSession()).data.session;
    if (raised === null) throw new Error('Nobody is signed in');

    const other = await arrive(node, owner.account);
    expect(await knock(node, raised.access_token)).toEqual(ALL_OPEN);
    await other.client.auth.mfa.challengeAndVerify({
      factorId: application.factorId,
      code: application.code(Date.now()),
    });
    await expectOver(node, raised);
  });
});

test('[AU-03] without a setting a session has no end', async () => {
  const { session } = await arrive(server);
  await age(session, '300 days');
  expect((await refreshWith(server, session.refresh_token)).status).toBe(200);
  expect(await knock(server, session.access_token)).toEqual(ALL_OPEN);
});
