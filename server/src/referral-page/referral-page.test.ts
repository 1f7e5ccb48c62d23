import { createHash, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, only, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { systemClock } from '../platform/clock.ts';
import { createHasher } from './script.ts';
import { makeStamp, WORK_BITS } from './stamp.ts';

// [CS-01] Whoever follows a client's link comes in by themselves; a robot does not.

let server: TestServer;
let commercial: Person;
let admin: Person;
/** Forms are filled in within no time: the clock goes on instead. */
let secondsLater = 0;
const clock = { ...systemClock, now: () => new Date(Date.now() + secondsLater * 1000) };
beforeAll(async () => {
  server = await startTestServer({ smtp: true, clock, environment: { TRUST_PROXY: '1' } });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database, { fullName: 'Corentin Petit' });
  await callAs(server, admin, 'company-settings?action=update_name', { company_name: 'Dupont & Fils <Nord>' });
});
afterAll(() => server.close());

const address = () => `ami-${randomUUID().slice(0, 8)}@example.fr`;
const number = () => `06 ${String(randomInt(10 ** 8)).padStart(8, '0')}`;
const aNetwork = () => `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(1, 255)}`;
const aReferrer = (fullName = 'Camille Anne Bernard') => aClient(server.database, { commercial, fullName });

async function linkOf(client: Person): Promise<string> {
  const reply = await callAs(server, client, 'personal-link?action=get', {});
  expect(reply.status).toBe(200);
  const url = reply.body.data.url as string;
  expect(url).toMatch(new RegExp(`^${server.url}/p/[0-9a-z]{12}$`, 'u'));
  return url;
}

type Opened = { readonly url: string; readonly html: string; readonly stamp: string; readonly network: string };

async function open(url: string, network = aNetwork()): Promise<Opened> {
  const reply = await fetch(url, { headers: { 'x-forwarded-for': network } });
  expect(reply.status).toBe(200);
  const html = await reply.text();
  return { url, html, network, stamp: /name="stamp" value="([^"]+)"/u.exec(html)?.[1] ?? '' };
}

/** Solves the proof of work, as a browser's script does while its reader types. */
function workOn(stamp: string): string {
  const [, seed] = stamp.split('.');
  for (let tried = 0; ; tried++) {
    const hash = createHash('sha256').update(`${seed}.${tried}`).digest();
    if (hash.readUInt32BE() >>> (32 - WORK_BITS) === 0) return String(tried);
  }
}

async function post(
  page: Opened,
  fields: Record<string, string>,
): Promise<{ readonly status: number; readonly html: string }> {
  const reply = await fetch(page.url, {
    method: 'POST',
    headers: { 'x-forwarded-for': page.network },
    body: new URLSearchParams({ stamp: page.stamp, ...fields }),
  });
  return { status: reply.status, html: await reply.text() };
}

/** Opens the page, fills it in for ten seconds, with its work done, and sends it. */
async function send(url: string, fields: Record<string, string>, network = aNetwork()) {
  const page = await open(url, network);
  secondsLater += 10;
  return post(page, { name: 'Ami Neuf', work: workOn(page.stamp), ...fields });
}

/** A contact, with the way to be reached that it serves without a call. */
const byMail = (contact: string) => ({ contact, channel: 'email' });
const bySms = (contact: string) => ({ contact, channel: 'sms' });

const salesOf = (client: Person) =>
  server.database.asOwner<Record<string, unknown>>(
    `select s.*, to_json(c) as consent from public.sales s left join public.call_consents c on c.sale_id = s.id
     where s.friend_referrer_id = $1 order by s.created_at`,
    [client.id],
  );

describe('the page', () => {
  test('[CS-01] says who recommends whom, in French, as a whole document under 30 KB with its own policy', async () => {
    await callAs(server, admin, 'company-settings?action=update_presentation', {
      presentation: 'Toitures et charpentes.',
    });
    await callAs(server, admin, 'company-settings?action=update_color', { brand_color: '#ffcc00' });
    const url = await linkOf(await aReferrer());
    const reply = await fetch(url);
    const html = await reply.text();
    expect(html.length).toBeLessThan(30_000);
    expect(gzipSync(html).length).toBeLessThan(8000);
    expect(html).toContain('<html lang="fr">');
    expect(html).toContain('<h1><bdi>Camille B.</bdi> vous recommande <bdi>Dupont &amp; Fils &lt;Nord&gt;</bdi></h1>');
    expect(html).not.toContain('Bernard');
    expect(html).toContain('Toitures et charpentes.');
    expect(html).toContain(
      '<meta property="og:title" content="Camille B. vous recommande Dupont &amp; Fils &lt;Nord&gt;" />',
    );
    expect(html).toContain('--brand:#ffcc00;--on-brand:#1a1f36');
    expect(html).not.toMatch(/<input[^>]*name="channel"[^>]*checked/u);
    // Nothing of it comes from anywhere else, and nothing but its own script and style runs.
    expect(
      [...html.matchAll(/\s(?:src|href|action)="([^"]*)"/gu)]
        .map(([, to = '']) => to)
        .filter((to) => !to.startsWith('/') && !to.startsWith(server.url)),
    ).toEqual([]);
    const policy = reply.headers.get('content-security-policy') ?? '';
    const hashOf = (element: string) =>
      createHash('sha256')
        .update(new RegExp(`<${element}>([\\s\\S]*)</${element}>`, 'u').exec(html)?.[1] ?? '')
        .digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(reply.headers.get('cache-control')).toBe('no-store');
    await callAs(server, admin, 'company-settings?action=update_color', { brand_color: null });
  });

  test.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'noindex'],
    ['Mozilla/5.0 (compatible; Baiduspider/2.0)', 'noindex'],
    ['curl/8.14.1', 'noindex'],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      null,
    ],
  ])('[CS-01] no search engine keeps the page, which names people: %s is told %s', async (agent, told) => {
    const reply = await fetch(await linkOf(await aReferrer()), { headers: { 'user-agent': agent } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-robots-tag')).toBe(told);
  });

  test('[CS-01] a link is its client’s own, the same each time; renewed, the former one leads nowhere', async () => {
    const client = await aReferrer();
    const [first, second] = [await linkOf(client), await linkOf(client)];
    expect(second).toBe(first);
    expect(await linkOf(await aReferrer())).not.toBe(first);
    for (const person of [commercial, admin]) {
      expect((await callAs(server, person, 'personal-link?action=get', {})).status).toBe(403);
    }
    const renewed = await callAs(server, client, 'personal-link?action=renew', {});
    expect(renewed.body.data.url).not.toBe(first);
    expect((await fetch(first)).status).toBe(404);
    expect((await fetch(renewed.body.data.url as string)).status).toBe(200);
  });

  test('[CS-01] an unknown link, one of a closed account, one whose commercial has left: a clear page, and nothing comes in', async () => {
    const [closed, left] = [
      await aReferrer(),
      await aClient(server.database, { commercial: await aCommercial(server.database) }),
    ];
    const [closedUrl, leftUrl] = [await linkOf(closed), await linkOf(left)];
    const page = await open(closedUrl);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [closed.id]);
    await server.database.asOwner('update public.profiles set commercial_id = null where id = $1', [left.id]);
    for (const url of [
      closedUrl,
      leftUrl,
      `${server.url}/p/aaaaaaaaaaaa`,
      `${server.url}/p/x`,
      `${server.url}/p/${'z'.repeat(900)}`,
    ]) {
      const reply = await fetch(url);
      expect(reply.status).toBe(404);
      expect(await reply.text()).toContain('<h1>Ce lien n’est plus actif</h1>');
    }
    secondsLater += 10;
    expect((await post(page, { name: 'Ami', ...byMail(address()), work: workOn(page.stamp) })).status).toBe(404);
    expect(await salesOf(closed)).toEqual([]);
  });
});

describe('a friend who fills it in', () => {
  test('[CS-01] [F-15] becomes a referral of that client, told to the commercial, with a mail that says how to be forgotten', async () => {
    const client = await aReferrer();
    const email = address();
    const reply = await send(await linkOf(client), {
      name: 'Zoé d’Arc',
      ...byMail(email.toUpperCase()),
      message: 'Le soir,\r\nde préférence',
    });
    expect(reply.status).toBe(200);
    expect(reply.html).toContain('<h1>Merci, votre demande est envoyée</h1>');
    const sale = only(await salesOf(client));
    expect(sale).toMatchObject({
      referred_contact_name: 'Zoé d’Arc',
      referred_contact_email: email,
      referred_contact_phone: null,
      personal_message: 'Le soir,\nde préférence',
      status: 'pending',
      commercial_id: commercial.id,
      consent: { is_given: false, channel: 'email' },
    });
    expect(
      await server.database.asOwner('select kind from public.notices where sale_id = $1 and recipient_id = $2', [
        sale['id'],
        commercial.id,
      ]),
    ).toEqual([{ kind: 'referral_received' }]);
    const mail = await server.mailbox.take(email);
    expect(mail.subject).toBe('Votre demande à Dupont & Fils <Nord>');
    expect(mail.text).toContain('Camille B.');
    const token = /ne-plus-me-contacter#([\w-]+)/u.exec(mail.text)?.[1] ?? '';
    await callAs(server, undefined, 'friend-opt-out', { token });
    expect(only(await salesOf(client))).toMatchObject({ status: 'rejected', referred_contact_name: 'Contact effacé' });
  });

  test.each([
    ['call', true, 'Appel : j’accepte d’être appelé par Dupont & Fils <Nord> au sujet de cette recommandation.'],
    ['sms', false, 'SMS : j’accepte de recevoir des SMS de Dupont & Fils <Nord> au sujet de cette recommandation.'],
    [
      'email',
      false,
      'E-mail : j’accepte de recevoir des e-mails de Dupont & Fils <Nord> au sujet de cette recommandation.',
    ],
  ] as const)(
    '[UI-03] [CS-03] the way chosen, « %s », is kept as proof: its sentence as it was read, its version, when and where; read by who answers',
    async (channel, isGiven, statement) => {
      const client = await aReferrer();
      const url = await linkOf(client);
      const read = (await open(url)).html.replaceAll('\u00a0', ' ').replaceAll('&amp;', '&');
      expect(read.replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toContain(statement);
      await send(url, { channel, contact: channel === 'email' ? address() : number() });
      const sale = only(await salesOf(client));
      expect(sale['consent']).toMatchObject({
        is_given: isGiven,
        channel,
        statement,
        version: '2026-11-choix',
        place: 'public_page',
      });
      const seenBy = async (person: Person) => {
        const official = await server.client(person);
        return (await official.from('call_consents').select('is_given,channel').eq('sale_id', sale['id'])).data;
      };
      expect(await seenBy(commercial)).toEqual([{ is_given: isGiven, channel }]);
      expect(await seenBy(admin)).toEqual([{ is_given: isGiven, channel }]);
      expect(await seenBy(await aCommercial(server.database))).toEqual([]);
      expect(await seenBy(client)).toEqual([]);
    },
  );

  test('[UI-03] [CS-01] the form of the page before, still open in a browser, is taken with what its box said', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const phone = number();
    const called = await send(url, { email: '', phone, mayCall: 'oui' });
    expect(called.html.replaceAll('\u00a0', ' ')).toContain(`vous appellera au ${phone}`);
    const quiet = await send(url, { email: address(), phone: '' });
    expect(quiet.html).toContain('vous répondra par écrit');
    expect((await salesOf(client)).map((sale) => sale['consent'])).toMatchObject([
      {
        is_given: true,
        channel: 'call',
        statement: 'J’accepte d’être appelé par Dupont & Fils <Nord> au sujet de cette recommandation.',
        version: '2026-11',
      },
      null,
    ]);
    const wrong = await send(url, { email: address(), phone: '', mayCall: 'oui' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('id="contact-error">Pour être appelé, donnez un numéro de téléphone<');
    expect((await send(url, { email: '', phone: '' })).html).toContain('id="contact-error">Donnez un e-mail ou');
  });

  /** Link to the request on the page of thanks. */
  const requestOf = (html: string): string => /href="(http[^"]+ma-demande[^"]+)"/u.exec(html)?.[1] ?? '';
  async function act(url: string, fields: Record<string, string>): Promise<{ status: number; html: string }> {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'x-forwarded-for': aNetwork() },
      body: new URLSearchParams(fields),
    });
    return { status: reply.status, html: await reply.text() };
  }
  const proofsOf = (id: unknown) =>
    server.database.asOwner(
      'select is_given, place from public.call_consents where sale_id = $1 order by said_at, id',
      [id],
    );
  const referralOf = async (client: Person) =>
    only(
      await server.database.asOwner<Record<string, unknown>>(
        'select * from public.sales where friend_referrer_id = $1',
        [client.id],
      ),
    );
  const noticesOf = (id: unknown) =>
    server.database.asOwner('select recipient_id, kind from public.notices where sale_id = $1 order by created_at', [
      id,
    ]);

  test('[CS-01] [DF-20] with a telephone alone takes back their request from the page of thanks, which refuses no number', async () => {
    const client = await aReferrer();
    const phone = number();
    const url = requestOf((await send(await linkOf(client), bySms(phone))).html);
    expect((await fetch(url)).status).toBe(200);
    expect((await act(url, { act: 'retirer' })).html).toContain('<h1>Votre demande est retirée</h1>');
    const sale = only(await salesOf(client));
    expect(sale).toMatchObject({
      status: 'rejected',
      rejection_reason: 'Demande retirée par la personne',
      referred_contact_name: 'Contact effacé',
      referred_contact_phone: null,
    });
    expect(await noticesOf(sale['id'])).toEqual([
      { recipient_id: commercial.id, kind: 'referral_received' },
      { recipient_id: commercial.id, kind: 'friend_said_no' },
    ]);
    const over = [await act(url, { act: 'retirer' }), await act(`${url}x`, { channel: 'sms' })];
    const opened = await fetch(url);
    for (const { status, html } of [...over, { status: opened.status, html: await opened.text() }]) {
      expect(status).toBe(404);
      // [UI-03] No mail was sent, and none is spoken of.
      expect(html).toContain('<h1>Cette demande n’est plus ouverte</h1>');
      expect(html).not.toMatch(/STOP|e-mail reçu/u);
    }
    const again = await send(await linkOf(await aReferrer()), bySms(`+33 (0)${phone.slice(1)}`));
    expect(again.status).toBe(200);
  });

  test('[DF-20] the page of thanks holds no link that proves a mailbox: the victim’s other referral, address and answer are out of reach', async () => {
    const [client, other] = [await aReferrer(), await aReferrer()];
    const email = address();
    const named = await callAs(server, other, 'send-invitation-email', { name: 'Victime', email, phone: number() });
    expect(named.status).toBe(200);
    await server.mailbox.take(email);
    // Somebody who is not them types their address.
    const thanks = await send(await linkOf(client), byMail(email));
    expect(thanks.html).not.toMatch(/accord|vos-donnees|ne-plus-me-contacter|one-click/u);
    const url = requestOf(thanks.html);
    const ticket = new URL(url).searchParams.get('ticket') ?? '';
    for (const page of ['accord', 'vos-donnees', 'one-click']) {
      const reply = await act(`${server.url}/${page}?token=${ticket}`, { answer: 'oui', act: 'effacer' });
      expect([page, reply.status]).toEqual([page, 404]);
    }
    expect((await callAs(server, undefined, 'friend-opt-out', { token: ticket })).status).toBe(404);
    expect((await fetch(url)).status).toBe(200);
    expect(await (await fetch(url)).text()).not.toContain(email);
    const mine = only(await salesOf(client));
    await act(url, { answer: 'oui', phone: number() });
    const chosen = { is_given: false, place: 'public_page' };
    expect(await proofsOf(mine['id'])).toEqual([chosen, { is_given: true, place: 'page' }]);
    // The mailbox answers: it alone speaks from now on.
    const mail = await server.mailbox.take(email);
    const accord = /http\S+\/accord\?token=[\w-]+/u.exec(mail.text)?.[0] ?? '';
    expect((await act(accord, { answer: 'non' })).status).toBe(200);
    for (const fields of [{ answer: 'oui' }, { act: 'retirer' }]) expect((await act(url, fields)).status).toBe(404);
    expect(await proofsOf(mine['id'])).toEqual([
      chosen,
      { is_given: true, place: 'page' },
      { is_given: false, place: 'mailed_link' },
    ]);
    expect(only(await salesOf(other))).toMatchObject({ status: 'pending', referred_contact_email: email });
    // Its own mail closes all of it, and whoever looks after each is told.
    const token = /ne-plus-me-contacter#([\w-]+)/u.exec(mail.text)?.[1] ?? '';
    await callAs(server, undefined, 'friend-opt-out', { token });
    for (const person of [client, other]) {
      const sale = await referralOf(person);
      expect(sale).toMatchObject({ status: 'rejected', referred_contact_name: 'Contact effacé' });
      expect(await noticesOf(sale['id'])).toContainEqual({ recipient_id: commercial.id, kind: 'friend_said_no' });
    }
  });

  test('[DF-20] an address corrected into somebody else’s proves nothing: one referral is closed, and that address stays welcome', async () => {
    const [client, other] = [await aReferrer(), await aReferrer()];
    const [mine, victims] = [address(), address()];
    expect(
      (await callAs(server, other, 'send-invitation-email', { name: 'Victime', email: victims, phone: number() }))
        .status,
    ).toBe(200);
    expect((await send(await linkOf(client), byMail(mine))).status).toBe(200);
    const mail = await server.mailbox.take(mine);
    const data = (/http\S+\/accord\?token=[\w-]+/u.exec(mail.text)?.[0] ?? '').replace('accord', 'vos-donnees');
    const corrected = await act(data, { act: 'corriger', name: 'Ami', email: victims, phone: '' });
    expect(corrected.html).toContain('C’est corrigé.');
    expect(corrected.html).toContain('Seule cette recommandation est effacée');
    expect((await act(data.replace('vos-donnees', 'accord'), { answer: 'oui', phone: number() })).status).toBe(200);
    expect(await proofsOf((await referralOf(client))['id'])).toEqual([
      { is_given: false, place: 'public_page' },
      { is_given: true, place: 'page' },
    ]);
    expect((await act(data, { act: 'effacer' })).status).toBe(200);
    expect(await referralOf(client)).toMatchObject({ status: 'rejected', referred_contact_email: null });
    expect(only(await salesOf(other))).toMatchObject({ status: 'pending', referred_contact_email: victims });
    expect((await send(await linkOf(await aReferrer()), byMail(victims))).status).toBe(200);
    // The mailbox that was mailed to said no for itself.
    expect((await send(await linkOf(await aReferrer()), byMail(mine))).status).toBe(409);
  });

  test('[DF-20] a link from before, which pages showed too, closes its one referral and refuses no address', async () => {
    const [client, other] = [await aReferrer(), await aReferrer()];
    const email = address();
    for (const person of [client, other]) {
      await callAs(server, person, 'send-invitation-email', { name: 'Ami', email, phone: number() });
    }
    const former = server.services.secrets.seal('friend-opt-out', String(only(await salesOf(client))['id']));
    expect((await callAs(server, undefined, 'friend-opt-out', { token: former.toString('base64url') })).status).toBe(
      200,
    );
    expect(only(await salesOf(client))).toMatchObject({ status: 'rejected', referred_contact_email: null });
    expect(only(await salesOf(other))).toMatchObject({ status: 'pending', referred_contact_email: email });
  });

  test('[DF-28] what one friend says is bounded, whichever network it comes from', async () => {
    const client = await aReferrer();
    const email = address();
    await callAs(server, client, 'send-invitation-email', { name: 'Ami', email, phone: number() });
    const mail = await server.mailbox.take(email);
    const accord = /http\S+\/accord\?token=[\w-]+/u.exec(mail.text)?.[0] ?? '';
    const said: number[] = [];
    for (let n = 0; n < 8; n += 1) said.push((await act(accord, { answer: n % 2 === 0 ? 'oui' : 'non' })).status);
    expect(said).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    expect(await proofsOf((await referralOf(client))['id'])).toHaveLength(6);
    const data = accord.replace('accord', 'vos-donnees');
    const corrected: number[] = [];
    for (let n = 0; n < 13; n += 1) {
      corrected.push((await act(data, { act: 'corriger', name: `Ami ${'a'.repeat(n + 1)}`, email, phone: '' })).status);
    }
    expect(corrected.slice(11)).toEqual([200, 429]);
  });

  test('[CS-01] [UI-03] is told what is wrong, field by field, and finds what they wrote', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const reply = await send(url, { name: ' ', contact: 'x@', channel: 'sms', message: '"><b>bonjour</b>' });
    expect(reply.status).toBe(400);
    expect(reply.html).toContain('id="name-error">Le nom est requis<');
    expect(reply.html).toMatch(/id="contact-error">L’adresse e-mail n’est pas valide\. Exemple\u00a0: [^<]*</u);
    // [DF-85] The keyboard goes on at the first of them.
    expect(reply.html.match(/<\w+ id="(?<id>\w+)"[^>]* autofocus/u)?.groups).toEqual({ id: 'name' });
    expect((reply.html.match(/ autofocus/gu) ?? []).length).toBe(1);
    expect(reply.html).toContain('value="x@"');
    expect(reply.html).toContain('&quot;&gt;&lt;b&gt;bonjour&lt;/b&gt;</textarea>');
    expect(reply.html.match(/value="(?<channel>\w+)"[^>]*checked/u)?.groups).toEqual({ channel: 'sms' });
    expect(await salesOf(client)).toEqual([]);
  });

  test('[UI-03] a contact that does not serve the way chosen, none, and no way chosen: each is said where it is mended', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const said = async (fields: Record<string, string>) => {
      const { status, html } = await send(url, fields);
      const errors = [...html.matchAll(/id="(\w+)-error">([^<]*)</gu)].map(([, id, text = '']) => [
        id,
        text.replaceAll('\u00a0', ' '),
      ]);
      return [status, ...errors];
    };
    expect(await said({})).toEqual([
      400,
      ['channel', 'Choisissez comment être recontacté : appel, SMS ou e-mail'],
      ['contact', 'Donnez votre téléphone ou votre e-mail'],
    ]);
    expect(await said({ contact: address(), channel: 'call' })).toEqual([
      400,
      ['contact', 'Pour un appel, donnez un numéro de téléphone, ou choisissez « E-mail »'],
    ]);
    expect(await said({ contact: address(), channel: 'sms' })).toEqual([
      400,
      ['contact', 'Pour un SMS, donnez un numéro de téléphone, ou choisissez « E-mail »'],
    ]);
    expect(await said({ contact: number(), channel: 'email' })).toEqual([
      400,
      ['contact', 'Pour un e-mail, donnez une adresse e-mail, ou choisissez « Appel » ou « SMS »'],
    ]);
    expect(await said({ contact: number(), channel: 'pigeon' })).toEqual([
      400,
      ['channel', 'Choisissez comment être recontacté : appel, SMS ou e-mail'],
    ]);
    expect(await said({ contact: 'le matin', channel: 'call' })).toEqual([
      400,
      [
        'contact',
        'Donnez un numéro de téléphone ou une adresse e-mail. Exemples : 06 12 34 56 78, prenom.nom@exemple.fr',
      ],
    ]);
    expect(await salesOf(client)).toEqual([]);
  });

  test('[CS-01] cannot learn who is a client, who works there, who was invited, who said no: one answer', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const invited = address();
    expect((await send(url, byMail(invited))).status).toBe(200);
    const phone = number();
    expect((await send(url, bySms(phone))).status).toBe(200);
    const other = await aReferrer();
    const answers = await Promise.all(
      [
        byMail(invited.toUpperCase()),
        bySms(`+33${phone.replaceAll(' ', '').slice(1)}`),
        byMail(other.email),
        byMail(admin.email),
        byMail(client.email),
      ].map((fields) => send(url, fields)),
    );
    const said = answers.map(({ status, html }) => [status, /role="alert">([^<]*)</u.exec(html)?.[1]]);
    expect(new Set(said.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(said[0]).toEqual([409, expect.stringContaining('n’a pas été enregistrée')]);
    expect(await salesOf(client)).toHaveLength(2);
  });

  test('[CS-01] twice by one pressing: one referral, one mail, thanks both times', async () => {
    const client = await aReferrer();
    const email = address();
    const page = await open(await linkOf(client));
    secondsLater += 10;
    const fields = { name: 'Ami', ...byMail(email), work: workOn(page.stamp) };
    const replies = await Promise.all([post(page, fields), post(page, fields), post(page, fields)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await salesOf(client)).toHaveLength(1);
    await server.mailbox.take(email);
    expect(server.mailbox.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(1);
  });
});

describe('the thanks', () => {
  const sendByHand = async (page: Opened, fields: Record<string, string>, cookie = '') => {
    const reply = await fetch(page.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-forwarded-for': page.network, cookie },
      body: new URLSearchParams({ stamp: page.stamp, work: workOn(page.stamp), name: 'Ami Neuf', ...fields }),
    });
    return {
      status: reply.status,
      to: reply.headers.get('location') ?? '',
      cookie: reply.headers.get('set-cookie') ?? '',
      html: await reply.text(),
    };
  };
  const read = async (to: string) => (await (await fetch(server.url + to)).text()).replaceAll('\u00a0', ' ');

  test('[UI-03] are an address of their own, by a redirection: read again they send nothing, and it holds nothing personal', async () => {
    const client = await aReferrer();
    const [page, email] = [await open(await linkOf(client)), address()];
    secondsLater += 10;
    const sent = await sendByHand(page, byMail(email));
    expect(sent.status).toBe(303);
    expect(sent.to).toMatch(/^\/ma-demande\/merci\?ticket=[\w-]+$/u);
    for (const tried of [1, 2])
      expect([tried, await read(sent.to)]).toEqual([tried, expect.stringContaining(`à ${email}`)]);
    expect(await salesOf(client)).toHaveLength(1);
    await server.database.asOwner(
      `begin; set local session_replication_role = replica;
       update public.sales set created_at = created_at - interval '61 minutes' where friend_referrer_id = '${client.id}';
       commit`,
    );
    // Later it shows nothing that is kept.
    expect(await read(sent.to)).not.toContain(email);
    expect((await fetch(server.url + sent.to)).url).toContain('/ma-demande?ticket=');
    expect((await fetch(`${server.url}/ma-demande/merci?ticket=x`)).status).toBe(404);
  });

  test('[UI-03] the same form sent again by this browser soon after is the same request; by another it is what any other is told', async () => {
    const client = await aReferrer();
    const [url, phone] = [await linkOf(client), number()];
    const page = await open(url);
    secondsLater += 10;
    const first = await sendByHand(page, bySms(phone));
    const cookie = first.cookie.split(';')[0];
    expect(first.cookie).toMatch(/^demande=[\w-]+; Path=\/p\/[0-9a-z]+; Max-Age=900; HttpOnly; SameSite=Lax/u);
    const again = await open(url);
    secondsLater += 10;
    expect(await sendByHand(again, bySms(phone), cookie)).toMatchObject({ status: 303, to: first.to });
    expect((await sendByHand(await laterThan(url), bySms(phone))).status).toBe(409);
    expect(await salesOf(client)).toHaveLength(1);
    // Another contact is another request; with the very page of the first, it is not lost in silence.
    expect((await sendByHand(page, bySms(number()), cookie)).html).toContain('Cette page a déjà servi');
    expect((await sendByHand(await laterThan(url), bySms(number()), cookie)).status).toBe(303);
    expect(await salesOf(client)).toHaveLength(2);
  });

  const laterThan = async (url: string) => {
    const page = await open(url);
    secondsLater += 10;
    return page;
  };

  test('[UI-03] the link with a slash at its end leads to the page', async () => {
    const url = await linkOf(await aReferrer());
    const reply = await fetch(`${url}/`);
    expect([reply.status, reply.url]).toEqual([200, url]);
  });

  test('[UI-03] the answer is changed for another way to be reached, which is kept as the first was; none is the main button', async () => {
    const client = await aReferrer();
    const phone = number();
    const thanks = await send(await linkOf(client), bySms(phone));
    const to = /href="(http[^"]+ma-demande[^"]+)"/u.exec(thanks.html)?.[1] ?? '';
    const change = async (fields: Record<string, string>) => {
      const reply = await fetch(to, {
        method: 'POST',
        headers: { 'x-forwarded-for': aNetwork() },
        body: new URLSearchParams(fields),
      });
      return { status: reply.status, html: (await reply.text()).replaceAll('\u00a0', ' ') };
    };
    const before = await (await fetch(to)).text();
    expect([...before.matchAll(/name="channel" value="(\w+)" class="second"/gu)].map(([, way]) => way)).toEqual([
      'call',
    ]);
    const called = await change({ channel: 'call' });
    expect(called.html).toContain('Vous avez accepté d’être appelé.');
    expect(called.html).toMatch(/name="answer" value="non" class="second"/u);
    expect((await change({ channel: 'email' })).status).toBe(400);
    expect((await change({ channel: 'pigeon' })).status).toBe(400);
    expect((await change({ channel: 'sms' })).html).toContain('Vous avez choisi d’être recontacté par SMS.');
    expect((await change({ channel: 'sms' })).status).toBe(200);
    const sale = only(
      await server.database.asOwner<{ id: string }>('select id from public.sales where friend_referrer_id = $1', [
        client.id,
      ]),
    );
    expect(
      await server.database.asOwner(
        'select channel, is_given, place from public.call_consents where sale_id = $1 order by said_at',
        [sale.id],
      ),
    ).toEqual([
      { channel: 'sms', is_given: false, place: 'public_page' },
      { channel: 'call', is_given: true, place: 'page' },
      { channel: 'sms', is_given: false, place: 'page' },
    ]);
    // A friend who gave an address may be called once there is a number to call.
    const mailed = await send(await linkOf(await aReferrer()), byMail(address()));
    const other = /href="(http[^"]+ma-demande[^"]+)"/u.exec(mailed.html)?.[1] ?? '';
    const ask = async (fields: Record<string, string>) =>
      (
        await fetch(other, {
          method: 'POST',
          headers: { 'x-forwarded-for': aNetwork() },
          body: new URLSearchParams(fields),
        })
      ).status;
    expect([await ask({ channel: 'sms' }), await ask({ channel: 'sms', phone: '01 23 45 67 89' })]).toEqual([400, 400]);
    expect(await ask({ channel: 'sms', phone: number() })).toBe(200);
  });
});

describe('a robot', () => {
  test('[CS-01] the page’s own SHA-256 is SHA-256', () => {
    const hash = createHasher();
    for (const text of ['', 'abc', 'x'.repeat(55), randomUUID(), `${randomUUID()}.${randomInt(10 ** 6)}`]) {
      expect(hash(text)).toBe(createHash('sha256').update(text).digest().readUInt32BE());
    }
  });

  test('[CS-01] 1 000 tries of seven kinds leave no referral', { tags: 'long' }, async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const page = await open(url);
    const elsewhere = await open(await linkOf(await aReferrer()));
    const late = await open(url);
    secondsLater += 5 * 3600;
    const fresh = await open(url);
    secondsLater += 10;
    const kinds: readonly (readonly [Opened, Record<string, string>])[] = [
      [{ ...page, stamp: '' }, {}],
      [{ ...fresh, stamp: 'a.b.c' }, { work: '1' }],
      [fresh, {}],
      [fresh, { work: '0', sum: '99' }],
      [fresh, { work: workOn(fresh.stamp), website: 'https://exemple.fr' }],
      [{ ...fresh, stamp: elsewhere.stamp }, { work: workOn(elsewhere.stamp) }],
      [late, { work: workOn(late.stamp) }],
    ];
    for (let tried = 0; tried < 1000; tried += 50) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const [from, fields] = kinds[(tried + n) % kinds.length] ?? [page, {}];
          return post({ ...from, network: aNetwork() }, { name: 'Robot', ...byMail(address()), ...fields });
        }),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
    }
    expect(await salesOf(client)).toEqual([]);
  });

  test('[CS-01] a form sent as soon as it is open is shown again', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    // A stamp of this very second, whatever the machine has to do meanwhile.
    const stamp = makeStamp(server.services.secrets, url.slice(-12), new Date(clock.now().getTime() + 3000)).text;
    const { html } = await post(
      { ...(await open(url)), stamp },
      { name: 'Ami', ...byMail(address()), work: workOn(stamp) },
    );
    expect(html).toContain('C’est parti un peu vite');
    expect(await salesOf(client)).toEqual([]);
  });

  test('[CS-01] without a script a person answers a sum instead', async () => {
    const client = await aReferrer();
    const page = await open(await linkOf(client));
    const words = /<noscript>[\s\S]*combien font ([a-z]+) et ([a-z]+)/u.exec(page.html)?.slice(1) ?? [];
    const numbers = ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'];
    const sum = String(words.reduce((total, word) => total + numbers.indexOf(word), 0));
    secondsLater += 10;
    const wrong = (await post(page, { name: 'Ami', ...byMail(address()), sum: '1' })).html;
    expect(wrong).toContain('Répondez à la question au-dessus du bouton');
    // [UI-03] [DF-85] The keyboard is where the sum is asked.
    expect(wrong).toMatch(/<input\s+id="sum"[^>]*aria-invalid="true" aria-describedby="whole" autofocus/u);
    expect((wrong.match(/ autofocus/gu) ?? []).length).toBe(1);
    expect((await post(page, { name: 'Ami', ...byMail(address()), sum })).status).toBe(200);
    expect(await salesOf(client)).toHaveLength(1);
  });

  test('[CS-01] one network’s flood is turned away before it reaches the database, and costs another network nothing', async () => {
    const client = await aReferrer();
    const url = await linkOf(client);
    const page = await open(url);
    const tries = await Promise.all(
      Array.from({ length: 60 }, () => post(page, { name: 'Robot', ...byMail(address()) })),
    );
    const refused = tries.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(35);
    expect(refused[0]?.html).toContain('Trop de tentatives');
    expect((await send(url, byMail(address()))).status).toBe(200);
  });

  test('[CS-01] of a flood no form is waited for: it is turned away by its first lines', async () => {
    const url = await linkOf(await aReferrer());
    const page = await open(url);
    await Promise.all(Array.from({ length: 25 }, () => post(page, { name: 'Robot', ...byMail(address()) })));
    const { port, pathname } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    try {
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: ${page.network}\r\n` +
          'content-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\n',
      );
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /u);
    } finally {
      socket.destroy();
    }
  });

  test(
    '[CS-01] a link takes twenty friends a day, and the client still invites by themselves',
    { tags: 'long' },
    async () => {
      const client = await aReferrer();
      const url = await linkOf(client);
      for (let n = 0; n < 20; n++) expect((await send(url, bySms(number()))).status).toBe(200);
      const refused = await send(url, bySms(number()));
      expect(refused.status).toBe(429);
      expect(refused.html).toContain('Ce lien a déjà reçu beaucoup de demandes aujourd’hui. Réessayez demain.');
      const invited = await callAs(server, client, 'send-invitation-email', { name: 'Ami', email: address() });
      expect(invited.status).toBe(200);
    },
  );
});
