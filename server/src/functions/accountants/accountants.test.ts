import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import { clientOf } from '../../testing/accounts.ts';
import { unzipped } from '../../testing/unzipped.ts';

let server: TestServer;
let people: Record<'admin' | 'seller' | 'client', Person>;
const year = String(new Date().getFullYear());
beforeAll(async () => {
  server = await startTestServer({ smtp: true });
  const db = server.database;
  const [admin, seller] = [await anAdmin(db, { fullName: 'Aline Admin' }), await aCommercial(db)];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '100' });
  const client = await aClient(db, { commercial: seller, fullName: 'Zoé L’Hôte' });
  people = { admin, seller, client };
  await aValidatedSale(db, { admin, commercial: seller, friendReferrer: client, scale, contractAmount: '1000' });
  const { id } = only(
    await db.become(client, (run) =>
      run<{ id: string }>(`select id from private.request_payment(75, 'cheque_cadeau', '{}', null)`),
    ),
  );
  for (const step of ['approved', 'paid']) await db.become(admin, (run) => run(asSeen.decide, [id, step, null]));
});
afterAll(() => server.close());
beforeEach(() => server.database.asOwner(`delete from private.rate_limits`));

const address = () => `compta-${randomUUID().slice(0, 8)}@example.fr`;
const call = (action: string, body: Record<string, unknown>, who = people.admin) =>
  callAs(server, who, `accountants?action=${action}`, body);
const listed = async () =>
  (await callAs(server, people.admin, 'accountants?action=list', undefined, { method: 'GET' })).body.data;
const withdrawAll = async () => {
  for (const { id } of await listed()) await call('withdraw', { accountant_id: id });
};

/** Invited, come, and with a password of their own. */
async function anAccountantAtWork() {
  const email = address();
  const invited = await call('invite', { name: 'Marie Compta', email });
  const mail = await server.mailbox.take(email);
  const temporary = /Mot de passe temporaire : (\S+)/u.exec(mail.text)?.[1] ?? '';
  const client = clientOf(server);
  await client.auth.signInWithPassword({ email, password: temporary });
  const changed = await client.auth.updateUser({ password: 'Un-mot-de-passe-2026' });
  expect(changed.error).toBeNull();
  const { data } = await client.auth.signInWithPassword({ email, password: 'Un-mot-de-passe-2026' });
  const token = data.session?.access_token ?? '';
  const get = (path: string) =>
    server.fetch(path, { headers: { authorization: `Bearer ${token}`, apikey: server.services.keys.publishableKey } });
  return { id: invited.body.comptable.id as string, email, mail, client, get, invited };
}

test('[UI-12] an invited accountant gets their credentials by mail, signs in by the ordinary door, and it stands in the trail', async () => {
  const { id, email, mail, invited } = await anAccountantAtWork();
  expect(invited).toMatchObject({ status: 200, body: { success: true, emailSent: true, comptable: { email } } });
  expect(mail.subject).toContain('votre accès à votre espace comptable');
  expect(mail.text).toContain('sans rien pouvoir modifier');
  expect((await listed()).find((one: { id: string }) => one.id === id)).toMatchObject({
    full_name: 'Marie Compta',
    deactivated_at: null,
  });
  const trail = await server.database.asOwner<{ action: string; after: { role: string } }>(
    `select action, after from public.audit_entries where entity = 'profiles' and entity_id = $1 order by id`,
    [id],
  );
  expect(trail[0]).toMatchObject({ action: 'insert', after: { role: 'comptable' } });
  for (const who of [people.seller, people.client]) {
    expect((await call('invite', { name: 'Autre', email: address() }, who)).status).toBe(403);
  }
  // One address is one account, whatever its role.
  expect((await call('invite', { name: 'Double', email })).body.code).toBe('email_taken');
});

test('[UI-12] the accountant’s files are the admin’s, byte for byte, and each stands in the trail by their name', async () => {
  const { id, get } = await anAccountantAtWork();
  for (const file of [`accounting/${year}.txt`, `accounting/${year}.csv`, `das2/${year}.csv`]) {
    const [theirs, admins] = [
      await get(`/exports/v1/${file}`),
      await server.fetch(`/exports/v1/${file}`, {}, people.admin),
    ];
    expect([file, theirs.status]).toEqual([file, 200]);
    expect(Buffer.from(await theirs.arrayBuffer()).equals(Buffer.from(await admins.arrayBuffer()))).toBe(true);
  }
  const files = async (response: Response) => [...unzipped(Buffer.from(await response.arrayBuffer())).keys()];
  for (const file of [`dossier/${year}.zip`, `statements/${year}.zip`]) {
    const theirs = await files(await get(`/exports/v1/${file}`));
    expect(theirs).toEqual(await files(await server.fetch(`/exports/v1/${file}`, {}, people.admin)));
    expect(theirs.some((name) => name.includes('Zoé L’Hôte'))).toBe(true);
  }
  // As their screen asks whether there is an electronic invoice to take, and takes them.
  expect((await get('/rest/v1/papers?select=id&or=(series.like.F*,series.like.TF*)&limit=1')).status).toBe(200);
  for (const archive of ['e-invoices', 'papers']) {
    expect(await (await get(`/exports/v1/${archive}/${year}.zip`)).json()).toMatchObject({ code: 'papers_none' });
  }
  expect((await get(`/exports/v1/statements/${year}.csv?payee=${people.client.id}`)).status).toBe(200);
  const trail = await server.database.asOwner<{ list: string; period: string; actor: string }>(
    `select after ->> 'list' as list, after ->> 'period' as period, actor from public.audit_entries where entity = 'exports' and actor_id = $1 order by id`,
    [id],
  );
  expect(trail.map(({ list }) => list)).toEqual(['journal', 'journal', 'das2', 'dossier', 'statements', 'statement']);
  expect(new Set(trail.map(({ actor, period }) => [actor, period].join(' ')))).toEqual(new Set([`comptable ${year}`]));
});

test('[UI-12] the accountant sees the company’s name and look, and none of its settings', async () => {
  const { get } = await anAccountantAtWork();
  const shown = (await (await get('/functions/v1/company-settings?action=get')).json()) as { data: object };
  expect(Object.keys(shown.data)).toEqual(['company_name', 'logo_url', 'brand_color']);
  expect(await (await get('/rest/v1/company_settings?select=*')).json()).toEqual([]);
});

test('[UI-12] an access that is withdrawn ends its sessions at once, and may be given back; that of somebody who never came is removed', async () => {
  const { id, email, get, client } = await anAccountantAtWork();
  expect((await get('/functions/v1/accounting?action=get')).status).toBe(200);
  expect((await call('withdraw', { accountant_id: id })).status).toBe(200);
  expect((await get('/functions/v1/accounting?action=get')).status).toBe(401);
  expect((await get(`/exports/v1/dossier/${year}.zip`)).status).toBe(401);
  const refused = await client.auth.signInWithPassword({ email, password: 'Un-mot-de-passe-2026' });
  expect(refused.error).not.toBeNull();
  expect((await call('give_back', { accountant_id: id })).status).toBe(200);
  // The sessions of before stay ended.
  expect((await get('/functions/v1/accounting?action=get')).status).toBe(401);
  expect((await client.auth.signInWithPassword({ email, password: 'Un-mot-de-passe-2026' })).error).toBeNull();
  // Neither act touches anybody else.
  for (const other of [people.client, people.seller, people.admin]) {
    expect((await call('withdraw', { accountant_id: other.id })).status).toBe(404);
  }
  const early = address();
  const invited = await call('invite', { name: 'Jamais Venu', email: early });
  await call('withdraw', { accountant_id: invited.body.comptable.id });
  expect((await listed()).some((one: { email: string }) => one.email === early)).toBe(false);
});

test('[UI-12] « Envoyer à mon comptable » mails the period, its total and a link that attaches nothing; again within ten minutes, it says when', async () => {
  await withdrawAll();
  const nobody = await call('send', { period: year });
  expect(nobody).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  const { email } = await anAccountantAtWork();
  await server.mailbox.take(email).catch(() => undefined);
  const sent = await call('send', { period: year });
  expect(sent).toMatchObject({ status: 200, body: { emailState: 'sent', already: false, names: ['Marie Compta'] } });
  const mail = await server.mailbox.take(email);
  expect(mail.subject).toContain(`Année ${year}`);
  expect(mail.text).toContain(`${server.url}/comptable/dashboard?section=comptabilite&periode=${year}`);
  const { total } = only(
    await server.database.asOwner<{ total: string }>(
      `select to_char(2 * sum(amount), 'FM999990D00') as total from public.ledger_entries where credit = 'paid'`,
    ),
  );
  expect(mail.text).toContain(total.replace('.', ','));
  expect(mail.attachments).toEqual([]);
  const again = await call('send', { period: year });
  expect(again.body).toMatchObject({ already: true, sent_at: sent.body.sent_at });
  const known = await callAs(server, people.admin, `accountants?action=sent&period=${year}`, undefined, {
    method: 'GET',
  });
  expect(known.body.sent_at).toBe(sent.body.sent_at);
  const trail = await server.database.asOwner(
    `select from public.audit_entries where entity = 'exports' and action = 'send' and after ->> 'period' = $1`,
    [year],
  );
  expect(trail).toHaveLength(1);
  const mails = await server.database.asOwner(`select from private.mails where template = 'accountant-dossier'`);
  expect(mails).toHaveLength(1);
  expect((await call('send', { period: '2024-13' })).status).toBe(400);
  expect((await call('send', { period: year }, people.seller)).status).toBe(403);
});
