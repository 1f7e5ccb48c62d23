import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere, fragmentOf, landing, press } from '../../testing/links.ts';
import { redirectTarget } from './redirect.ts';
import { authSettings } from './settings.ts';
import type { AuthSettings } from './settings.ts';

const PUBLIC = 'https://parrain.example.fr';
const LIST = [
  'https://app.exemple.fr/retour',
  'https://*.clients.fr/**',
  'https://app-*.preprod.fr/entree/*',
  'http://localhost:5173',
  'https://seul.fr',
  'https://port.fr:8443/**',
].join(', ');

let server: TestServer;
let settings: AuthSettings;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', PUBLIC_URL: PUBLIC, REDIRECT_URLS: LIST },
  });
  settings = authSettings(server.services);
});
afterAll(() => server.close());

const target = (asked: string | null): string => redirectTarget(asked, settings);

describe('where a link may lead', () => {
  test.each([
    `${PUBLIC}/client/dashboard?onglet=2#bas`,
    PUBLIC,
    'https://app.exemple.fr/retour',
    'https://app.exemple.fr/retour#suite',
    'https://un.clients.fr/nimporte/ou.html?x=1',
    'https://un.clients.fr/',
    'https://app-7.preprod.fr/entree/page',
    'http://localhost:5173/tout/chemin',
    'https://seul.fr/tout/chemin?y=2',
    'https://port.fr:8443/x',
  ])('[AU-08][I-56] our own or on the list: %s', (asked) => {
    expect(target(asked)).toBe(new URL(asked).href);
  });

  test.each([
    // Not addresses at all.
    null,
    '',
    'moi@example.fr',
    '/client/dashboard',
    '//mechant.fr',
    '///mechant.fr',
    '/\\mechant.fr',
    '\\\\mechant.fr',
    'https:mechant.fr',
    'https:/mechant.fr',
    'https:\\\\mechant.fr',
    'x'.repeat(3000),
    // Other schemes.
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//https://parrain.example.fr/',
    'java\tscript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://parrain.example.fr/x',
    'ftp://parrain.example.fr/',
    'parrain://retour',
    // Ours in appearance.
    'http://parrain.example.fr/',
    'https://parrain.example.fr:8443/',
    'https://parrain.example.fr.mechant.fr/',
    'https://parrain.example.fr@mechant.fr/',
    'https://parrain.example.fr:x@mechant.fr/',
    'https://moi:mdp@parrain.example.fr/',
    'https://moi@parrain.example.fr/',
    'https://.clients.fr/',
    'https://a..clients.fr/',
    'https://mechant.fr/https://parrain.example.fr/',
    'https://mechant.fr?https://parrain.example.fr/',
    'https://mechant.fr#https://parrain.example.fr/',
    'https://mechant.fr\\@parrain.example.fr/',
    'https://mechant.fr\\.parrain.example.fr/',
    'https://mechantparrain.example.fr/',
    'https://sous.parrain.example.fr/',
    'https://parrain.example.fr./',
    'https://parrain.example.fr%2emechant.fr/',
    'https://parrain.example.fr%00.mechant.fr/',
    'https://parrain.example.fr%40mechant.fr/',
    ' https://parrain.example.fr/',
    'https://parrain.example.fr/\nSet-Cookie: a=b',
    'https://parrain.example.fr/\r\nx',
    'https://parrain。example。fr@mechant.fr/',
    'https://mechant.fr／parrain.example.fr/',
    'https://parrаin.example.fr/',
    'https://ｐarrain.example.fr/',
    // Addresses of machines.
    'http://127.0.0.1:5173/',
    'http://10.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    // The list, bent.
    'https://app.exemple.fr/retour/',
    'https://app.exemple.fr/retour/../admin',
    'https://app.exemple.fr/retour?suite=1',
    'https://app.exemple.fr/Retour',
    'https://app.exemple.fr/',
    'http://app.exemple.fr/retour',
    'https://appxexemple.fr/retour',
    'https://clients.fr/x',
    'https://un.deux.clients.fr/x',
    'https://un.clients.fr.mechant.fr/x',
    'https://mechant.fr/.clients.fr/x',
    'https://mechant.fr?.clients.fr/x',
    'https://mechant.fr#.clients.fr/x',
    'https://mechant.fr:443/.clients.fr/',
    'https://un.clients.fr:8443/x',
    'https://app-a.b.preprod.fr/entree/page',
    'https://app-mechant.fr/.preprod.fr/entree/page',
    'https://app-:80@mechant.fr/.preprod.fr/entree/page',
    'https://mechant.fr/x.preprod.fr/entree/page',
    'https://app-a.preprod.fr/entree/page.html',
    'https://app-a.preprod.fr/entree/deux/pages',
    'https://app-a.preprod.fr/autre',
    'http://localhost:5174/',
    'http://localhost/',
    'https://localhost:5173/',
    'https://seul.fr.mechant.fr/',
    'https://seul.frx/',
    'https://port.fr/x',
  ])('[AU-08][I-56] elsewhere, or nothing: the site (%j)', (asked) => {
    expect(target(asked)).toBe(`${PUBLIC}/`);
  });

  test('[AU-08][I-56] whatever is asked, the arrival is our own or on the list', () => {
    const hosts =
      /^https:\/\/parrain\.example\.fr\/|^https:\/\/app\.exemple\.fr\/retour(?:#|$)|^https:\/\/[^./]+\.clients\.fr\/|^https:\/\/app-[^./:]*\.preprod\.fr\/entree\/|^http:\/\/localhost:5173\/|^https:\/\/seul\.fr\/|^https:\/\/port\.fr:8443\//u;
    const pieces = [
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      '%2e',
      '%2f',
      '#',
      '?',
      '*',
      '。',
      '\t',
      'parrain.example.fr',
      'clients.fr',
      'un',
      'preprod.fr',
      'entree',
      'seul.fr',
      'mechant.fr',
      'localhost:5173',
      '127.0.0.1',
      'javascript:',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 12 }),
        (parts) => {
          expect(target(parts.join(''))).toMatch(hosts);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test("[AU-08] on a development machine one's own name is good at any port", () => {
    const local = { ...settings, siteUrl: 'http://localhost:3000', redirectUrls: [] };
    for (const asked of ['http://localhost:5173/x', 'http://localhost:3000/'])
      expect(redirectTarget(asked, local)).toBe(asked);
    for (const asked of [
      'http://localhost.mechant.fr/',
      'http://localhost@mechant.fr/',
      'https://localhost/',
      'http://127.0.0.1:3000/',
    ]) {
      expect(redirectTarget(asked, local)).toBe('http://localhost:3000/');
    }
  });
});

describe('over HTTP', () => {
  const bad = 'https://parrain.example.fr@mechant.fr/';
  const good = 'https://un.clients.fr/retour';

  test('[AU-08][I-56] in mails: the destination is chosen before, and the host of the link is ours', async () => {
    for (const [asked, expected] of [
      [bad, [`${PUBLIC}/auth/callback`, null]],
      [good, [`${PUBLIC}/auth/v1/verify/link`, good]],
    ] as const) {
      const { email } = await anAccount(server);
      const { auth } = clientOf(server, { ...elsewhere(), referer: 'https://mechant.fr/' });
      expect((await auth.signInWithOtp({ email, options: { emailRedirectTo: asked } })).error).toBeNull();
      const link = linkIn((await server.mailbox.take(email)).text);
      expect([`${link.origin}${link.pathname}`, link.searchParams.get('redirect_to')]).toEqual(expected);
    }
  });

  test('[AU-08][I-56] in the link itself, changed by somebody: the session does not get out', async () => {
    const { email } = await anAccount(server);
    const { data } = await administratorOf(server).auth.admin.generateLink({ type: 'magiclink', email });
    const link = new URL(data.properties?.action_link ?? '');
    const local = new URL(`${link.pathname}${link.search}`, server.url);
    local.searchParams.set('redirect_to', bad);
    const page = await fetch(local);
    const html = await page.text();
    expect(html).not.toContain('mechant.fr');
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${PUBLIC};`);
    const led = await landing(local, elsewhere());
    expect(led.origin).toBe(PUBLIC);
    expect(fragmentOf(led).get('access_token')).toBeTruthy();
  });

  test('[AU-08] the first of two redirect_to does not pass before the second', async () => {
    const { email } = await anAccount(server);
    const response = await server.fetch(
      `/auth/v1/recover?redirect_to=${encodeURIComponent(good)}&redirect_to=${encodeURIComponent(bad)}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...elsewhere() },
        body: JSON.stringify({ email }),
      },
    );
    expect(response.status).toBe(200);
    expect((await server.mailbox.take(email)).text).not.toContain('mechant.fr');
  });

  test('[FX-14] a form of another site signs nobody in, whatever the browser says of where it comes from', async () => {
    const { email } = await anAccount(server);
    const { data } = await administratorOf(server).auth.admin.generateLink({ type: 'magiclink', email });
    const link = new URL(data.properties?.action_link ?? '');
    const local = new URL(`${link.pathname}${link.search}`, server.url);
    for (const headers of [
      { origin: 'https://mechant.fr' },
      { origin: 'null' },
      { origin: `${PUBLIC}.mechant.fr` },
      { origin: 'https://un.clients.fr' },
      { origin: PUBLIC, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect([headers, (await press(local, { ...elsewhere(), ...headers })).status]).toEqual([headers, 400]);
    }
    expect((await press(local, { ...elsewhere(), origin: PUBLIC })).status).toBe(303);
  });
});
