import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

// [CS-03] A friend whom a client named says whether they may be called, by the link of their mail and without an account.

let server: TestServer;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

type Invited = { readonly saleId: string; readonly url: string; readonly token: string };

async function invite(phone: string | null = '06 11 22 33 44'): Promise<Invited> {
  const email = `ami-${randomUUID().slice(0, 8)}@example.fr`;
  const client = await aClient(server.database, { commercial, fullName: 'Camille Bernard' });
  const reply = await callAs(server, client, 'send-invitation-email', { name: 'Ami Nommé', email, phone });
  expect(reply.status).toBe(200);
  const mail = await server.mailbox.take(email);
  const url = new RegExp(`${server.url}/accord\\?token=[\\w-]+`, 'u').exec(mail.text)?.[0] ?? '';
  return { saleId: reply.body.data.id as string, url, token: url.split('=')[1] ?? '' };
}

async function say(
  url: string,
  fields: Record<string, string>,
): Promise<{ readonly status: number; readonly html: string }> {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: reply.status, html: await reply.text() };
}

/** Reads the friend's answers as a person, through the REST layer. */
async function readBy(person: Person, saleId: string) {
  const client = await server.client(person);
  const { data } = await client
    .from('call_consents')
    .select('is_given,statement,version,place')
    .eq('sale_id', saleId)
    .order('said_at');
  return data;
}

const noticesOf = (saleId: string) =>
  server.database.asOwner<{ kind: string }>(
    `select kind from public.notices where sale_id = $1 and recipient_id = $2 and kind like 'call_%' order by created_at`,
    [saleId, commercial.id],
  );

test('[CS-03] opening the link says nothing; oui, then non, are two proofs, each told once; the same again is none', async () => {
  const { saleId, url } = await invite();
  const opened = await fetch(url);
  const html = await opened.text();
  expect(opened.status).toBe(200);
  expect(html).toContain('Camille B. vous recommande');
  expect(html).not.toContain('<script>');
  expect(await readBy(commercial, saleId)).toEqual([]);
  expect((await say(url, { answer: 'peut-être' })).status).toBe(400);
  const yes = await say(url, { answer: 'oui' });
  expect([yes.status, yes.html.includes('<h1>C’est noté</h1>')]).toEqual([200, true]);
  await say(url, { answer: 'oui' });
  await say(url, { answer: 'non' });
  const proof = { version: '2026-11', place: 'mailed_link' };
  expect(await readBy(commercial, saleId)).toEqual([
    {
      ...proof,
      is_given: true,
      statement: 'J’accepte d’être appelé par Mon Entreprise au sujet de cette recommandation.',
    },
    { ...proof, is_given: false, statement: 'Je ne veux pas être appelé par Mon Entreprise.' },
  ]);
  expect(await noticesOf(saleId)).toEqual([{ kind: 'call_agreed' }, { kind: 'call_declined' }]);
  expect(await (await fetch(url)).text()).toContain('Votre réponse\u00a0: non');
});

test('[CS-03] who agrees without a known number is asked for one; one that is known is never replaced', async () => {
  const without = await invite(null);
  expect((await say(without.url, { answer: 'oui' })).html).toContain('Pour être appelé, donnez un numéro de téléphone');
  expect((await say(without.url, { answer: 'oui', phone: '06 99 88 77 66' })).status).toBe(200);
  const known = await invite();
  await say(known.url, { answer: 'oui', phone: '06 00 00 00 00' });
  const phoneOf = async (id: string) =>
    only(
      await server.database.asOwner<{ phone: string }>(
        'select referred_contact_phone as phone from public.sales where id = $1',
        [id],
      ),
    ).phone;
  expect([await phoneOf(without.saleId), await phoneOf(known.saleId)]).toEqual(['06 99 88 77 66', '06 11 22 33 44']);
});

test('[CS-03] a link that is not ours, and one of a friend who was forgotten, ask nothing', async () => {
  const { saleId, url, token } = await invite();
  await callAs(server, undefined, 'friend-opt-out', { token });
  for (const address of [url, `${server.url}/accord`, `${server.url}/accord?token=${token.slice(0, -3)}`]) {
    expect((await fetch(address)).status).toBe(404);
    expect((await say(address, { answer: 'oui' })).status).toBe(404);
  }
  expect(await readBy(commercial, saleId)).toEqual([]);
});

test('[CS-03] by default nobody’s agreement is required, as the specification has it; an admin alone changes it', async () => {
  const admin = await anAdmin(server.database);
  const read = async () => {
    const client = await server.client(commercial);
    return (await client.from('company_settings').select('require_call_consent').single()).data;
  };
  expect(await read()).toEqual({ require_call_consent: false });
  const change = (who: Person) =>
    callAs(server, who, 'company-settings?action=update_call_consent', { require_call_consent: true });
  expect((await change(commercial)).status).toBe(403);
  expect((await change(admin)).status).toBe(200);
  expect(await read()).toEqual({ require_call_consent: true });
});
