import { expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { realServer } from './real-server.ts';

// An installation whose accounts are opened by its people alone.

const server = realServer({ environment: () => ({ SIGNUP_DISABLED: 'on' }) });
const openUrl = chromiumPages();

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
