import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { referByLink } from './refer-by-link.ts';

// [CS-02] Both ways in refuse a friend whom another referred first; the admin sees the try and may decide otherwise.

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  [admin, commercial] = [await anAdmin(server.database), await aCommercial(server.database)];
  const set = (who: Person, months: unknown) =>
    callAs(server, who, 'company-settings?action=update_first_referral', { first_referral_months: months });
  expect((await set(commercial, 12)).status).toBe(403);
  expect((await set(admin, '61')).body.issues[0].message).toBe('Indiquez un nombre de mois, de 1 à 60.');
  expect((await set(admin, '12')).body.data).toMatchObject({ first_referral_months: 12 });
});
afterAll(() => server.close());

const address = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;
const aReferrer = (fullName: string) => aClient(server.database, { commercial, fullName });
const refer = (client: Person, email: string) =>
  callAs(server, client, 'send-invitation-email', { name: 'Ami', email });
const referrersOf = async (saleId: string) => {
  const reply = await callAs(server, admin, 'sales-management', { action: 'refused_referrers', sale_id: saleId });
  expect(reply.status).toBe(200);
  return (reply.body.data as { full_name: string; tries: number }[]).map(({ full_name: name, tries }) => [name, tries]);
};

test('[CS-02] the second referrer is refused in one sentence that names nobody, and no mail leaves; the admin sees the try', async () => {
  const email = address();
  const saleId = (await refer(await aReferrer('Camille Bernard'), email)).body.data.id as string;
  await server.mailbox.take(email);
  const second = await aReferrer('Nadia Roux');
  const reply = await refer(second, email.toUpperCase());
  expect(reply.status).toBe(409);
  expect(reply.body).toMatchObject({
    code: 'friend_referred_before',
    error: 'Cette personne a déjà été parrainée : le premier parrainage compte.',
  });
  expect(JSON.stringify(reply.body)).not.toContain('Camille');
  expect(server.mailbox.mails.filter((mail) => mail.recipients.includes(email))).toHaveLength(1);
  expect(await referrersOf(saleId)).toEqual([['Nadia Roux', 1]]);
  for (const person of [second, commercial]) {
    const read = await callAs(server, person, 'sales-management', { action: 'refused_referrers', sale_id: saleId });
    expect(read.status).toBe(403);
  }
});

test('[CS-02] a personal link refuses too, and its owner’s try is kept', async () => {
  const email = address();
  const saleId = (await refer(await aReferrer('Camille Bernard'), email)).body.data.id as string;
  const second = await aReferrer('Malik Petit');
  const { url } = (await callAs(server, second, 'personal-link?action=get', {})).body.data as { url: string };
  const friend = { name: 'Ami', email, phone: null, message: null, mayCall: false };
  await expect(
    referByLink(server.services, url.split('/').at(-1) ?? '', friend, {
      submission: randomUUID(),
      ip: '198.18.0.1',
      userAgent: null,
    }),
  ).rejects.toThrow();
  expect(await referrersOf(saleId)).toEqual([['Malik Petit', 1]]);
});

test('[CS-02] the admin gives the referral to the other with a reason, by what was on screen; it then earns for them', async () => {
  const email = address();
  const first = await aReferrer('Camille Bernard');
  const second = await aReferrer('Nadia Roux');
  const sale = (await refer(first, email)).body.data as { id: string; version: number };
  await refer(second, email);
  const gift = { action: 'give_referral', sale_id: sale.id, client_id: second.id, seen_version: sale.version };
  const give = (who: Person, more: object) => callAs(server, who, 'sales-management', { ...gift, ...more });
  expect((await give(admin, { reason: ' ' })).body.issues[0].message).toBe('Veuillez indiquer la raison de ce choix');
  expect((await give(commercial, { reason: 'Moi.' })).status).toBe(403);
  expect((await give(admin, { reason: 'Dit avant.', seen_version: sale.version + 1 })).body.code).toBe('sale_changed');
  expect((await give(admin, { reason: 'Dit avant.' })).status).toBe(200);
  const seenBy = async (person: Person) => {
    const client = await server.client(person);
    return (await client.from('sales').select('id').eq('id', sale.id)).data;
  };
  expect(await seenBy(first)).toEqual([]);
  expect(await seenBy(second)).toEqual([{ id: sale.id }]);
  // Neither is told anything, and what the first one was told of it goes.
  const news = await server.database.asOwner(
    'select kind from public.notices where sale_id = $1 and recipient_id = any ($2)',
    [sale.id, [first.id, second.id]],
  );
  expect(news).toEqual([]);
  expect(
    only(await server.database.asOwner('select friend_referrer_id as of from public.sales where id = $1', [sale.id])),
  ).toEqual({ of: second.id });
});
