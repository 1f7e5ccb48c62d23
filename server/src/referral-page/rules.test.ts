import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { callAs } from '../testing/call-function.ts';

// [CS-05] The programme's rules over HTTP: written by admins, accepted by clients, read by whoever follows a personal link.

let server: TestServer;
let admin: Person;
let client: Person;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer();
  [admin, commercial] = [await anAdmin(server.database), await aCommercial(server.database)];
  client = await aClient(server.database, { commercial });
});
afterAll(() => server.close());

const call = (who: Person, action: string, body: Record<string, unknown> = {}) =>
  callAs(server, who, 'programme-rules', { action, ...body });
const read = async (who: Person, action: string) =>
  (await callAs(server, who, `programme-rules?action=${action}`, undefined, { method: 'GET' })).body.data;
const toAccept = async (who: Person) =>
  (await callAs(server, who, 'company-settings?action=get', undefined, { method: 'GET' })).body.data.rules_to_accept;
async function page(query = ''): Promise<{ readonly status: number; readonly html: string }> {
  const reply = await fetch(`${server.url}/regles${query}`);
  return { status: reply.status, html: await reply.text() };
}
const publicPage = async () =>
  (await fetch((await callAs(server, client, 'personal-link?action=get', {})).body.data.url)).text();
/** Version in force, whatever the other tests published. */
const inForce = async (): Promise<number> => (await read(admin, 'get'))?.version ?? 0;

test('[CS-05] until something is published there is no page, no link to it and nothing to accept', async () => {
  expect(await inForce()).toBe(0);
  expect((await page()).status).toBe(404);
  expect(await publicPage()).not.toContain('/regles');
  expect(await toAccept(client)).toBeNull();
});

test('[CS-05] a draft is the admins’ alone; published, it is the next version, and empty or unchanged it is refused', async () => {
  const body = `Article 1 : <b>un</b> parrainage par ami ${randomUUID()}\n\nArticle 2`;
  expect(await call(admin, 'save_draft', { body })).toMatchObject({
    status: 200,
    body: { message: 'Brouillon enregistré' },
  });
  expect((await read(admin, 'state')).draft).toBe(body);
  for (const person of [commercial, client]) {
    for (const action of ['save_draft', 'publish', 'acceptances'])
      expect((await call(person, action, { body, seen_version: 0 })).status).toBe(403);
    expect(await read(person, 'state')).toBeUndefined();
  }
  const seen = await inForce();
  expect((await call(admin, 'publish', { body: ' ', seen_version: seen })).body).toMatchObject({
    error: 'Écrivez les règles avant de les publier',
  });
  expect((await call(admin, 'publish', { body: 'x'.repeat(20_001), seen_version: seen })).status).toBe(400);
  expect((await call(admin, 'publish', { body, seen_version: seen + 1 })).body).toMatchObject({
    code: 'rules_changed',
  });
  expect((await call(admin, 'publish', { body, seen_version: seen })).body.data).toEqual({ version: seen + 1 });
  expect((await call(admin, 'publish', { body, seen_version: seen + 1 })).body).toMatchObject({
    code: 'rules_unchanged',
  });
  expect((await read(admin, 'state')).draft).toBeNull();

  // Read by anybody, as text.
  const { status, html } = await page();
  expect([status, html.includes('Article 1 : &lt;b&gt;un&lt;/b&gt;'), html.includes('<script')]).toEqual([
    200,
    true,
    false,
  ]);
  expect(await publicPage()).toContain(`href="${server.url}/regles"`);
});

test('[CS-05] a client accepts the version in force once, and again when it changes; a former one stays readable', async () => {
  const first = await inForce();
  await call(admin, 'publish', { body: `Avant ${randomUUID()}`, seen_version: first });
  expect(await toAccept(client)).toBe(first + 1);
  expect(await toAccept(admin)).toBeNull();
  expect((await call(client, 'accept', { version: 'deux' })).status).toBe(400);
  expect((await call(admin, 'accept', { version: first + 1 })).status).toBe(403);
  const accepted = await call(client, 'accept', { version: first + 1 });
  expect(accepted).toMatchObject({ status: 200, body: { message: 'Règles acceptées' } });
  expect((await call(client, 'accept', { version: first + 1 })).body.data).toEqual(accepted.body.data);
  expect(await toAccept(client)).toBeNull();
  const { data } = (await call(admin, 'acceptances', { search: client.fullName })).body;
  expect(data).toContainEqual(
    expect.objectContaining({ client_id: client.id, version: first + 1, ...accepted.body.data }),
  );

  await call(admin, 'publish', { body: `Après ${randomUUID()}`, seen_version: first + 1 });
  expect(await toAccept(client)).toBe(first + 2);
  expect((await call(client, 'accept', { version: first + 1 })).body).toMatchObject({ code: 'rules_changed' });
  const former = await page(`?version=${first + 1}`);
  expect([former.html.includes('Avant'), former.html.includes('Elle n’est plus en vigueur.')]).toEqual([true, true]);
  expect((await page()).html).toContain('Après');
  expect((await page('?version=99999')).status).toBe(404);
});
