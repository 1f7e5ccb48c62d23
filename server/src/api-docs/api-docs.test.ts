import { webhookEvents } from '@parrain/domain/webhook';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { aCompanyKey } from '../testing/company-key.ts';
import type { CompanyKey } from '../testing/company-key.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { freePort } from '../testing/free-port.ts';
import { functionFolders } from '../testing/rights/doors.ts';
import { addressOf, KEY_ACTIONS } from './open-api.ts';
import { newWebhookSecret, signedHeaders } from '../functions/webhooks/signature.ts';
import { EXAMPLES, exampleText, receiverText } from './page.ts';

// The documentation of the API (WH-01): what it prints is what runs here, and it lists what is open to keys, no more and no less.

const run = promisify(execFile);

let server: TestServer;
let admin: Person;
let client: Person;
let key: CompanyKey;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const db = server.database;
  const commercial = await aCommercial(db);
  [admin, client] = [await anAdmin(db), await aClient(db, { commercial })];
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '500' });
  await aValidatedSale(db, { admin, commercial, friendReferrer: client, scale });
  key = await aCompanyKey(server, admin);
});
afterAll(() => server.close());

const page = async () => (await fetch(`${server.url}/docs/api`)).text();

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The examples as a reader of the page copies them. */
async function printed(): Promise<readonly string[]> {
  return [...(await page()).matchAll(/<pre[^>]*><code>(?<text>[\s\S]*?)<\/code><\/pre>/gu)].map((match) =>
    unescaped(match.groups?.['text'] ?? ''),
  );
}

async function runPrinted(text: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const program = text.startsWith('curl') ? ['sh', '-c'] : [process.execPath, '--input-type=module', '-e'];
  const { stdout } = await run(program[0] ?? '', [...program.slice(1), text], {
    env: { ...process.env, PARRAIN_URL: server.url, PARRAIN_KEY: key.secret, ...more },
  });
  return JSON.parse(stdout);
}

async function anApprovedRequest(): Promise<{ id: string; version: number; amount: string }> {
  const db = server.database;
  const { id } = only(
    await db.become(client, (ask) =>
      ask<{ id: string }>(`select id from private.request_payment(20, 'cheque_cadeau', '{}', null)`),
    ),
  );
  await db.become(admin, (ask) => ask(asSeen.decide, [id, 'approved', null]));
  return only(
    await db.asOwner<{ id: string; version: number; amount: string }>(
      'select id, version, amount::text from public.payment_requests where id = $1',
      [id],
    ),
  );
}

test('[WH-01] the page prints the examples to the letter, loads nothing, and runs no script', async () => {
  const texts = await printed();
  for (const example of EXAMPLES) {
    for (const language of ['sh', 'mjs'] as const) expect(texts).toContain(exampleText(example, language));
  }
  const response = await fetch(`${server.url}/docs/api`);
  const text = await response.text();
  const style = /<style>(?<text>[\s\S]*?)<\/style>/u.exec(text)?.groups?.['text'] ?? '';
  expect(style).toContain('max-width');
  // The browser applies a style sheet only where its hash is the policy's.
  expect(response.headers.get('content-security-policy')).toContain(
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`,
  );
  expect(text).not.toMatch(/<script|<link|<img|https?:\/\/(?!127\.0\.0\.1)/u);
  expect(text.length).toBeLessThan(30_000);
});

test('[WH-01] the examples of reading, as printed, read what is there, with curl and with JavaScript', async () => {
  const reading = (await printed()).filter((text) => text.includes('/rest/v1/sales'));
  expect(reading).toHaveLength(2);
  for (const text of reading) {
    expect(await runPrinted(text)).toEqual([{ id: expect.any(String), status: 'validated', contract_amount: 1234.56 }]);
  }
});

test('[WH-01] the examples of paying, as printed, mark an approved request paid; repeated, they are one payment', async () => {
  const paying = (await printed()).filter((text) => text.includes('update_status'));
  expect(paying).toHaveLength(2);
  for (const text of paying) {
    const request = await anApprovedRequest();
    const more = { REQUEST_ID: request.id, VERSION: String(request.version), AMOUNT: request.amount };
    const first = await runPrinted(text, more);
    expect(first).toMatchObject({ success: true, already: false, data: { status: 'paid' } });
    // curl says the same again; the program reads the request again, and learns that it is paid.
    const again = await runPrinted(text, more);
    if (text.startsWith('curl')) expect(again).toEqual(first);
    else expect(again).toMatchObject({ success: true, already: true });
  }
});

test('[WH-01] the OpenAPI lists the tables that keys are granted and the actions that have a scope, no more and no less', async () => {
  const document = (await (await fetch(`${server.url}/docs/api/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, unknown>>;
    readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
  };
  const granted = await server.database.asOwner<{ name: string }>(
    `select distinct table_name as name from information_schema.role_table_grants where grantee = 'api_key' order by 1`,
  );
  const actions: { name: string; action: string; scope: string }[] = [];
  for (const name of functionFolders()) {
    const { default: known } = (await import(`../functions/${name}/index.ts`)) as {
      readonly default: Readonly<Record<string, { readonly scope?: string }>>;
    };
    for (const [action, { scope }] of Object.entries(known)) {
      if (scope !== undefined) actions.push({ name, action, scope });
    }
  }
  expect(KEY_ACTIONS.map(({ name, action, scope }) => ({ name, action, scope })).toSorted(byName)).toEqual(
    actions.toSorted(byName),
  );
  expect(Object.keys(document.paths).toSorted()).toEqual(
    [...granted.map(({ name }) => `/rest/v1/${name}`), ...actions.map(addressOf)].toSorted(),
  );
  const text = await page();
  for (const { name } of granted) {
    expect(text).toContain(`GET /rest/v1/${name}`);
    // Named, and with a sentence of its own.
    expect(text).not.toContain(`<p>${name}</p>`);
  }
  expect(Object.keys(document.components.schemas['sales']?.properties ?? {})).toContain('contract_amount');
});

const byName = (one: { readonly name: string }, other: { readonly name: string }) => one.name.localeCompare(other.name);

test('[WH-01] [WH-03] the examples of referring, as printed, create one referral by its reference, then move it to its validation', async () => {
  const referring = (await printed()).filter((text) => text.includes('receive-referral'));
  expect(referring).toHaveLength(2);
  for (const [index, text] of referring.entries()) {
    const more = { REFERENCE: `DEV-${index}`, REFERRER: client.email, FRIEND: `ami-${index}@example.fr` };
    const first = await runPrinted(text, more);
    expect(first).toMatchObject({ success: true, data: { status: 'validated', contract_amount: 4200.5 } });
    const again = await runPrinted(text, more);
    expect(again).toMatchObject({ success: true, created: false, changed: false });
  }
});

test('[WH-01] [WH-02] the example of a receiver, as printed, takes what is signed with its secret, and nothing else', async () => {
  expect(await printed()).toContain(receiverText());
  const text = await page();
  for (const event of webhookEvents) expect(text).toContain(`<code>${event}</code>`);
  const secret = newWebhookSecret();
  const port = String(await freePort());
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', receiverText()], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const send = (headers: Readonly<Record<string, string>>, body: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).then(({ status }) => status);
    await expect.poll(() => send({}, '{}').catch(() => null)).toBe(401);
    const at = Math.floor(Date.now() / 1000);
    const message = { id: 'evt_1', at, body: '{"type":"sale.validated"}' };
    const heard = once(receiver.stdout, 'data');
    expect(await send(signedHeaders(message, [newWebhookSecret(), secret]), message.body)).toBe(204);
    expect(String((await heard)[0])).toBe(`${message.body}\n`);
    expect(await send(signedHeaders(message, [secret]), '{"type":"sale.rejected"}')).toBe(401);
    expect(await send(signedHeaders(message, [newWebhookSecret()]), message.body)).toBe(401);
    expect(await send(signedHeaders({ ...message, at: at - 301 }, [secret]), message.body)).toBe(401);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
});

test('[WH-01] every example stands in the folder, and none is left over', () => {
  expect(readdirSync(new URL('./examples/', import.meta.url)).toSorted()).toEqual(
    ['listen.mjs', ...EXAMPLES.flatMap((example) => [`${example}.mjs`, `${example}.sh`])].toSorted(),
  );
});
