import { createHash, createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, only, startTestServer } from '../../testing/index.ts';
import type { Person, ReceivedMail, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

// [F-15] A friend, who has no account and gave nothing to anybody, is left alone as soon as they say so.

let server: TestServer;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

const address = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;
const aReferrer = () => aClient(server.database, { commercial });
const sayNo = (token: string) => callAs(server, undefined, 'friend-opt-out', { token });

type Referral = { readonly id: string; readonly email: string; readonly token: string };

async function invite(client: Person, email = address()): Promise<Referral> {
  const reply = await callAs(server, client, 'send-invitation-email', {
    name: 'Ami Discret',
    email,
    phone: '06 11 22 33 44',
    personalMessage: 'Il habite au 3 rue des Lilas',
  });
  expect(reply.status).toBe(200);
  const mail = await server.mailbox.take(email);
  const token = new RegExp(`${server.url}/ne-plus-me-contacter#([\\w-]+)`, 'u').exec(mail.text)?.[1] ?? '';
  expect(mail.html).toContain(`/ne-plus-me-contacter#${token}`);
  expect(header(mail, 'list-unsubscribe')).toBe(`<${server.url}/one-click?token=${token}>`);
  expect(header(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  return { id: reply.body.data.id as string, email, token };
}

const header = ({ headers }: ReceivedMail, name: string) => headers.find(({ key }) => key === name)?.value;

const saleOf = async (id: string) =>
  only(await server.database.asOwner<Record<string, unknown>>('select * from public.sales where id = $1', [id]));

const FORGOTTEN = {
  status: 'rejected',
  rejection_reason: 'Cette personne ne souhaite pas être contactée',
  referred_contact_name: 'Contact effacé',
  referred_contact_email: null,
  referred_contact_phone: null,
  personal_message: null,
  commercial_notes: null,
};

test('[F-15] the link of the e-mail, without an account: the referral closes, the contact details go, twice as once', async () => {
  const friend = await invite(await aReferrer());
  await callAs(server, commercial, 'sales-management?action=update_status', {
    sale_id: friend.id,
    status: 'contacted',
    commercial_notes: 'Rappeler Ami Discret le soir',
  });
  const replies = await Promise.all([sayNo(friend.token), sayNo(friend.token)]);
  for (const reply of [...replies, await sayNo(friend.token)]) {
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
  }
  expect(await saleOf(friend.id)).toMatchObject(FORGOTTEN);
});

test('[F-15] [TM-02] the mail program’s own « Se désabonner » says no at once; opening its address says nothing', async () => {
  const friend = await invite(await aReferrer());
  const url = `${server.url}/one-click?token=${friend.token}`;
  const opened = await fetch(url, { redirect: 'manual' });
  expect(opened.status).toBe(303);
  expect(opened.headers.get('location')).toBe(`${server.url}/ne-plus-me-contacter#${friend.token}`);
  expect(await saleOf(friend.id)).toMatchObject({ status: 'pending', referred_contact_email: friend.email });
  // Neither a key nor a session nor a cookie, as a mail provider posts it.
  const posted = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect([posted.status, posted.headers.get('set-cookie')]).toEqual([200, null]);
  expect(await saleOf(friend.id)).toMatchObject(FORGOTTEN);
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(`${server.url}/one-click?token=${friend.token.slice(0, -4)}`, {
      method,
      redirect: 'manual',
    });
    expect(answer.status).toBe(404);
  }
});

test('[F-15] referrals of other clients to the same address are erased too, one with a contract stays', async () => {
  const email = address();
  const first = await invite(await aReferrer(), email);
  const second = await invite(await aReferrer(), email);
  const third = await invite(await aReferrer(), email);
  const signed = await callAs(server, commercial, 'sales-management?action=update_status', {
    sale_id: third.id,
    status: 'validated',
    contract_amount: 1200,
    contract_description: 'Contrat signé',
  });
  expect(signed.status).toBe(200);
  expect((await sayNo(first.token)).status).toBe(200);
  expect(await saleOf(first.id)).toMatchObject(FORGOTTEN);
  expect(await saleOf(second.id)).toMatchObject(FORGOTTEN);
  expect(await saleOf(third.id)).toMatchObject({ status: 'validated', referred_contact_email: email });
});

test('[F-15] nobody can invite a person who said no, and nothing is written or sent', async () => {
  const friend = await invite(await aReferrer());
  await sayNo(friend.token);
  const other = await aReferrer();
  const reply = await callAs(server, other, 'send-invitation-email', {
    name: 'Ami',
    email: friend.email.toUpperCase(),
  });
  expect(reply).toMatchObject({
    status: 409,
    body: { code: 'friend_opted_out', error: 'Cette personne a demandé à ne pas être contactée.' },
  });
  expect(
    await server.database.asOwner('select from public.sales where friend_referrer_id = $1', [other.id]),
  ).toHaveLength(0);
});

test('[DF-30] a no said by one writing of an address is a no by all of them, and a no of before still counts', async () => {
  const name = `jean.dupont${randomUUID().slice(0, 8)}`;
  const friend = await invite(await aReferrer(), `${name}@gmail.com`);
  await sayNo(friend.token);
  const other = await aReferrer();
  const refused = { status: 409, body: { code: 'friend_opted_out' } };
  for (const email of [
    `${name.replace('.', '')}@gmail.com`,
    `${name.toUpperCase()}+ami@GoogleMail.com`,
    `${name.slice(0, 4)}\u200b${name.slice(4)}@gmail.com`,
    `${name}@ｇmail.com`,
  ]) {
    expect(await callAs(server, other, 'send-invitation-email', { name: 'Ami', email })).toMatchObject(refused);
  }
  // A mark made before addresses had one form: of the address as it was written.
  const former = `marie.martin${randomUUID().slice(0, 8)}@gmail.com`;
  const mark = createHmac('sha256', server.services.secrets.derive('opted-out-mark')).update(former).digest();
  await server.database.asOwner('insert into private.opted_out (mark) values ($1)', [mark]);
  expect(await callAs(server, other, 'send-invitation-email', { name: 'Ami', email: former })).toMatchObject(refused);
});

test('[F-15] saying no while others invite: no referral survives with its contact details', async () => {
  const email = address();
  const friend = await invite(await aReferrer(), email);
  const referrers = await Promise.all(Array.from({ length: 6 }, aReferrer));
  await Promise.all([
    sayNo(friend.token),
    ...referrers.map((client) => callAs(server, client, 'send-invitation-email', { name: 'Ami', email })),
  ]);
  expect(
    await server.database.asOwner('select from public.sales where referred_contact_email = $1', [email]),
  ).toHaveLength(0);
});

test('[F-15] a cut, invented or foreign link is refused with a sentence, and erases nothing', async () => {
  const friend = await invite(await aReferrer());
  const sealedElsewhere = server.services.secrets.seal('payment-details', friend.id).toString('base64url');
  for (const token of [friend.token.slice(0, -4), 'x', '«»', sealedElsewhere, friend.id]) {
    expect(await sayNo(token)).toMatchObject({ status: 404, body: { code: 'opt_out_link_unknown' } });
  }
  for (const token of ['', 'x'.repeat(500), 3, null]) {
    const reply = await callAs(server, undefined, 'friend-opt-out', { token });
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  }
  expect(await saleOf(friend.id)).toMatchObject({ status: 'pending', referred_contact_email: friend.email });
});

test('[F-15, P-04] the record of a refusal is unreadable, and cannot be found by an address', async () => {
  const friend = await invite(await aReferrer());
  await sayNo(friend.token);
  const marks = await server.database.asOwner<{ mark: Buffer }>('select mark from private.opted_out');
  expect(marks.length).toBeGreaterThan(0);
  // A thief of the table without the key cannot try addresses against it.
  const guess = createHash('sha256').update(friend.email).digest('hex');
  expect(marks.map(({ mark }) => mark.toString('hex'))).not.toContain(guess);
  for (const role of ['anon', 'authenticated', 'service_role']) {
    const rights = await server.database.asOwner<{ readable: boolean; callable: boolean }>(
      `select has_table_privilege($1, 'private.opted_out', 'select') as readable,
        has_function_privilege($1, 'private.opt_out_contact(text, bytea)', 'execute') as callable`,
      [role],
    );
    expect(rights).toEqual([{ readable: false, callable: false }]);
  }
  const audited = await server.database.asOwner<{ entry: string }>(
    'select row_to_json(a)::text as entry from public.audit_entries a where a.entity_id = $1',
    [friend.id],
  );
  expect(audited.map(({ entry }) => entry).join('\n')).not.toMatch(/Discret|@example/u);
});
