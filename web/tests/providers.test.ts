import { Events, OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// Sign-in by an identity provider: a real OpenID provider beside the real server.

const provider = new OAuth2Server();
let person: Readonly<Record<string, unknown>> = {};
beforeAll(async () => {
  await provider.issuer.keys.generate('RS256');
  await provider.start(0, '127.0.0.1');
  provider.service.on(Events.BeforeTokenSigning, (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, person);
  });
});
afterAll(() => provider.stop());

const server = realServer({
  environment: () => ({
    MANUAL_LINKING: 'on',
    OIDC_PROVIDERS: JSON.stringify({
      intranet: { clientId: 'parrain', clientSecret: 'secret', issuer: provider.issuer.url },
    }),
  }),
});
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);

test('[AU-12][A-06] « Continuer avec » opens a client’s account, and comes back to its dashboard', async () => {
  person = { sub: 'i-1', email: 'ines.intranet@exemple.fr', email_verified: true, name: 'Inès Intranet' };
  const { page, errors } = await openUrl(`${server.origin()}/auth/login`);
  const button = page.getByRole('button', { name: 'Continuer avec Intranet' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/client/dashboard');
  await expectPage(page.getByText('Inès Intranet').first()).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test(
  '[AU-16][CL-09] another account is linked in Profil, signs in, and is taken away again',
  { tags: 'long' },
  async () => {
    person = { sub: 'i-2', email: 'autre.adresse@exemple.fr', email_verified: true, name: 'Autre Adresse' };
    const { page } = await openAs('client', demoEmails.client);
    await openSection(page, 'Profil');
    await Promise.all([
      page.waitForURL('**/auth/callback**', { waitUntil: 'commit' }),
      page.getByRole('button', { name: 'Lier Intranet' }).click(),
    ]);
    await page.waitForURL('**/client/dashboard');
    await openSection(page, 'Profil');
    await expectPage(page.getByText('autre.adresse@exemple.fr')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Déconnexion' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('button', { name: 'Continuer avec Intranet' }).click();
    await page.waitForURL('**/client/dashboard');
    await openSection(page, 'Profil');
    await expectPage(page.getByText(demoEmails.client).first()).toBeVisible();
    await page.getByRole('button', { name: 'Délier Intranet' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Délier' }).click();
    await expectPage(page.getByText('Compte délié')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Lier Intranet' })).toBeVisible();
    await page.context().close();
  },
);

test('[AU-12] a provider that refuses leads to a page that says so', async () => {
  const { page } = await openUrl(`${server.origin()}/auth/login`);
  provider.service.once(Events.BeforeAuthorizeRedirect, ({ url }: { url: URL }) => {
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
  });
  await page.getByRole('button', { name: 'Continuer avec Intranet' }).click();
  await page.waitForURL('**/auth/callback**');
  await expectPage(page.getByRole('heading', { level: 1, name: 'La connexion n’a pas abouti' })).toBeVisible();
  await expectPage(page.getByText('annulée ou interrompue', { exact: false })).toBeVisible();
  await page.context().close();
});
