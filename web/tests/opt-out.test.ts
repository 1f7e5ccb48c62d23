import { expect as expectPage } from '@playwright/test';
import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// The page where a referred friend, who has no account, says no.

const server = realServer();
const openUrl = chromiumPages();

async function linkOfInvitation(email: string): Promise<string> {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const client = createClient(server.origin(), publishableKey, { auth: { persistSession: false } });
  await client.auth.signInWithPassword({ email: demoEmails.client, password: demoPassword });
  const { error } = await client.functions.invoke('send-invitation-email', { body: { name: 'Noé Discret', email } });
  expect(error).toBeNull();
  const mail = await server.mailbox.mailTo(email);
  return /https?:\/\/[^\s"<>]*\/ne-plus-me-contacter#[\w-]+/u.exec(mail)?.[0] ?? '';
}

test('[F-15] a friend who was referred says no from their e-mail, without an account, by keyboard', async () => {
  const link = await linkOfInvitation('noe.discret@exemple.fr');
  const { page, errors } = await openUrl(link, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  await expectPage(page.getByRole('heading', { level: 1, name: 'Ne plus être contacté' })).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await page.getByRole('button', { name: 'Ne plus me contacter' }).focus();
  await page.keyboard.press('Enter');
  await expectPage(page.getByRole('heading', { level: 1, name: 'C’est noté' })).toBeVisible();
  await expectPage(page.getByText('vos coordonnées sont effacées')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[F-15] opening the link decides nothing; a damaged link says so', async () => {
  const { page } = await openUrl(`${server.origin()}/ne-plus-me-contacter#abime`);
  await page.getByRole('button', { name: 'Ne plus me contacter' }).click();
  await expectPage(page.getByRole('alert')).toContainText("Ce lien n'est pas reconnu");
  await expectPage(page.getByRole('heading', { level: 1, name: 'Ne plus être contacté' })).toBeVisible();
  await page.context().close();
});
