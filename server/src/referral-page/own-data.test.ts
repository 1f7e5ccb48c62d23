import { randomUUID } from 'node:crypto';
import { formatDateTime } from '@parrain/domain/date';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, aScale, anAdmin, asJustSeen, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { elsewhere } from '../testing/links.ts';

// [CS-04] A friend sees what is kept of them, corrects it and has it erased, by the link of their mail and without an account.

let server: TestServer;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, environment: { TRUST_PROXY: '1' } });
  [admin, commercial] = [await anAdmin(server.database), await aCommercial(server.database)];
  await aScale(server.database, { isDefault: true });
});
afterAll(() => server.close());

type Invited = { readonly id: string; readonly email: string; readonly url: string };

const address = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;
const aReferrer = () => aClient(server.database, { commercial, fullName: 'Camille Bernard' });

async function invite(email = address()): Promise<Invited> {
  const reply = await callAs(server, await aReferrer(), 'send-invitation-email', {
    name: 'Ami <b>Nommé</b>',
    email,
    phone: '06 11 22 33 44',
    personalMessage: 'Il aime\nles jardins',
  });
  expect(reply.status).toBe(200);
  const mail = await server.mailbox.take(email);
  const token = new RegExp(`${server.url}/accord\\?token=([\\w-]+)`, 'u').exec(mail.text)?.[1] ?? '';
  return { id: reply.body.data.id as string, email, url: `${server.url}/vos-donnees?token=${token}` };
}

async function open(url: string): Promise<{ readonly status: number; readonly html: string }> {
  const reply = await fetch(url, { headers: elsewhere() });
  return { status: reply.status, html: await reply.text() };
}

async function send(url: string, fields: Record<string, string>) {
  const reply = await fetch(url, { method: 'POST', headers: elsewhere(), body: new URLSearchParams(fields) });
  return { status: reply.status, html: await reply.text() };
}

const correct = (url: string, fields: { name?: string; email?: string; phone?: string }) =>
  send(url, { act: 'corriger', name: 'Ami Nommé', phone: '06 11 22 33 44', ...fields });
const erase = (url: string) => send(url, { act: 'effacer' });

const saleOf = async (id: string) =>
  only(await server.database.asOwner<Record<string, unknown>>('select * from public.sales where id = $1', [id]));

async function sign({ id }: Invited): Promise<void> {
  const signed = await callAs(server, commercial, 'sales-management?action=update_status', {
    sale_id: id,
    status: 'validated',
    contract_amount: 1000,
    contract_description: 'Contrat signé',
    commercial_notes: 'Rappeler le soir',
  });
  expect(signed.status).toBe(200);
}

async function decide({ id }: Invited, decision: Record<string, unknown>): Promise<void> {
  const seen = await asJustSeen(server.database, { sale_id: id, ...decision });
  const decided = await callAs(server, admin, 'sales-management', seen);
  expect(decided.body).toMatchObject({ success: true });
}

const ERASED = {
  referred_contact_name: 'Contact effacé à sa demande',
  referred_contact_email: null,
  referred_contact_phone: null,
  personal_message: null,
  commercial_notes: null,
};

test('[CS-04] a friend reads what is kept of them, and nothing that the company wrote for itself', async () => {
  const friend = await invite();
  await send(friend.url.replace('vos-donnees', 'accord'), { answer: 'oui' });
  await callAs(server, commercial, 'sales-management?action=update_status', {
    sale_id: friend.id,
    status: 'contacted',
    commercial_notes: 'Un homme pressé',
  });
  await callAs(server, commercial, 'sales-management?action=follow_up', {
    sale_id: friend.id,
    private_note: 'Il négocie',
  });
  const { status, html } = await open(friend.url);
  expect(status).toBe(200);
  for (const kept of [
    'Ami &lt;b&gt;Nommé&lt;/b&gt;',
    friend.email,
    '06 11 22 33 44',
    'Il aime<br>les jardins',
    'Camille B.',
  ])
    expect(html).toContain(kept);
  expect(html).toContain('J’accepte d’être appelé par Mon Entreprise au sujet de cette recommandation.');
  for (const hidden of ['pressé', 'négocie', 'Bernard', commercial.email, '<script'])
    expect(html).not.toContain(hidden);
  expect(new TextEncoder().encode(html).length).toBeLessThan(30_000);
});

test('[CS-04] [CS-03] a friend reads when the one message was written to them, and that there was none before', async () => {
  const friend = await invite();
  expect((await open(friend.url)).html).not.toContain('Un commercial vous a écrit');
  await server.database.asOwner(
    `insert into public.friend_messages (sale_id, written_by, written_at) values ($1, $2, '2026-11-20T09:30:00Z')`,
    [friend.id, commercial.id],
  );
  expect((await open(friend.url)).html).toContain(`<dd>Le ${formatDateTime('2026-11-20T09:30:00Z')}</dd>`);
});

test('[CS-04] the page where a friend answers leads there, and a search engine does not', async () => {
  const friend = await invite();
  const accord = await open(friend.url.replace('vos-donnees', 'accord'));
  expect(accord.html).toContain(`href="${friend.url}"`);
  const reply = await fetch(friend.url);
  expect(reply.headers.get('x-robots-tag')).toBe('noindex');
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

test('[DF-09] « Découvrir » in the mail opens the company’s page of that referral, and nothing of Parrain’s own', async () => {
  await callAs(server, admin, 'company-settings?action=update_presentation', {
    presentation: 'Nous isolons les toits.',
  });
  const email = address();
  await callAs(server, await aReferrer(), 'send-invitation-email', { name: 'Ami', email, phone: '06 11 22 33 44' });
  const mail = await server.mailbox.take(email);
  const [url = ''] = /http\S+\/decouvrir\?token=[\w-]+/u.exec(mail.text) ?? [];
  expect(mail.text).toContain(`Découvrir Mon Entreprise`);
  const page = await open(url);
  expect(page.status).toBe(200);
  expect(page.html).toContain('<bdi>Camille B.</bdi> vous recommande <bdi>Mon Entreprise</bdi>');
  expect(page.html).toContain('Nous isolons les toits.');
  expect(page.html).not.toContain('Parrain');
  expect((await open(url.slice(0, -3))).status).toBe(404);
  await callAs(server, admin, 'company-settings?action=update_presentation', { presentation: null });
});

test('[CS-04] a friend corrects their name, address and telephone; what is wrong is said, and nothing is changed', async () => {
  const friend = await invite();
  const email = address();
  const saved = await correct(friend.url, { name: 'Ami Renommé', email, phone: '+33 6 99 88 77 66' });
  expect([saved.status, saved.html.includes('C’est corrigé.')]).toEqual([200, true]);
  const kept = {
    referred_contact_name: 'Ami Renommé',
    referred_contact_email: email,
    referred_contact_phone: '+33 6 99 88 77 66',
    personal_message: 'Il aime\nles jardins',
    status: 'pending',
  };
  expect(await saleOf(friend.id)).toMatchObject(kept);
  const refused: readonly [{ name?: string; email?: string; phone?: string }, string][] = [
    [{ name: ' ', email }, 'Le nom est requis'],
    [{ name: 'www.example.fr', email }, 'Un nom ne peut pas contenir'],
    [{ email: 'pas une adresse' }, 'L’adresse e-mail n’est pas valide'],
    [{ email: '', phone: '' }, 'l’un des deux suffit'],
  ];
  for (const [fields, sentence] of refused) {
    const reply = await correct(friend.url, fields);
    expect([reply.status, reply.html.includes(sentence)]).toEqual([400, true]);
  }
  expect(await saleOf(friend.id)).toMatchObject(kept);
});

test('[CS-04] [TM-05] who takes their address back keeps their telephone, and the commercial what they noted', async () => {
  const friend = await invite();
  const note = { sale_id: friend.id, private_note: 'Rappeler le soir' };
  await callAs(server, commercial, 'sales-management?action=follow_up', note);
  const notes = () => server.database.asOwner('select from public.follow_ups where sale_id = $1', [friend.id]);
  expect((await correct(friend.url, { email: '' })).status).toBe(200);
  expect(await saleOf(friend.id)).toMatchObject({
    referred_contact_email: null,
    referred_contact_phone: '06 11 22 33 44',
  });
  expect(await notes()).toHaveLength(1);
  await erase(friend.url);
  expect(await notes()).toEqual([]);
});

test('[CS-04] another address is refused in one sentence, whether it is a client’s, a commercial’s or of who said no', async () => {
  const friend = await invite();
  const gone = await invite();
  await erase(gone.url);
  const client = await aReferrer();
  const answers = await Promise.all(
    [client.email, commercial.email, gone.email].map(async (email) => correct(friend.url, { email })),
  );
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
  const sentences = answers.map(({ html }) => /id="email-error">(?<text>[^<]+)</u.exec(html)?.groups?.['text']);
  expect(new Set(sentences)).toEqual(new Set(['Mon Entreprise ne peut pas prendre cette adresse ou ce numéro.']));
  expect(await saleOf(friend.id)).toMatchObject({ referred_contact_email: friend.email });
});

test('[CS-04] [CS-02] a friend cannot become one whom somebody else referred first', async () => {
  const first = await invite();
  const friend = await invite();
  const months = (n: number | null) =>
    callAs(server, admin, 'company-settings?action=update_first_referral', { first_referral_months: n });
  await months(12);
  expect((await correct(friend.url, { email: first.email.toUpperCase(), phone: '' })).status).toBe(409);
  // Another name alone is theirs to say, though their telephone is one that others gave too.
  expect((await correct(friend.url, { name: 'Autre Nom', email: friend.email })).status).toBe(200);
  await months(null);
});

test('[CS-04] an open referral ends and forgets its friend, as the others of the same address; the referrer reads why', async () => {
  const friend = await invite();
  const other = await invite(friend.email);
  const done = await erase(friend.url);
  expect([done.status, done.html.includes('<h1>Vos données sont effacées</h1>')]).toEqual([200, true]);
  expect(await saleOf(friend.id)).toMatchObject({
    ...ERASED,
    status: 'rejected',
    rejection_reason: 'Contact effacé à sa demande',
  });
  expect(await saleOf(other.id)).toMatchObject({ status: 'rejected', referred_contact_email: null });
  for (const reply of [await open(friend.url), await erase(friend.url), await correct(friend.url, {})]) {
    expect(reply.status).toBe(404);
  }
  const again = await callAs(server, await aReferrer(), 'send-invitation-email', { name: 'Ami', email: friend.email });
  expect(again.body).toMatchObject({ code: 'friend_opted_out' });
});

test('[CS-04] money entries stay, without the person: a contract signed, then validated, then annulled', async () => {
  const [signed, validated, annulled] = [await invite(), await invite(), await invite()];
  for (const friend of [signed, validated, annulled]) await sign(friend);
  for (const friend of [validated, annulled]) await decide(friend, { action: 'validate' });
  await decide(annulled, { action: 'cancel_validation', reason: 'Erreur' });
  const money = () =>
    server.database.asOwner(
      `select id, status, admin_validated, contract_amount, contract_description, client_commission_amount, validated_at
       from public.sales where id = any ($1) or corrects_sale_id = any ($1) order by id`,
      [[signed.id, validated.id, annulled.id]],
    );
  const before = await money();
  expect(before).toHaveLength(4);
  const entries = () => server.database.asOwner('select * from public.ledger_entries order by id');
  const ledger = await entries();
  expect((await open(validated.url)).html).toContain('Un contrat a été signé.');
  expect((await correct(validated.url, { name: 'Ami Marié', email: validated.email })).status).toBe(200);
  expect(await saleOf(validated.id)).toMatchObject({ referred_contact_name: 'Ami Marié' });
  for (const { url } of [signed, validated, annulled]) expect((await erase(url)).status).toBe(200);
  expect(await money()).toEqual(before);
  expect(await entries()).toEqual(ledger);
  const people = await server.database.asOwner<Record<string, unknown>>(
    `select referred_contact_name, referred_contact_email, referred_contact_phone, personal_message, commercial_notes
     from public.sales where id = any ($1) or corrects_sale_id = any ($1)`,
    [[signed.id, validated.id, annulled.id]],
  );
  expect(people).toEqual(Array.from({ length: 4 }, () => ERASED));
  const audited = await server.database.asOwner<{ actor_id: string | null; reason: string; entry: string }>(
    `select actor_id, reason, row_to_json(a)::text as entry from public.audit_entries a where entity_id = $1 order by id desc limit 2`,
    [validated.id],
  );
  expect(audited.map(({ actor_id, reason }) => [actor_id, reason])).toEqual([
    [null, 'Contact effacé à sa demande'],
    [null, 'Corrigé par la personne elle-même'],
  ]);
  expect(audited.map(({ entry }) => entry).join('\n')).not.toMatch(/Nommé|Marié|@example/u);
});

test('[CS-04] a link that is cut, foreign or missing shows nothing and changes nothing', async () => {
  const friend = await invite();
  const foreign = server.services.secrets.seal('payment-details', friend.id).toString('base64url');
  const addresses = [
    friend.url.slice(0, -4),
    `${server.url}/vos-donnees?token=${foreign}`,
    `${server.url}/vos-donnees`,
  ];
  for (const url of addresses) {
    for (const reply of [await open(url), await erase(url), await correct(url, {})]) {
      expect(reply.status).toBe(404);
      expect(reply.html).not.toContain(friend.email);
    }
  }
  expect(await saleOf(friend.id)).toMatchObject({ status: 'pending', referred_contact_email: friend.email });
});

test('[CS-04] [F-15] saying no and having oneself erased at the same instant both come through', async () => {
  const friends = await Promise.all(Array.from({ length: 4 }, () => invite()));
  const replies = await Promise.all(
    friends.flatMap(({ url }) => [
      erase(url),
      fetch(url.replace('vos-donnees', 'one-click'), { method: 'POST', headers: elsewhere() }).then(
        async ({ status }) => ({ status }),
      ),
    ]),
  );
  expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
  for (const { id } of friends) {
    expect(await saleOf(id)).toMatchObject({ status: 'rejected', referred_contact_email: null });
  }
});
