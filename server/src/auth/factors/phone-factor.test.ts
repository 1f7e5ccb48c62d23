import type { SupabaseClient } from '@supabase/supabase-js';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { administratorOf, anAccount, signedIn } from '../../testing/accounts.ts';
import { only, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

const sent: { to: string; text: string }[] = [];
let isRefusing = false;
let provider: Server;
let server: TestServer;
beforeAll(async () => {
  provider = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (!isRefusing) sent.push(JSON.parse(text) as { to: string; text: string });
      response.writeHead(isRefusing ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  server = await startTestServer({
    doors: ['auth', 'rest'],
    jobs: false,
    environment: {
      TRUST_PROXY: '1',
      MFA_PHONE: 'on',
      SMS_URL: `http://jeton@127.0.0.1:${(provider.address() as AddressInfo).port}/sms`,
    },
  });
});
afterAll(async () => {
  await server.close();
  provider.close();
});

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.15.0.${lastNetwork}` };
}

async function aPerson(): Promise<{ readonly client: SupabaseClient; readonly id: string }> {
  const account = await anAccount(server);
  return { client: (await signedIn(server, account, elsewhere())).client, id: account.id };
}

async function enrolPhone(client: SupabaseClient, phone: string, friendlyName = 'Portable'): Promise<string> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'phone', friendlyName, phone });
  if (error !== null) throw error;
  return data.id;
}

/** The code of the last SMS to a number. */
function codeTo(phone: string): string {
  const [, code] = /\b(\d{6})\b/u.exec(sent.findLast(({ to }) => to === phone)?.text ?? '') ?? [];
  if (code === undefined) throw new Error('No code was sent there');
  return code;
}

async function waited(factorId: string): Promise<void> {
  await server.database.asOwner(
    `update auth.factors set last_challenged_at = now() - interval '61 seconds' where id = $1`,
    [factorId],
  );
}

test('[AU-17] a telephone, by text message: enrolment, code, second level', async () => {
  const { client } = await aPerson();
  const enrolled = await client.auth.mfa.enroll({
    factorType: 'phone',
    friendlyName: 'Portable',
    phone: '+33 6 12 34 56 01',
  });
  expect(enrolled.data).toEqual({
    id: expect.any(String),
    type: 'phone',
    friendly_name: 'Portable',
    phone: '33612345601',
  });
  const factorId = enrolled.data?.id ?? '';
  const { data } = await client.auth.mfa.challenge({ factorId, channel: 'sms' });
  expect(data).toMatchObject({ type: 'phone', expires_at: expect.any(Number) });
  const code = codeTo('+33612345601');
  expect(
    only(
      await server.database.asOwner<{ hash: Buffer }>('select code_hash as hash from auth.challenges where id = $1', [
        data?.id,
      ]),
    ).hash.includes(code),
  ).toBe(false);
  const { error } = await client.auth.mfa.verify({ factorId, challengeId: data?.id ?? '', code });
  expect(error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
    currentLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'mfa/phone' }, { method: 'password' }],
  });
  expect((await client.auth.mfa.listFactors()).data?.phone).toMatchObject([{ id: factorId, phone: '33612345601' }]);
  // One verified telephone is enough.
  expect(
    (await client.auth.mfa.enroll({ factorType: 'phone', friendlyName: 'Autre', phone: '+33612345602' })).error,
  ).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' });
});

test('[AU-17] the same number left unfinished is taken up again; a number that is none is refused', async () => {
  const { client } = await aPerson();
  const first = await enrolPhone(client, '+33612345603');
  const second = await enrolPhone(client, '+33612345603');
  expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id: second }]);
  expect(second).not.toBe(first);
  for (const phone of ['', 'abc', '0612345678', '+']) {
    const { error } = await client.auth.mfa.enroll({ factorType: 'phone', friendlyName: 'Autre', phone });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
  }
});

test('[AU-17] one code a minute; a wrong code is counted, a code of another challenge is worth nothing', async () => {
  const { client } = await aPerson();
  const factorId = await enrolPhone(client, '+33612345604');
  const { data: first } = await client.auth.mfa.challenge({ factorId });
  const old = codeTo('+33612345604');
  expect((await client.auth.mfa.challenge({ factorId })).error).toMatchObject({
    status: 429,
    code: 'over_sms_send_rate_limit',
  });
  await waited(factorId);
  const { data: second } = await client.auth.mfa.challenge({ factorId });
  const code = codeTo('+33612345604');
  const verify = async (challengeId: string | undefined, given: string) =>
    (await client.auth.mfa.verify({ factorId, challengeId: challengeId ?? '', code: given })).error;
  const wrong = code === '000000' ? '000001' : '000000';
  expect(await verify(second?.id, wrong)).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
  if (old !== code) {
    expect(await verify(second?.id, old)).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    expect(await verify(first?.id, code)).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
  }
  expect(await verify(second?.id, code)).toBeNull();
  expect(await verify(second?.id, code)).toMatchObject({ status: 422, code: 'mfa_ip_address_mismatch' });
});

test('[AU-17] a text message that does not leave leaves no challenge, and one may start again at once', async () => {
  const { client } = await aPerson();
  const factorId = await enrolPhone(client, '+33612345605');
  isRefusing = true;
  try {
    expect((await client.auth.mfa.challenge({ factorId })).error).toMatchObject({
      status: 422,
      code: 'sms_send_failed',
    });
  } finally {
    isRefusing = false;
  }
  expect(await server.database.asOwner('select id from auth.challenges where factor_id = $1', [factorId])).toEqual([]);
  expect((await client.auth.mfa.challenge({ factorId })).error).toBeNull();
});

test('[AU-17, AU-19] the secret key corrects the number', async () => {
  const { client, id } = await aPerson();
  const factorId = await enrolPhone(client, '+33612345606');
  const key = server.services.keys.secretKey;
  const put = async (phone: string) => {
    const response = await fetch(`${server.url}/auth/v1/admin/users/${id}/factors/${factorId}`, {
      method: 'PUT',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ phone }),
    });
    return response.status;
  };
  expect(await put('abc')).toBe(400);
  expect(await put('+33612345607')).toBe(200);
  expect((await administratorOf(server).auth.admin.mfa.listFactors({ userId: id })).data?.factors).toMatchObject([
    { phone: '33612345607' },
  ]);
});
