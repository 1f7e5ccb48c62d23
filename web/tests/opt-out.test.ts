import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// The pages where somebody says no with the link of a mail, signed in nowhere: a referred friend, and a person of the programme.

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
  await expectPage(page.getByRole('alert')).toContainText('Ce lien n’est pas reconnu');
  await expectPage(page.getByRole('heading', { level: 1, name: 'Ne plus être contacté' })).toBeVisible();
  await page.context().close();
});

test('[TM-02] a person of the programme refuses a topic from a mail: opening decides nothing, the button does, by keyboard', async () => {
  await linkOfInvitation('lou.discrete@exemple.fr');
  const mail = await server.mailbox.mailTo(demoEmails.commercial);
  // The text's lines are folded.
  const link = /https?:\/\/[^\s"<>]*\/se-desabonner#[\w-]+/u.exec(mail.replaceAll(/=\r?\n/gu, ''))?.[0] ?? '';
  const { page, errors } = await openUrl(link, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  const title = page.getByRole('heading', { level: 1, name: 'Ne plus recevoir ces messages' });
  const button = page.getByRole('button', { name: 'Ne plus recevoir ces messages' });
  await expectPage(title).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  expect(await deliveries()).toEqual([]);
  const posted = page.waitForRequest((request) => request.url().endsWith('/functions/v1/notice-refusal'));
  await button.focus();
  await page.keyboard.press('Enter');
  expect((await posted).method()).toBe('POST');
  await expectPage(page.getByRole('heading', { level: 1, name: 'C’est noté' })).toBeVisible();
  await expectPage(page.getByText('Vous ne recevrez plus d’e-mails sur : Parrainages.')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  expect(await deliveries()).toEqual([{ topic: 'referrals', delivery: 'never' }]);
  expect(errors).toEqual([]);
  // A link that somebody cut says what to do instead.
  await page.goto(`${server.origin()}/se-desabonner#abime`);
  await page.reload();
  await button.click();
  await expectPage(page.getByRole('alert')).toContainText('ouvrez-le depuis l’e-mail reçu');
  await expectPage(title).toBeVisible();
  await page.context().close();
});

async function deliveries(): Promise<unknown> {
  const { publishableKey } = (await (await fetch(`${server.origin()}/config.json`)).json()) as {
    publishableKey: string;
  };
  const client = createClient(server.origin(), publishableKey, { auth: { persistSession: false } });
  await client.auth.signInWithPassword({ email: demoEmails.commercial, password: demoPassword });
  return (await client.from('notice_preferences').select('topic,delivery')).data;
}
