import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// Sessions that an address may open and must not, and notices of a session that ended or cannot be read.

const server = realServer();
const openUrl = chromiumPages();
const open = (path: string) => openUrl(server.origin() + path);

type DemoRole = keyof typeof demoEmails;

async function signIn(page: Page, role: DemoRole): Promise<void> {
  await page.getByLabel('E-mail').fill(demoEmails[role]);
  await page.getByLabel('Mot de passe', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

async function signedIn(role: DemoRole): Promise<Page> {
  const { page } = await open('/auth/login');
  await signIn(page, role);
  await page.waitForURL(`**/${role}/dashboard`);
  return page;
}

interface Stored {
  access_token: string;
  refresh_token: string;
  user: { email: string };
}

async function stored(page: Page): Promise<Stored | null> {
  return page.evaluate(() => JSON.parse(localStorage.getItem('parrain-session') ?? 'null') as Stored | null);
}

/** The end of an address that holds a session of its own. */
async function tokensOf(role: DemoRole): Promise<string> {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const reply = await fetch(`${server.origin()}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: demoEmails[role], password: demoPassword }),
  });
  const session = (await reply.json()) as Stored;
  return `#access_token=${session.access_token}&refresh_token=${session.refresh_token}&expires_in=3600&token_type=bearer&type=magiclink`;
}

describe('an address that holds a session', () => {
  test('[FX-05] on any page it changes nothing for who is signed in, nor for a visitor', { tags: 'long' }, async () => {
    const page = await signedIn('admin');
    const other = await tokensOf('client');
    const { page: visitor } = await open('/');
    for (const path of ['/', '/auth/login', '/auth/new-password', '/admin/dashboard']) {
      await visitor.goto(`${server.origin()}${path}${other}`);
      await expectPage(visitor.locator('h1').first()).toBeVisible();
      await visitor.waitForLoadState('networkidle');
      expect([path, await stored(visitor)]).toEqual([path, null]);
      await page.goto(`${server.origin()}${path}${other}`);
      await expectPage(page.locator('h1').first()).toBeVisible();
      await page.waitForLoadState('networkidle');
      expect([path, (await stored(page))?.user.email]).toEqual([path, demoEmails.admin]);
    }
    await visitor.context().close();
    await page.context().close();
  });

  test(
    '[FX-05] on the callback page it asks before it takes the place of an open session',
    { tags: 'long' },
    async () => {
      const page = await signedIn('admin');
      const address = `${server.origin()}/auth/callback${await tokensOf('client')}`;
      await page.goto(address);
      await expectPage(page.getByRole('heading', { level: 1, name: 'Changer de compte ?' })).toBeVisible();
      await expectPage(page.getByText(`la session du compte ${demoEmails.client}`, { exact: false })).toBeVisible();
      await expectPage(page.getByText(`connecté avec ${demoEmails.admin}`, { exact: false })).toBeVisible();
      expect(await brokenRules(page)).toEqual([]);
      expect((await stored(page))?.user.email).toBe(demoEmails.admin);
      await page.getByRole('button', { name: 'Garder ma session' }).click();
      await page.waitForURL('**/admin/dashboard');
      expect((await stored(page))?.user.email).toBe(demoEmails.admin);
      await page.goto(address);
      await page.getByRole('button', { name: 'Ouvrir cette autre session' }).click();
      await page.waitForURL('**/client/dashboard');
      expect((await stored(page))?.user.email).toBe(demoEmails.client);
      await page.context().close();
    },
  );

  test('[DF-28] on the callback page it asks a visitor too, and opens nothing until they say so', async () => {
    const { page } = await open(`/auth/callback${await tokensOf('client')}`);
    await expectPage(page.getByRole('heading', { level: 1, name: 'Ouvrir cette session ?' })).toBeVisible();
    await expectPage(page.getByText(`la session du compte ${demoEmails.client}`, { exact: false })).toBeVisible();
    expect(await stored(page)).toBeNull();
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ouvrir cette session' }).click();
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });

  test('[FX-05] one that is over, or forged, leaves the open session alone', async () => {
    const page = await signedIn('admin');
    await page.goto(
      `${server.origin()}/auth/callback#access_token=a.b.c&refresh_token=r&expires_in=3600&token_type=bearer`,
    );
    await expectPage(page.getByRole('heading', { level: 1, name: 'Ce lien ne peut plus servir' })).toBeVisible();
    expect((await stored(page))?.user.email).toBe(demoEmails.admin);
    await page.context().close();
  });

  test('[FX-05] without a session the callback page opens it, and the address forgets it', async () => {
    const { page } = await open(`/auth/callback${await tokensOf('client')}`);
    // Once its visitor has said so (DF-28).
    await page.getByRole('button', { name: 'Ouvrir cette session' }).click();
    await page.waitForURL('**/client/dashboard');
    await expectPage(page).not.toHaveURL(/access_token/u);
    await page.context().close();
  });

  test('[FX-05][FX-15] a mailed link opens on another device, once its button is pressed, its secret in the fragment', async () => {
    const { page: asking } = await open('/auth/login-link');
    await asking.getByLabel('E-mail').fill(demoEmails.commercial);
    await asking.getByRole('button', { name: 'Recevoir le lien' }).click();
    const mail = await server.mailbox.mailTo(demoEmails.commercial);
    const link = new URL(/https?:\/\/[^\s"<>]*auth\/callback[^\s"<>]*/u.exec(mail)?.[0] ?? '');
    expect([link.search, link.hash]).toEqual([
      '',
      expect.stringMatching(/^#token_hash=pkce_[\w-]{43}&type=magiclink$/u),
    ]);
    const page = await signedIn('client');
    await page.goto(link.href);
    await expectPage(page.getByText(`connecté avec ${demoEmails.client}`, { exact: false })).toBeVisible();
    expect((await stored(page))?.user.email).toBe(demoEmails.client);
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Garder ma session' }).click();
    await page.waitForURL('**/client/dashboard');
    const { page: elsewhere } = await openUrl(link.href);
    await elsewhere.getByRole('button', { name: 'Continuer' }).click();
    await elsewhere.waitForURL('**/commercial/dashboard');
    for (const each of [asking, page, elsewhere]) await each.context().close();
  });
});

describe('a profile that cannot be read', { tags: 'long' }, () => {
  test.each([
    ['500', (page: Page) => page.route('**/rest/v1/profiles?*', (route) => route.fulfill({ status: 500, json: {} }))],
    [
      '406',
      (page: Page) =>
        page.route('**/rest/v1/profiles?*', (route) =>
          route.fulfill({ status: 406, json: { code: 'PGRST116', message: 'none', details: null, hint: null } }),
        ),
    ],
    ['a cut connection', (page: Page) => page.route('**/rest/v1/profiles?*', (route) => route.abort())],
  ])(
    '[FX-61] %s: the right password is told « Erreur: Profil non chargé », keeps nothing, and tries again',
    async (_what, fail) => {
      const { page } = await open('/auth/login');
      await fail(page);
      await signIn(page, 'client');
      await expectPage(page.getByText('Erreur: Profil non chargé', { exact: true })).toBeVisible();
      expect(await stored(page)).toBeNull();
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Réessayer' }).click();
      await page.waitForURL('**/client/dashboard');
      await page.context().close();
    },
  );

  test('[FX-61] of a session that is open: the same words, once more or out', async () => {
    const page = await signedIn('client');
    await page.route('**/rest/v1/profiles?*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await expectPage(page.getByText('Erreur: Profil non chargé', { exact: true })).toBeVisible();
    await page.goto(`${server.origin()}/auth/login`);
    await expectPage(page.getByText('Erreur: Profil non chargé', { exact: true })).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await page.waitForURL('**/client/dashboard');
    await page.context().close();
  });
});

describe('who comes back later', () => {
  test('[DF-35] a token that the server holds to be over is renewed once, and nobody is signed out', async () => {
    const page = await signedIn('admin');
    await page.goto(`${server.origin()}/`);
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as Stored;
      localStorage.setItem(
        'parrain-session',
        JSON.stringify({ ...kept, access_token: `${kept.access_token.slice(0, -8)}AAAAAAAA` }),
      );
    });
    let renewals = 0;
    page.on('request', (request) => {
      if (request.url().includes('/auth/v1/token')) renewals += 1;
    });
    await page.goto(`${server.origin()}/admin/dashboard?section=ventes`);
    await expectPage(page.getByRole('row').nth(1)).toBeVisible();
    expect(renewals).toBe(1);
    await page.context().close();
  });

  test.each([
    ['slow', -62, 0],
    ['ahead', 62, 1],
  ])('[DF-35] a clock 62 minutes %s keeps its session, for the hour that it lives', async (_clock, minutes, most) => {
    let renewals = 0;
    const { page } = await openUrl(`${server.origin()}/auth/login`, {
      prepare: async (shifted) => {
        await shifted.addInitScript((ms) => {
          const real = Date.now.bind(Date);
          const RealDate = Date;
          globalThis.Date = new Proxy(RealDate, {
            construct: (target, given: []) => (given.length === 0 ? new target(real() + ms) : new target(...given)),
            get: (target, name) => (name === 'now' ? () => real() + ms : (Reflect.get(target, name) as unknown)),
          });
        }, minutes * 60_000);
        shifted.on('request', (request) => {
          if (request.url().includes('grant_type=refresh_token')) renewals += 1;
        });
      },
    });
    await signIn(page, 'commercial');
    await page.waitForURL('**/commercial/dashboard');
    for (const section of ['parrainages-recus', 'mes-clients']) {
      await page.goto(`${server.origin()}/commercial/dashboard?section=${section}`);
      await expectPage(page.getByRole('heading', { level: 2 })).toBeVisible();
      await page.waitForLoadState('networkidle');
    }
    const left = await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { expires_at: number };
      return kept.expires_at - Date.now() / 1000;
    });
    expect(left).toBeGreaterThan(3000);
    expect(left).toBeLessThanOrEqual(3600);
    expect(renewals).toBeLessThanOrEqual(most);
    await page.context().close();
  });

  test.each([
    ['admin', 'Erreur: Session expirée, veuillez vous reconnecter', '/login', '/admin/dashboard'],
    ['commercial', 'Session expirée, veuillez vous reconnecter', '/login', '/commercial/dashboard'],
    ['client', 'Votre session a expiré. Veuillez vous reconnecter.', '/auth/login', '/client/dashboard'],
    ['client', 'Votre session a expiré. Veuillez vous reconnecter.', '/auth/login', '/admin/dashboard'],
  ] as const)(
    '[FX-70][E-02] the %s whose session is over reads « %s » at %s, opening %s',
    async (role, sentence, path, asked) => {
      const page = await signedIn(role);
      await page.goto(`${server.origin()}/`);
      await page.evaluate(() => {
        const kept = JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as Record<string, unknown>;
        localStorage.setItem(
          'parrain-session',
          JSON.stringify({ ...kept, expires_at: Math.floor(Date.now() / 1000) - 60, refresh_token: 'dead' }),
        );
      });
      await page.goto(server.origin() + asked);
      await page.waitForURL('**/login');
      await expectPage(page).toHaveURL((url) => url.pathname === path);
      await expectPage(page.getByText(sentence, { exact: true })).toBeVisible();
      await page.context().close();
    },
  );
});

test('[DF-38] no field of a telephone is so small that it would zoom in on it', async () => {
  const { page } = await openUrl(`${server.origin()}/auth/register`, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  await expectPage(page.getByLabel('Nom complet')).toBeVisible();
  const sizes = await page
    .locator('input:visible, select:visible, textarea:visible')
    .evaluateAll((fields) => fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)));
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
  await page.context().close();
});
