import { afterAll, beforeAll, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere, fragmentOf, landing, press } from '../../testing/links.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

async function aLink(type: 'magiclink' | 'recovery' | 'invite' = 'magiclink'): Promise<{ url: URL; id: string }> {
  const account = await anAccount(server, { isConfirmed: type !== 'invite' });
  const { data, error } = await administratorOf(server).auth.admin.generateLink({ type, email: account.email });
  if (error !== null) throw error;
  return { url: new URL(data.properties.action_link), id: account.id };
}

async function read(url: URL): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await fetch(url, { redirect: 'manual', headers: elsewhere() });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

test('[AU-08] a good link: a page in French with its button, as often as it is opened', async () => {
  for (const [type, title] of [
    ['magiclink', 'Connexion'],
    ['recovery', 'Choisissez un nouveau mot de passe'],
    ['invite', 'Votre accès est prêt'],
  ] as const) {
    const { url } = await aLink(type);
    for (let opening = 0; opening < 3; opening += 1) {
      const { status, html, headers } = await read(url);
      expect(status).toBe(200);
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain('>Continuer</button>');
      expect(html).toContain('<html lang="fr">');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-robots-tag')).toBe('noindex');
    }
    expect(fragmentOf(await landing(url, elsewhere())).get('type')).toBe(type);
  }
});

const deaths: readonly (readonly [string, () => Promise<URL>])[] = [
  [
    'that was used',
    async () => {
      const { url } = await aLink();
      await landing(url, elsewhere());
      return url;
    },
  ],
  [
    'that has expired',
    async () => {
      const { url, id } = await aLink();
      await server.database.asOwner('update auth.one_time_tokens set expires_at = now() where user_id = $1', [id]);
      return url;
    },
  ],
  [
    'replaced by a later one',
    async () => {
      const account = await anAccount(server);
      const { auth } = clientOf(server, elsewhere());
      await auth.signInWithOtp({ email: account.email });
      // The mail leads straight to the application; its token is as good by the page of this server.
      const first = linkIn((await server.mailbox.take(account.email)).text);
      first.pathname = '/auth/v1/verify';
      expect((await read(first)).status).toBe(200);
      await administratorOf(server).auth.admin.generateLink({ type: 'recovery', email: account.email });
      return first;
    },
  ],
  [
    'that is unknown',
    async () => {
      const { url } = await aLink();
      url.searchParams.set('token', 'x'.repeat(43));
      return url;
    },
  ],
  [
    'of another type',
    async () => {
      const { url } = await aLink();
      url.searchParams.set('type', 'signup');
      return url;
    },
  ],
  [
    'of a type that does not exist',
    async () => {
      const { url } = await aLink();
      url.searchParams.set('type', 'constructor');
      return url;
    },
  ],
];

test.each(deaths)(
  '[AU-08] a link %s: the page tells it in French, and leads back to the site with the error',
  async (_, make) => {
    const url = await make();
    const { status, html } = await read(url);
    expect(status).toBe(410);
    expect(html).toContain('<h1>Ce lien n’est plus valable</h1>');
    expect(html).toContain('demander un autre');
    expect(html).toContain('>Retourner sur le site</button>');
    const led = await landing(url, elsewhere());
    expect(led.origin).toBe(new URL(server.url).origin);
    expect(fragmentOf(led).get('error')).toBe('access_denied');
    expect(fragmentOf(led).get('error_code')).toBe('otp_expired');
    expect(fragmentOf(led).has('access_token')).toBe(false);
  },
);

test('[AU-08] a truncated link: nothing to continue', async () => {
  for (const query of [
    '',
    '?token=abc',
    '?type=magiclink',
    '?token=&type=magiclink',
    '?token=a&token=b&type=magiclink',
  ]) {
    const response = await server.fetch(`/auth/v1/verify${query}`, { headers: elsewhere() });
    expect({ query, status: response.status }).toEqual({ query, status: 400 });
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
  }
});

test('[AU-08][I-56] what the link carries never becomes HTML', async () => {
  const evil = '"><script>alert(1)</script>';
  for (const name of ['token', 'type', 'redirect_to']) {
    const { url } = await aLink();
    url.searchParams.set(name, evil);
    const { html } = await read(url);
    expect(html).not.toContain('<script');
  }
});

test('[AU-08][I-54] a type that every object has as a property is an unknown type', async () => {
  for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    const { status, html } = await read(new URL(`${server.url}/auth/v1/verify/link?type=${type}`));
    expect(status).toBe(200);
    expect(html).toContain('<h1>Connexion</h1>');
  }
});

test('[AU-08] twenty simultaneous presses: one session', async () => {
  const { url } = await aLink();
  const answers = await Promise.all(Array.from({ length: 20 }, () => press(url, elsewhere())));
  const fragments = answers.map((answer) => fragmentOf(new URL(answer.headers.get('location') ?? '')));
  expect(fragments.filter((fragment) => fragment.has('access_token'))).toHaveLength(1);
  expect(fragments.filter((fragment) => fragment.get('error_code') === 'otp_expired')).toHaveLength(19);
});
