import { expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { realServer } from './real-server.ts';

// An installation whose accounts are opened by its people alone, and which sends no mail.

const server = realServer({ mail: false, environment: () => ({ SIGNUP_DISABLED: 'on' }) });
const openUrl = chromiumPages();

test.each([true, false])(
  '[R-07] [A-04] what is not offered is in no picture: neither a form for a mail nor one for an account (script: %s)',
  async (javaScriptEnabled) => {
    const { page } = await openUrl(`${server.origin()}/auth/forgot-password`, { javaScriptEnabled });
    await expectPage(page.getByText('L’envoi d’e-mails n’est pas configuré')).toBeVisible();
    await expectPage(page.getByLabel('E-mail')).toBeHidden();
    await page.goto(`${server.origin()}/auth/register`);
    await expectPage(page.getByText('Les inscriptions sont fermées')).toBeVisible();
    await expectPage(page.getByLabel('E-mail')).toBeHidden();
    await page.goto(`${server.origin()}/auth/login`);
    await expectPage(page.getByText('Aucun lien de connexion')).toBeVisible();
    await expectPage(page.getByRole('link', { name: 'Recevoir un lien de connexion' })).toBeHidden();
    await expectPage(page.getByRole('link', { name: 'Créer un compte Client' })).toBeHidden();
    await expectPage(page.getByLabel('E-mail')).toBeVisible();
    await page.context().close();
  },
);

test('[R-07] a page that is open shows nothing of what is not offered while its script takes over', async () => {
  const { page, errors } = await openUrl('about:blank');
  // The settings come when the test says so: the first picture holds by itself.
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route('**/auth/v1/settings', async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.goto(`${server.origin()}/auth/forgot-password`);
  await asked.promise;
  await expectPage(page.getByText('L’envoi d’e-mails n’est pas configuré')).toBeVisible();
  await expectPage(page.getByLabel('E-mail')).toHaveCount(0);
  answered.resolve();
  await page.waitForLoadState('networkidle');
  await expectPage(page.getByText('L’envoi d’e-mails n’est pas configuré')).toHaveCount(1);
  await expectPage(page.getByLabel('E-mail')).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[A-04] where registration is closed, sign-in does not lead there and the page says so', async () => {
  const { page, errors } = await openUrl(`${server.origin()}/auth/login`);
  await expectPage(page.getByRole('button', { name: 'Se connecter', exact: true })).toBeVisible();
  await expectPage(page.getByRole('link', { name: 'Créer un compte Client' })).toHaveCount(0);
  await page.goto(`${server.origin()}/auth/register`);
  await expectPage(page.getByText('Les inscriptions sont fermées')).toBeVisible();
  await expectPage(page.getByLabel('E-mail')).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[A-06] a call all the same is refused with a sentence', async () => {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const reply = await fetch(`${server.origin()}/functions/v1/auth-signup`, {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'nouvelle@exemple.fr',
      password: 'un-bon-mot-de-passe-7',
      full_name: 'Nouvelle Cliente',
    }),
  });
  expect(reply.status).toBe(403);
  expect(await reply.json()).toMatchObject({
    code: 'registration_closed',
    error: 'Les inscriptions sont fermées : demandez une invitation à votre entreprise.',
  });
});
