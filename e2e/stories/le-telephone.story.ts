import type { Page } from '@playwright/test';

import { expect, openSection, signIn, temporaryPasswordOf, test } from '../support/company.ts';
import type { Company } from '../support/company.ts';
import { officialClients } from '../support/official-clients.ts';

const PASSWORD = 'Une-boucle-au-pouce-2026';
const THANKS = 'Merci, votre demande est envoyée';

test('[CS-01, CS-02, CS-03, RT-01, CO-02] on telephones: a link shared, a friend who agrees is called and moved on, one says no by mail, one was referred already', async ({
  company,
}) => {
  const invite = await aCompany(company);
  const [client, commercial] = [
    await company.openWindow({ isPhone: true }),
    await company.openWindow({ isPhone: true }),
  ];
  await signIn(commercial.page, 'hugo@lumen.example', PASSWORD);
  await commercial.page.waitForURL('**/commercial/dashboard');
  await openSection(commercial.page, 'Parrainages reçus');
  await expect(commercial.page.getByText('Aucun parrainage reçu pour le moment')).toBeVisible();

  const link = await test.step('the client opens the menu of her telephone and copies her link', async () => {
    const { page } = client;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: company.url });
    await signIn(page, 'lea@lumen.example', PASSWORD);
    await page.waitForURL('**/client/dashboard');
    await page.getByRole('button', { name: 'Mon lien', exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Mon lien personnel' });
    await dialog.getByRole('button', { name: 'Copier le lien' }).click();
    await expect(page.getByText('Lien copié').first()).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/\/p\/[0-9a-z]{12,}$/u);
    return copied;
  });

  await test.step('a friend follows it, agrees to be called and sends; nothing is wider than the screen', async () => {
    const page = await follow(company, link, { name: 'Paul Ami', contact: '06 11 22 33 44', channel: 'Appel' });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(THANKS);
    await expect(page.getByText('Hugo B., de Atelier Lumen, vous appellera au 06 11 22 33 44')).toBeVisible();
    await expectNothingBeside(page);
  });

  await test.step('the commercial is told without a reload, calls, and moves the referral on', async () => {
    const { page } = commercial;
    const bar = page.getByRole('button', { name: /nouveauté – Actualiser/u });
    const card = page.getByRole('article').filter({ hasText: 'Paul Ami' });
    await expect(card.or(bar).first()).toBeVisible();
    if (await bar.isVisible()) await bar.click();
    await expect(card.getByRole('link', { name: /^Appeler Paul Ami/u })).toHaveAttribute('href', 'tel:+33611223344');
    await expectNothingBeside(page);
    await card.getByRole('button', { name: 'Paul Ami' }).click();
    const panel = page.getByRole('dialog', { name: 'Paul Ami' });
    await panel.getByRole('button', { name: 'Mettre à jour' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
    await dialog.getByText('Contacté', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(dialog).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();
    await expect(card).toContainText('Contacté');
  });

  await test.step('a friend who prefers SMS is written to in place of a call; another, whom the client named, says no by the link of the mail: the call button goes as it is seen', async () => {
    const sent = await follow(company, link, { name: 'Ana Brève', contact: '06 99 88 77 66', channel: 'SMS' });
    await expect(sent.getByRole('heading', { level: 1 })).toHaveText(THANKS);
    const written = commercial.page.getByRole('article').filter({ hasText: 'Ana Brève' });
    await commercial.page.getByRole('button', { name: /nouveauté – Actualiser/u }).click();
    await expect(written.getByRole('link', { name: /^Préfère un SMS : écrire à Ana Brève/u })).toHaveAttribute(
      'href',
      'sms:+33699887766',
    );
    await expect(written.getByRole('link', { name: /^Appeler/u })).toHaveCount(0);
    await invite({ name: 'Zoé Réservée', email: 'zoe@exemple.example', phone: '06 55 66 77 88' });
    const card = commercial.page.getByRole('article').filter({ hasText: 'Zoé Réservée' });
    await commercial.page.getByRole('button', { name: /nouveauté – Actualiser/u }).click();
    await expect(card.getByRole('link', { name: /^Appeler Zoé Réservée/u })).toBeVisible();
    const { text } = await company.mailbox.take('zoe@exemple.example');
    const [answer = ''] = /http\S+\/accord\?token=[\w-]+/u.exec(text) ?? [];
    const { page } = await company.openWindow({ isPhone: true });
    await page.goto(answer);
    await page.getByRole('button', { name: 'Non, ne pas m’appeler' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('C’est noté');
    await expect(card.getByText('Pas d’accord pour être appelé')).toBeVisible();
    await expect(card.getByRole('link', { name: /^Appeler/u })).toHaveCount(0);
  });

  await test.step('whoever was referred already is refused without a word of by whom, and is no second referral', async () => {
    const page = await follow(company, link, { name: 'P. Ami', contact: '+33 6 11 22 33 44', channel: 'SMS' });
    await expect(page.getByRole('alert')).toContainText('connaît déjà cette personne');
    // The page names who answers this link (UI-03); the refusal names nobody.
    await expect(page.getByRole('alert')).not.toContainText(/Hugo|Léa/u);
    await commercial.page.reload();
    // Opened anew, the list is of those to act on.
    await expect(commercial.page.getByRole('article')).toHaveCount(2);
    const filters = commercial.page.getByRole('group', { name: 'Filtrer par statut' });
    await filters.getByText('Tous', { exact: true }).click();
    await expect(commercial.page.getByRole('article')).toHaveCount(3);
    await client.page.reload();
    await expect(client.page.getByText('Paul Ami').first()).toBeVisible();
    await expect(client.page.getByText('P. Ami', { exact: true })).toHaveCount(0);
  });

  expect([client.errors, commercial.errors]).toEqual([[], []]);
});

/** A company with a scale, a commercial and a client of theirs, each with a password of their own. @returns how that client invites. */
async function aCompany(company: Company) {
  const { enter, call } = await officialClients(company, PASSWORD);
  const admin = await enter(company.admin.email, company.admin.temporaryPassword);
  await call(admin, 'company-settings?action=update_name', { company_name: 'Atelier Lumen' });
  await call(admin, 'company-settings', { action: 'update_first_referral', first_referral_months: 12 });
  await call(admin, 'invite-commercial', { name: 'Hugo Bernard', email: 'hugo@lumen.example' });
  const hugo = await enter('hugo@lumen.example', await temporaryPasswordOf(company, 'hugo@lumen.example'));
  await call(hugo, 'invite-client', {
    name: 'Léa Fontaine',
    email: 'lea@lumen.example',
    phone: null,
    company: null,
    notes: null,
  });
  const lea = await enter('lea@lumen.example', await temporaryPasswordOf(company, 'lea@lumen.example'));
  return (friend: { name: string; email: string; phone: string }) => call(lea, 'send-invitation-email', friend);
}

/** Somebody opens the link on their telephone, fills in the form and sends it. */
async function follow(
  company: Company,
  link: string,
  friend: { readonly name: string; readonly contact: string; readonly channel: 'Appel' | 'SMS' | 'E-mail' },
): Promise<Page> {
  const { page } = await company.openWindow({ isPhone: true });
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Léa F. vous recommande Atelier Lumen');
  await expectNothingBeside(page);
  await page.getByLabel('Votre nom').fill(friend.name);
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  await page.getByRole('radio', { name: friend.channel }).check();
  await page.getByLabel('Votre téléphone ou votre e-mail').fill(friend.contact);
  await page.getByRole('button', { name: 'Envoyer ma demande' }).click();
  // The page's work is a matter of luck, and of the processor: these browsers run without their optimizing compiler.
  await expect(page.getByRole('button', { name: 'Envoi…' })).toHaveCount(0);
  return page;
}

async function expectNothingBeside(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
    .toBe(0);
}
