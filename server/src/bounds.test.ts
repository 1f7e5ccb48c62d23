import { phoneInvalid } from '@parrain/domain/messages';
import { nameExamples } from '@parrain/domain/name-examples';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { anAccount, signedIn } from './testing/accounts.ts';
import { callAs } from './testing/call-function.ts';
import { aClient, aCommercial, anAdmin, aSale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { refusalOf } from './testing/protocol.ts';

// Daily limits on the records that one person can create (FX-07). docs/operations/limits.md is the list; the limits on mails are in
// functions/unasked-mails.test.ts.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
});
beforeEach(async () => {
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
});
afterAll(() => server.close());

/** All but so many of the day's have been used. */
const leave = (bucket: string, tokens: number) =>
  server.database.asOwner(
    `insert into private.rate_limits (bucket, tokens) values ($1, $2)
     on conflict (bucket) do update set tokens = excluded.tokens, refilled_at = clock_timestamp()`,
    [bucket, tokens],
  );
const countOf = async (from: string, values: readonly unknown[] = []) =>
  Number((await server.database.asOwner<{ n: string }>(`select count(*) as n from ${from}`, values))[0]?.n);
const UNTIL = /^Vous avez atteint la limite du jour pour cette action\. Réessayez dans \d+ (?:minutes|h)\.$/u;

const rename = async (who: Person, change: Record<string, unknown>) => {
  const reply = await server.fetch(
    `/rest/v1/profiles?id=eq.${who.id}`,
    { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) },
    who,
  );
  const text = await reply.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: reply.status, retryAfter: Number(reply.headers.get('retry-after')), body };
};

describe('one’s own profile, written straight to the table', () => {
  test('[DF-28] takes no telephone that the form refuses, no name that calls or writes to strangers', async () => {
    const name =
      'Ce nom n’est pas accepté : 120 caractères au maximum, sur une ligne, sans adresse de site, numéro de téléphone ni phrase';
    const someone = await aClient(server.database, { commercial: await aCommercial(server.database) });
    for (const full_name of nameExamples.texts) {
      expect(await rename(someone, { full_name })).toMatchObject({
        status: 400,
        body: { code: 'PR001', message: name },
      });
    }
    for (const phone of ['appelez-moi', '06 12 34 56 78 (le soir)', '12', '06<b>', '06#12#34#56']) {
      expect(await rename(someone, { phone })).toMatchObject({
        status: 400,
        body: { code: 'PR001', message: phoneInvalid },
      });
    }
    expect((await rename(someone, { full_name: 'Ana Costa', phone: '+33 (0)6 12-34.56/78' })).status).toBe(204);
  });

  test('[FX-06] holds to the rules of the form, and says so in French', async () => {
    const name =
      'Ce nom n’est pas accepté : 120 caractères au maximum, sur une ligne, sans adresse de site, numéro de téléphone ni phrase';
    for (const full_name of [
      'Ana\r\nBcc: x@y.fr',
      'Ana\u001b[2J',
      'Gagnez 500 € : https://exemple.fr',
      'x'.repeat(121),
    ]) {
      expect(await rename(client, { full_name })).toMatchObject({
        status: 400,
        body: { code: 'PR001', details: 'invalid_input', message: name },
      });
    }
    expect(await rename(client, { phone: '0'.repeat(900_000) })).toMatchObject({
      status: 400,
      body: { code: 'PR001', message: 'Le numéro de téléphone n’est pas valide. Exemple : 06 12 34 56 78' },
    });
  });

  test('[FX-07] thirty changes a day; what changes nothing, or is refused, counts for nothing', async () => {
    for (let count = 0; count < 30; count += 1) {
      expect((await rename(client, { full_name: `Ana ${count}` })).status).toBe(204);
    }
    expect((await rename(client, { full_name: 'Ana 29' })).status).toBe(204);
    const entries = await countOf('public.audit_entries where entity_id = $1', [client.id]);
    const refused = await rename(client, { full_name: 'Ana Trop' });
    expect(refused).toMatchObject({ status: 429, body: { message: expect.stringMatching(UNTIL) } });
    expect(refused.retryAfter).toBeGreaterThan(600);
    expect(await countOf('public.audit_entries where entity_id = $1', [client.id])).toBe(entries);
    expect((await rename(commercial, { phone: '06 12 34 56 78' })).status).toBe(204);
  });
});

test('[FX-07] one asks three times a day to close one’s account: each request writes to every admin', async () => {
  const ask = () => callAs(server, client, 'account-closure?action=request', {});
  const withdraw = () => callAs(server, client, 'account-closure?action=withdraw', {});
  for (let count = 0; count < 3; count += 1) {
    expect((await ask()).status).toBe(200);
    expect((await withdraw()).status).toBe(200);
  }
  expect(await ask()).toMatchObject({
    status: 429,
    body: { code: 'daily_limit', error: expect.stringMatching(UNTIL) },
  });
  expect(await countOf('public.account_closure_requests where profile_id = $1', [client.id])).toBe(3);
});

describe('the trail', () => {
  const move = (saleId: string, notes: string) =>
    callAs(server, commercial, 'sales-management', {
      action: 'update_status',
      sale_id: saleId,
      status: 'contacted',
      commercial_notes: notes,
    });

  test('[FX-07] what a commercial and a client write in it in a day has an end, what an admin decides has none', async () => {
    const { id } = await aSale(server.database, { commercial, friendReferrer: client });
    await leave(`day:audit:${commercial.id}`, 1);
    expect((await move(id, 'un')).status).toBe(200);
    expect(await move(id, 'deux')).toMatchObject({ status: 429, body: { code: 'daily_limit' } });
    await leave(`day:audit:${client.id}`, 0);
    expect((await rename(client, { full_name: 'Ana Martin' })).status).toBe(429);
    await leave(`day:audit:${admin.id}`, 0);
    expect((await rename(admin, { full_name: 'Aline Martin' })).status).toBe(204);
  });

  test('[FX-07] answers that are kept for a retry have an end as well', async () => {
    const { id } = await aSale(server.database, { commercial, friendReferrer: client });
    const body = { action: 'update_status', sale_id: id, status: 'contacted', commercial_notes: 'un' };
    await leave(`day:idempotency:${commercial.id}`, 1);
    const key = randomUUID();
    expect((await callAs(server, commercial, 'sales-management', body, { key })).status).toBe(200);
    expect((await callAs(server, commercial, 'sales-management', body, { key })).status).toBe(200);
    expect((await callAs(server, commercial, 'sales-management', body, { key: randomUUID() })).status).toBe(429);
    expect((await callAs(server, commercial, 'sales-management', body)).status).toBe(200);
  });
});

describe('sessions', () => {
  test('[FX-07] a person has a hundred devices; the one used longest ago gives way to the next', async () => {
    const account = await anAccount(server);
    await server.database.asOwner(
      `insert into auth.sessions (user_id, refresh_key_sealed, created_at, refreshed_at, tag)
       select $1, '\\x00', now() - make_interval(hours => n), now() - make_interval(hours => n), n::text
       from generate_series(100, 1, -1) n`,
      [account.id],
    );
    await signedIn(server, account);
    expect(await countOf('auth.sessions where user_id = $1', [account.id])).toBe(100);
    expect(await countOf(`auth.sessions where user_id = $1 and tag = '100'`, [account.id])).toBe(0);
    expect(await countOf(`auth.sessions where user_id = $1 and tag = '99'`, [account.id])).toBe(1);
  });

  test('[FX-07] and opens a thousand a day', async () => {
    const account = await anAccount(server);
    await leave(`day:session:${account.id}`, 1);
    await signedIn(server, account);
    const again = await callAs(server, undefined, 'auth-signin', { email: account.email, password: account.password });
    expect(again).toMatchObject({ status: 429, body: { code: 'daily_limit' } });
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(60);
    const protocol = await (await server.client()).auth.signInWithPassword(account);
    expect(refusalOf(protocol)).toEqual([429, 'over_request_rate_limit']);
  });

  test('[FX-07] what one does with one’s account in a day has an end; reading it and leaving it have none', async () => {
    const account = await anAccount(server);
    const { client: person } = await signedIn(server, account);
    await leave(`day:acts:${account.id}`, 1);
    expect((await person.auth.updateUser({ data: { couleur: 'bleu' } })).error).toBeNull();
    const limit = [429, 'over_request_rate_limit'];
    expect(refusalOf(await person.auth.updateUser({ data: { couleur: 'vert' } }))).toEqual(limit);
    expect(refusalOf(await person.auth.mfa.enroll({ factorType: 'totp' }))).toEqual(limit);
    expect((await person.auth.getUser()).error).toBeNull();
    expect((await person.auth.signOut()).error).toBeNull();
  });

  test('[FX-04] ten changes of address a day: each writes to somebody who may not have asked for it', async () => {
    const account = await anAccount(server);
    const { client: person } = await signedIn(server, account);
    await leave(`day:address:${account.id}`, 0);
    const refused = refusalOf(await person.auth.updateUser({ email: `autre-${randomUUID()}@example.fr` }));
    expect(refused).toEqual([429, 'over_email_send_rate_limit']);
  });
});

describe('messages that are kept', () => {
  const keep = async (who: Person | 'secret', topic: string) => {
    const headers = { 'content-type': 'application/json' };
    const init = {
      method: 'POST',
      body: '{}',
      headers: who === 'secret' ? { ...headers, apikey: server.services.keys.secretKey } : headers,
    };
    const reply = await server.fetch(
      `/realtime/v1/api/broadcast/${topic}/events/e?private=true&persist=true`,
      init,
      who === 'secret' ? undefined : who,
    );
    return { status: reply.status, text: await reply.text() };
  };

  test('[FX-07] only the server keeps messages in the topic of a role', async () => {
    const refused = await keep(client, 'role:client');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Only the server keeps messages in the topic of a role');
    expect((await keep('secret', 'role:client')).status).toBe(202);
  });

  test('[FX-07] a person keeps a hundred a day in their own', async () => {
    await leave(`day:keep-broadcast:${client.id}`, 1);
    expect((await keep(client, `user:${client.id}`)).status).toBe(202);
    const refused = await keep(client, `user:${client.id}`);
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/try again in \d+ seconds/u);
  });
});

test('[FX-07] an admin stores a hundred files a day', async () => {
  const logo = () => {
    const form = new FormData();
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    form.set('file', new File([drawing], 'logo.svg', { type: 'image/svg+xml' }));
    return callAs(server, admin, 'company-settings?action=upload_logo', form);
  };
  await leave(`day:file:${admin.id}`, 1);
  expect((await logo()).status).toBe(200);
  expect(await logo()).toMatchObject({ status: 429, body: { code: 'daily_limit' } });
});

test('[FX-07] three hundred accounts a day are opened for others by one person', async () => {
  await leave(`day:invitation:${commercial.id}`, 1);
  const invite = () =>
    callAs(server, commercial, 'invite-client', { name: 'Chloé', email: `chloe-${randomUUID()}@example.fr` });
  expect((await invite()).status).toBe(200);
  expect(await invite()).toMatchObject({ status: 429, body: { code: 'daily_limit' } });
});
