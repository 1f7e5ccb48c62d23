import { createHash, randomInt, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';
import { systemClock } from '../platform/clock.ts';
import { WORK_BITS } from './stamp.ts';

// [UI-03] What a friend reads before and after they answer: who recommends, what the company does and gives, who answers and when.

let server: TestServer;
let admin: Person;
let commercial: Person;
let url: string;
let secondsLater = 0;
const clock = { ...systemClock, now: () => new Date(Date.now() + secondsLater * 1000) };
beforeAll(async () => {
  server = await startTestServer({ smtp: true, clock, environment: { TRUST_PROXY: '1' } });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database, { fullName: 'Corentin Jean Petit' });
  const client = await aClient(server.database, { commercial, fullName: 'Camille Bernard' });
  await callAs(server, admin, 'company-settings?action=update_name', { company_name: 'Toits du Nord' });
  url = (await callAs(server, client, 'personal-link?action=get', {})).body.data.url as string;
});
afterAll(() => server.close());

const settings = (action: string, body: Record<string, unknown> | FormData = {}, who = admin) =>
  callAs(server, who, `company-settings?action=${action}`, body);
const plain = (html: string) => html.replaceAll(/[\u00a0\u202f]/gu, ' ').replaceAll(/\s+/gu, ' ');
const page = async (address = url) => plain(await (await fetch(address)).text());
const number = () => `06 ${String(randomInt(10 ** 8)).padStart(8, '0')}`;
const aPicture = (width = 2400, height = 1800) =>
  sharp({ create: { width, height, channels: 3, background: '#0a5c4a' } })
    .png()
    .toBuffer();

async function upload(content: Uint8Array, who = admin) {
  const form = new FormData();
  form.set('file', new File([content as Uint8Array<ArrayBuffer>], 'photo.png', { type: 'image/png' }));
  return settings('upload_picture', form, who);
}

/** Fills the form in as a browser with a script does. */
async function send(fields: Record<string, string>): Promise<string> {
  const stamp = /name="stamp" value="([^"]+)"/u.exec(await (await fetch(url)).text())?.[1] ?? '';
  const [, seed] = stamp.split('.');
  let work = 0;
  const isFound = () =>
    createHash('sha256').update(`${seed}.${work}`).digest().readUInt32BE() >>> (32 - WORK_BITS) === 0;
  while (!isFound()) work += 1;
  secondsLater += 10;
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(1, 255)}` },
    body: new URLSearchParams({ name: 'Ami Neuf', stamp, work: String(work), ...fields }),
  });
  expect(reply.status).toBe(200);
  return plain(await reply.text());
}

test('[UI-03] the page says who answers and when as far as it is known, and of a gain nothing until the company says one', async () => {
  const before = await page();
  expect(before).toContain('<h2 id="who">Qui vous répondra</h2>');
  expect(before).toContain('Corentin P., de Toits du Nord, prochainement.');
  expect(before).not.toContain('Jean');
  expect(before).not.toContain('Ce que vous y gagnez');
  expect(before).not.toContain('class="picture"');

  await settings('update_presentation', {
    presentation: 'Toitures et charpentes.\nDepuis 1987.',
    friend_gain: 'Un diagnostic <offert> de votre toit.',
    answer_days: '2',
  });
  const after = await page();
  expect(after).toContain('Toitures et charpentes.');
  expect(after).toContain(
    '<h2 id="gain">Ce que vous y gagnez</h2> <p class="text">Un diagnostic &lt;offert&gt; de votre toit.</p>',
  );
  expect(after).toContain('Corentin P., de Toits du Nord, sous 2 jours ouvrés. Sans engagement');
  expect(after).toContain('peut recevoir une récompense si vous signez un contrat');

  await settings('update_presentation', { answer_days: 1 });
  const named = await page();
  expect(named).toContain('sous 1 jour ouvré.');
  expect(named).toContain('Un diagnostic');
});

test.each([
  ['no day', 'answer_days', 0, 'Indiquez un nombre de jours, de 1 à 10.'],
  ['too many days', 'answer_days', '11', 'Indiquez un nombre de jours, de 1 à 10.'],
  ['a word', 'answer_days', 'bientôt', 'Indiquez un nombre de jours, de 1 à 10.'],
  ['a long text', 'friend_gain', 'x'.repeat(301), '300 caractères'],
])('[UI-03] the settings refuse %s in French, and keep what was there', async (_, field, value, said) => {
  const before = await page();
  const reply = await settings('update_presentation', { [field]: value });
  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body)).toContain(said);
  expect((await page()).replaceAll(/name="stamp".*?>|data-seed="[^"]*"|combien font [^?]*/gu, '')).toBe(
    before.replaceAll(/name="stamp".*?>|data-seed="[^"]*"|combien font [^?]*/gu, ''),
  );
});

test('[UI-03] the thanks say who answers, how and when, then what the company does; how to take it back comes last', async () => {
  await settings('update_presentation', { presentation: 'Toitures.', friend_gain: 'Un diagnostic.', answer_days: 3 });
  const phone = number();
  const called = await send({ channel: 'call', contact: phone });
  const order = [
    '<h1>Merci, votre demande est envoyée</h1>',
    `Corentin P., de Toits du Nord, vous appellera au ${phone}, sous 3 jours ouvrés.`,
    'Toitures.',
    'Un diagnostic.',
    'faire effacer mes coordonnées',
  ].map((text) => called.indexOf(text));
  expect(order.every((place) => place > 0)).toBe(true);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(called).not.toContain('Vous ne serez pas appelé');

  const texted = await send({ channel: 'sms', contact: number() });
  expect(texted).toMatch(/vous répondra par SMS, au 06 \d+, sous 3 jours ouvrés\. <\/p> ?<p> ?C’est sans engagement/u);
  expect(texted).toContain('Vous ne serez pas appelé.');

  await settings('update_presentation', { answer_days: null });
  const email = `ami-${randomUUID().slice(0, 8)}@example.fr`;
  expect(await send({ channel: 'email', contact: email })).toContain(
    `vous répondra par e-mail, à ${email}, prochainement.`,
  );
  const mail = plain((await server.mailbox.take(email)).text);
  expect(mail).toContain('Corentin Jean Petit, de Toits du Nord, vous répondra par e-mail, prochainement');
});

test('[UI-03] a picture is drawn anew as JPEG of at most 1200 × 630, is what a link shows, replaces the one before and can be taken away', async () => {
  const first = await upload(await aPicture());
  expect(first.body.data.picture_url).toMatch(/^\/storage\/v1\/object\/public\/logos\/picture-[0-9a-f]{32}\.jpg$/u);
  const file = await fetch(server.url + first.body.data.picture_url);
  expect(file.headers.get('content-type')).toBe('image/jpeg');
  expect(await sharp(Buffer.from(await file.arrayBuffer())).metadata()).toMatchObject({
    format: 'jpeg',
    width: 1200,
    height: 630,
  });
  const second = await upload(await aPicture(600, 300));
  const address = second.body.data.picture_url as string;
  expect((await fetch(server.url + first.body.data.picture_url)).status).toBe(404);
  const shown = await page();
  expect(shown).toContain(`<img class="picture" src="${address}" alt=""`);
  expect(shown).toContain(`<meta property="og:image" content="${server.url}${address}" />`);

  expect((await upload(Buffer.from('GIF89a'))).body).toMatchObject({
    error: 'Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.',
  });
  for (const action of ['upload_picture', 'remove_picture']) {
    expect((await settings(action, {}, commercial)).status).toBe(403);
  }
  expect(await page()).toContain(address);
  expect((await settings('remove_picture')).status).toBe(200);
  expect(await page()).not.toContain('class="picture"');
  expect((await fetch(server.url + address)).status).toBe(404);
});

test('[UI-03] all that the page transfers but its picture is under 30 KB, compressed as little as servers do', async () => {
  await upload(await aPicture());
  await settings('update_presentation', {
    presentation: sentences(500),
    friend_gain: sentences(300),
    answer_days: 10,
  });
  const reply = await fetch(url);
  const html = await reply.text();
  expect(reply.headers.get('content-security-policy')).toContain("font-src 'self'");
  const files = [...html.matchAll(/url\((\/[^)]+)\)/gu)].map(([, file = '']) => file);
  expect(files).toEqual(['/titres.woff2']);
  const fonts = await Promise.all(
    files.map((file) => readFile(path.join(import.meta.dirname, '..', '..', '..', 'web', 'public', file))),
  );
  // Its icon is asked for once the page stands.
  const icon = await readFile(path.join(import.meta.dirname, '..', '..', '..', 'web', 'public', 'favicon.svg'));
  const transferred = gzipSync(html).length + fonts.reduce((sum, font) => sum + font.length, 0) + icon.length;
  expect(brotliCompressSync(html).length).toBeLessThan(gzipSync(html).length);
  expect(transferred).toBeLessThan(30_000);
});

/** Text that compresses as badly as what people write. */
function sentences(length: number): string {
  let text = '';
  while (text.length < length) text += `${randomUUID().replaceAll('-', ' ')} `;
  return text.slice(0, length - 1).trim();
}

test('[UI-03] the preview is the page with names of examples, from which nothing is sent', async () => {
  const preview = await page(`${server.url}/p/apercu`);
  expect(preview).toContain('Camille B.</bdi> vous recommande <bdi>Toits du Nord');
  expect(preview).toContain('Aperçu');
  expect(preview).toMatch(/<button disabled>/u);
  expect(preview).not.toContain('<script>');
  const reply = await fetch(`${server.url}/p/apercu`, { method: 'POST', body: new URLSearchParams({ name: 'Ami' }) });
  expect(reply.status).toBe(404);
});
