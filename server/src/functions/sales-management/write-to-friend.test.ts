import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

// [CS-03] A commercial writes once to a friend whom a client named and who has not answered.

let server: TestServer;
let silent: TestServer;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  [server, silent] = await Promise.all([startTestServer({ smtp: true }), startTestServer()]);
  commercial = await aCommercial(server.database, { fullName: 'Claire Morel' });
  client = await aClient(server.database, { commercial, fullName: 'Camille Bernard' });
  for (const each of [server, silent]) await requireConsent(each, true);
});
afterAll(() => Promise.all([server.close(), silent.close()]));

const requireConsent = (at: TestServer, isRequired: boolean) =>
  at.database.asOwner('update public.company_settings set require_call_consent = $1', [isRequired]);
const anAddress = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;
async function aFriend(): Promise<{ readonly id: string; readonly email: string }> {
  const email = anAddress();
  const sale = await aSale(server.database, { commercial, friendReferrer: client, contactEmail: email });
  return { id: sale.id, email };
}
const TEXT = 'Bonjour,\nCamille m’a parlé de votre projet. Puis-je vous appeler jeudi ?';
const write = (saleId: string, { who = commercial, message = TEXT, key }: WriteOptions = {}, at = server) =>
  callAs(
    at,
    who,
    'sales-management',
    { action: 'write_to_friend', sale_id: saleId, message },
    key === undefined ? {} : { key },
  );
type WriteOptions = { readonly who?: Person; readonly message?: string; readonly key?: string };
const headerOf = (mail: { readonly headers: readonly { key: string; value: string }[] }, key: string) =>
  mail.headers.find((header) => header.key === key)?.value;
const mailsTo = (email: string) => server.mailbox.mails.filter((mail) => mail.recipients.includes(email)).length;

test('[CS-03] the mail is the company’s, an answer goes to the commercial; its button and its refusal are the friend’s own', async () => {
  const { id, email } = await aFriend();
  const reply = await write(id);
  expect(reply).toMatchObject({ status: 200, body: { byHand: false, emailState: 'sent', message: 'Message envoyé' } });
  const mail = await server.mailbox.take(email);
  expect(mail.subject).toBe('Claire Morel, de Mon Entreprise, vous écrit');
  expect(headerOf(mail, 'reply-to')).toBe(commercial.email);
  expect(mail.from).not.toBe(commercial.email);
  expect(mail.text).toContain('> Camille m’a parlé de votre projet. Puis-je vous appeler jeudi ?');
  expect(mail.text).toContain('Camille B. vous a recommandé Mon Entreprise.');
  expect(mail.text).not.toContain('Camille Bernard');
  expect(headerOf(mail, 'list-unsubscribe')).toMatch(/^<http/u);
  expect(mail.text).toMatch(/Ne plus me contacter :\nhttp\S+\/ne-plus-me-contacter#[\w-]+/u);

  // Its button is the friend's own answer: then the commercial may write as often as needed.
  const url = /Dire oui ou non :\n(?<url>\S+)/u.exec(mail.text)?.groups?.['url'] ?? '';
  const said = await fetch(url, { method: 'POST', body: new URLSearchParams({ answer: 'oui', phone: '0611223344' }) });
  expect(said.status).toBe(200);
  expect(await write(id)).toMatchObject({ status: 409, body: { code: 'friend_written_freely' } });
  expect(mailsTo(email)).toBe(1);
});

test('[CS-03] pressed twice, at once and again with the same key, it is one mail', async () => {
  const { id, email } = await aFriend();
  const key = randomUUID();
  const [one, other] = await Promise.all([write(id, { key }), write(id, { key })]);
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(await write(id, { key })).toMatchObject({ status: 200, body: one.body });
  expect(await write(id)).toMatchObject({
    status: 409,
    body: { code: 'friend_already_written', error: 'Vous avez déjà écrit à cette personne : attendez sa réponse.' },
  });
  expect(mailsTo(email)).toBe(1);
});

test('[CS-03] who said no is not written to, nor who asked not to be contacted', async () => {
  const declined = await aFriend();
  await server.database.asOwner(`select private.answer_call($1, false, 'Non.', '2026-11', null, 'mailed_link')`, [
    declined.id,
  ]);
  expect(await write(declined.id)).toMatchObject({ status: 409, body: { code: 'friend_declined' } });

  // Said of another referral: that of a signed contract keeps its address.
  const [signed, other] = [await aFriend(), await aFriend()];
  await server.database.asOwner(
    `update public.sales set ready_for_validation = true, contract_amount = 100, contract_description = 'Signé',
       referred_contact_email = $2 where id = $1`,
    [signed.id, other.email],
  );
  await write(other.id);
  const { text } = await server.mailbox.take(other.email);
  const token = /ne-plus-me-contacter#(?<token>[\w-]+)/u.exec(text)?.groups?.['token'];
  expect((await callAs(server, undefined, 'friend-opt-out', { token })).status).toBe(200);
  expect(await write(other.id)).toMatchObject({ status: 409, body: { code: 'friend_without_email' } });
  expect(await write(signed.id)).toMatchObject({ status: 409, body: { code: 'friend_opted_out' } });
  expect(await server.database.asOwner('select from public.friend_messages where sale_id = $1', [signed.id])).toEqual(
    [],
  );
  expect([mailsTo(declined.email), mailsTo(other.email)]).toEqual([0, 1]);
});

test('[CS-03] the message must be written, without a link, in at most 500 characters', async () => {
  const { id, email } = await aFriend();
  for (const [message, said] of [
    ['  ', 'Veuillez écrire votre message'],
    ['Voyez https://exemple.fr', expect.stringContaining('lien')],
    ['a'.repeat(501), expect.stringContaining('500')],
  ] as const)
    expect(await write(id, { message })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['message'], message: said }] },
    });
  expect(mailsTo(email)).toBe(0);
});

test('[CS-03] [P-03] nobody but the referral’s commercial writes', async () => {
  const { id, email } = await aFriend();
  const other = await aCommercial(server.database);
  expect(await write(id, { who: other })).toMatchObject({ status: 404, body: { code: 'sale_not_found' } });
  for (const who of [client, await anAdmin(server.database)])
    expect(await write(id, { who })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(mailsTo(email)).toBe(0);
});

test('[CS-03] [E-03] without a mail server the act is kept, and the commercial’s own program writes', async () => {
  const own = await aCommercial(silent.database);
  const sale = await aSale(silent.database, { commercial: own, contactEmail: anAddress() });
  const reply = await write(sale.id, { who: own }, silent);
  expect(reply).toMatchObject({
    status: 200,
    body: { byHand: true, message: 'Message noté : envoyez-le depuis votre messagerie, qui s’ouvre.' },
  });
  expect(await write(sale.id, { who: own }, silent)).toMatchObject({ body: { code: 'friend_already_written' } });
  expect(
    only(
      await silent.database.asOwner('select count(*)::int as mails from private.mails where template = $1', [
        'friend-message',
      ]),
    ),
  ).toEqual({ mails: 0 });
});

test('[F-15] [CS-03] the invitation announces that message where the company asks for an agreement, and promises none beside it', async () => {
  const invitationTo = async () => {
    const email = anAddress();
    expect((await callAs(server, client, 'send-invitation-email', { name: 'Ami Nommé', email })).status).toBe(200);
    return (await server.mailbox.take(email)).text;
  };
  const asked = await invitationTo();
  expect(asked).toContain('pourra vous écrire une seule fois, et ne vous appellera que si vous l’acceptez');
  expect(asked).toContain('nous ne vous enverrons aucun autre message automatique');
  await requireConsent(server, false);
  const free = await invitationTo();
  await requireConsent(server, true);
  expect(free).toContain('pourra vous recontacter pour en parler');
  expect(free).not.toContain('une seule fois');
});
