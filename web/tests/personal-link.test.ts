import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// CS-01, CS-03 on a phone: a client shares their link, a friend follows it, another answers by mail.

const server = realServer();
const openUrl = chromiumPages();
const { openAs, act, read } = dashboards(server.origin, openUrl);
const phone = { viewport: { width: 360, height: 780 } };

const linkNow = async () => {
  const { data } = await act<{ data: { url: string } }>(demoEmails.client, 'personal-link?action=get', {});
  return data.url;
};

async function openLink(page: Page) {
  await page.getByRole('button', { name: 'Mon lien' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mon lien personnel' });
  await expectPage(dialog.getByRole('img', { name: 'Code QR de votre lien' }).first()).toBeVisible();
  return dialog;
}

test('[CS-01] the client shows, saves, prints and renews their link', async () => {
  const { page, errors } = await openAs('client', demoEmails.client, phone);
  const dialog = await openLink(page);
  const url = await linkNow();
  const address = dialog.getByRole('link', { name: url.replace('http://', '') });
  await expectPage(address).toHaveAttribute('href', url);
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Code QR en PNG' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Mon lien.png');
  expect((await readFile(await download.path())).subarray(1, 4).toString()).toBe('PNG');

  await dialog.getByRole('button', { name: 'Plein écran' }).click();
  const whole = page.getByRole('dialog', { name: 'Code QR de votre lien' });
  await expectPage(whole).toBeVisible();
  await whole.getByRole('button', { name: 'Fermer' }).click();
  await expectPage(whole).toBeHidden();

  await page.emulateMedia({ media: 'print' });
  const cards = page.locator('[data-print] article');
  await expectPage(cards).toHaveCount(8);
  await expectPage(cards.first()).toContainText('Sophie M. vous recommande');
  // 85 × 55 mm, at 96 dots an inch.
  await expectPage
    .poll(async () => {
      const box = await cards.first().boundingBox();
      return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
    })
    .toEqual([321, 208]);
  await page.emulateMedia({ media: 'screen' });

  await dialog.getByRole('button', { name: 'Renouveler' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Renouveler le lien' }).click();
  await expectPage(address).toHaveCount(0);
  await expect.poll(linkNow).not.toBe(url);
  expect((await fetch(url)).status).toBe(404);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[CS-01] [CS-03] [UI-03] a friend follows it on a phone and chooses a call: the commercial sees them at once', async () => {
  const commercial = await openAs('commercial', demoEmails.commercial);
  await commercial.page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();
  await commercial.page.getByRole('article').first().waitFor();
  const { page, errors } = await openUrl(await linkNow(), { ...phone, colorScheme: 'dark' });
  await expectPage(page.getByRole('heading', { level: 1 })).toHaveText(/^Sophie M\. vous recommande /u);
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  // With nothing filled in the form comes back with what is wrong, under the page's own policy.
  const send = async () => {
    await page.getByRole('button', { name: 'Envoyer ma demande' }).click();
    // The page's work is a matter of luck, and of the processor: these browsers run without their optimizing compiler.
    await expectPage(page.getByRole('button', { name: 'Envoi…' })).toHaveCount(0);
  };
  await page.getByLabel('Votre nom').fill('Amie du Lien');
  const ways = page.getByRole('radiogroup', { name: 'Comment préférez-vous être recontacté' });
  await expectPage(ways.getByRole('radio', { checked: true })).toHaveCount(0);
  await ways.getByRole('radio', { name: 'Appel' }).check();
  await expectPage(page.getByText(/Appel\s: j’accepte d’être appelé par /u)).toBeVisible();
  await expectPage(page.getByText(/SMS\s: j’accepte/u)).toBeHidden();
  const contact = page.getByLabel('Votre téléphone ou votre e-mail');
  await expectPage(contact).toHaveAttribute('inputmode', 'tel');
  await send();
  await expectPage(page.getByText('Donnez votre téléphone ou votre e-mail')).toBeVisible();
  await expectPage(contact).toBeFocused();
  await expectPage(ways.getByRole('radio', { name: 'Appel' })).toBeChecked();
  await expectPage(page.getByLabel('Votre nom')).toHaveValue('Amie du Lien');
  expect(await brokenRules(page)).toEqual([]);
  await contact.fill('06 55 44 33 22');
  await send();
  await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Merci, votre demande est envoyée');
  await expectPage(page.getByText('vous appellera au 06 55 44 33 22')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await expectPage(commercial.page.getByRole('button', { name: /^1.nouveauté – Actualiser$/u })).toBeVisible();
  await commercial.page.getByRole('button', { name: /nouveauté – Actualiser/u }).click();
  await expectPage(commercial.page.getByRole('article').first().getByRole('heading')).toHaveText('Amie du Lien');
  // The one error that the browser reports is the refused form's status.
  expect(errors.filter((error) => !error.includes('400 (Bad Request)'))).toEqual([]);
  expect(commercial.errors).toEqual([]);
  await page.context().close();
  await commercial.page.context().close();
});

test('[CS-01] [UI-03] with script off the form works all the same: a sum is asked instead', async () => {
  const { page } = await openUrl(await linkNow(), { ...phone, javaScriptEnabled: false });
  const question = (await page.getByText(/combien font/u).textContent()) ?? '';
  const numbers = ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'];
  const [left = '', right = ''] = /combien font (\S+) et (\S+)/u.exec(question)?.slice(1) ?? [];
  await page.getByLabel('Votre nom').fill('Ami Sans Script');
  await page.getByRole('radio', { name: 'E-mail' }).check();
  await page.getByLabel('Votre téléphone ou votre e-mail').fill('sans.script@exemple.fr');
  await page.getByLabel(/combien font/u).fill(String(numbers.indexOf(left) + numbers.indexOf(right)));
  // The server's own clock decides when a person can have read the page.
  await expect
    .poll(
      async () => {
        if ((await page.getByRole('heading', { level: 1 }).textContent()) === 'Merci, votre demande est envoyée')
          return true;
        await page.getByRole('button', { name: 'Envoyer ma demande' }).click();
        const again = page.getByLabel(/combien font/u);
        if ((await again.count()) === 0) return true;
        const asked = /combien font (\S+) et (\S+)/u.exec((await page.getByText(/combien font/u).textContent()) ?? '');
        await again.fill(String(numbers.indexOf(asked?.[1] ?? '') + numbers.indexOf(asked?.[2] ?? '')));
        return false;
      },
      { interval: 3500 },
    )
    .toBe(true);
  const sales = await read<{ id: string }>(
    demoEmails.admin,
    'sales?select=id&referred_contact_email=eq.sans.script@exemple.fr',
  );
  expect(sales).toHaveLength(1);
  await page.context().close();
});

test('[UI-03] the admin says what friends gain, within how many days they are answered, and shows a picture; the page has them', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin, { ...phone, colorScheme: 'dark' });
  await openSection(page, 'Réglages');
  const block = page.getByRole('form', { name: 'Page publique' });
  await block.getByLabel('Ce que gagne l’ami').fill('Un diagnostic offert.');
  await block.getByLabel('Réponse promise sous, en jours ouvrés').fill('11');
  await block.getByRole('button', { name: 'Enregistrer la présentation' }).click();
  await expectPage(block.getByText('Indiquez un nombre de jours, de 1 à 10.')).toBeVisible();
  await block.getByLabel('Réponse promise sous, en jours ouvrés').fill('2');
  await block.getByRole('button', { name: 'Enregistrer la présentation' }).click();
  await expectPage(page.getByText('Paramètres enregistrés').first()).toBeVisible();
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="#0a5c4a"/></svg>';
  await block.getByRole('button', { name: 'Ajouter une image' }).click();
  await block
    .locator('input[type=file]')
    .setInputFiles({ name: 'toit.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
  await expectPage(block.getByRole('img', { name: 'Image de la page publique' })).toBeVisible();
  await expectPage(block.getByRole('button', { name: 'Changer l’image' })).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await expectPage(block.getByRole('link', { name: 'Voir la page' })).toHaveAttribute('href', '/p/apercu');
  expect(errors).toEqual([]);
  await page.context().close();

  const friend = await openUrl(`${server.origin()}/p/apercu`, { ...phone, javaScriptEnabled: false });
  await expectPage(friend.page.getByText('Un diagnostic offert.')).toBeVisible();
  await expectPage(friend.page.getByText(/sous\s2\sjours ouvrés/u)).toBeVisible();
  await expect
    .poll(() => friend.page.locator('img.picture').evaluate((picture: HTMLImageElement) => picture.naturalWidth))
    .toBe(1200);
  await expectNoOverflow(friend.page);
  await friend.page.context().close();
});

test(
  '[CS-03] [DF-41] a named friend says no by the link of their mail: « Pas d’accord pour être appelé » stands in place of the call',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('commercial', demoEmails.commercial, phone);
    await page.getByRole('article').first().waitFor();
    const email = 'ami.reticent@exemple.fr';
    await act(demoEmails.client, 'send-invitation-email', { name: 'Ami Réticent', email, phone: '06 12 12 12 12' });
    await page.getByRole('button', { name: /^1.nouveauté – Actualiser$/u }).click();
    const card = page.getByRole('article').filter({ hasText: 'Ami Réticent' });
    // By default whoever said nothing may be called, as the specification has it.
    await expectPage(card.getByRole('link', { name: /^Appeler Ami Réticent/u })).toBeVisible();
    await expectPage(card.getByText('N’a pas dit s’il accepte les appels')).toBeVisible();
    const [url = ''] = /http\S+\/accord\?token=[\w-]+/u.exec(await server.mailbox.mailTo(email)) ?? [];
    const friend = await openUrl(url, { ...phone, javaScriptEnabled: false });
    await expectPage(friend.page.getByRole('heading', { level: 1 })).toHaveText(/^Acceptez-vous d’être appelé/u);
    await friend.page.getByRole('button', { name: 'Non, ne pas m’appeler' }).click();
    await expectPage(friend.page.getByRole('heading', { level: 1 })).toHaveText('C’est noté');
    await friend.page.context().close();
    await expectPage(card.getByText('Pas d’accord pour être appelé')).toBeVisible();
    await expectPage(card.getByRole('link', { name: /^Appeler/u })).toHaveCount(0);
    await expectPage(card.getByText('A répondu non : ne pas écrire')).toBeVisible();
    await expectPage(card.getByRole('link', { name: /^Écrire/u })).toHaveCount(0);
    await expectNoOverflow(page);
    expect(await brokenRules(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test(
  '[CS-03] where an agreement is asked for, who has not answered is written to once; oui then opens the mail and the call',
  { tags: 'long' },
  async () => {
    const email = 'ami.silencieux@exemple.fr';
    const require = (isRequired: boolean) =>
      act(demoEmails.admin, 'company-settings?action=update_call_consent', { require_call_consent: isRequired });
    await require(true);
    await act(demoEmails.client, 'send-invitation-email', { name: 'Ami Silencieux', email, phone: '06 14 14 14 14' });
    await server.mailbox.mailTo(email);
    const { page, errors } = await openAs('commercial', demoEmails.commercial, phone);
    const card = page.getByRole('article').filter({ hasText: 'Ami Silencieux' });
    await card.getByRole('button', { name: 'Écrire une seule fois à Ami Silencieux' }).click();
    const dialog = page.getByRole('dialog', { name: 'Écrire une seule fois à Ami Silencieux' });
    const send = dialog.getByRole('button', { name: 'Envoyer le message' });
    await send.click();
    await expectPage(dialog.getByText('Veuillez écrire votre message')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByLabel('Votre message').fill('Bonjour, puis-je vous appeler jeudi ?');
    await expectNoOverflow(page);
    await send.click();
    await expectPage(dialog).toBeHidden();
    await expectPage(card.getByText(/^Message envoyé le /u)).toBeVisible();
    await expectPage(card.getByRole('button', { name: /^Écrire/u })).toHaveCount(0);
    await expectPage(card.getByRole('link', { name: /^Écrire/u })).toHaveCount(0);
    // High enough for the whole list: what lies under the phone's bar is scrolled to before it is pressed.
    await page.setViewportSize({ width: 360, height: 2400 });
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);

    const [url = ''] =
      /http\S+\/accord\?token=[\w-]+/u.exec(await server.mailbox.mailTo(email, 'vous appeler jeudi')) ?? [];
    const friend = await openUrl(url, { ...phone, javaScriptEnabled: false });
    await friend.page.getByRole('button', { name: /^Oui/u }).click();
    await friend.page.context().close();
    await expectPage(card.getByRole('link', { name: /^Appeler Ami Silencieux/u })).toBeVisible();
    await card.getByRole('button', { name: 'Ami Silencieux' }).click();
    const panel = page.getByRole('dialog', { name: 'Ami Silencieux' });
    await expectPage(panel.getByRole('link', { name: /^Écrire à Ami Silencieux/u })).toBeVisible();
    await require(false);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test('[CS-04] from the mail that says no a friend sees what is kept, corrects it and has it erased, without script', async () => {
  const email = 'ami.curieux@exemple.fr';
  await act(demoEmails.client, 'send-invitation-email', { name: 'Ami Curieux', email, phone: '06 13 13 13 13' });
  const [refusal = ''] = /http\S+\/ne-plus-me-contacter#[\w-]+/u.exec(await server.mailbox.mailTo(email)) ?? [];
  const scripted = await openUrl(refusal, phone);
  const href = await scripted.page
    .getByRole('link', { name: 'Voir ou corriger ce qui est gardé de vous' })
    .getAttribute('href');
  expect(await brokenRules(scripted.page)).toEqual([]);
  await scripted.page.context().close();

  const { page } = await openUrl(`${server.origin()}${href ?? ''}`, { ...phone, javaScriptEnabled: false });
  await expectPage(page.getByRole('heading', { level: 1, name: 'Vos données' })).toBeVisible();
  await expectPage(page.getByText('06 13 13 13 13')).toBeVisible();
  await page.getByLabel('Votre nom').fill('Ami Renommé');
  await page.getByRole('button', { name: 'Corriger' }).click();
  await expectPage(page.getByRole('status')).toHaveText('C’est corrigé.');
  await expectPage(page.getByText('Ami Renommé')).toBeVisible();
  await page.getByText('Faire effacer mes données').click();
  await page.getByRole('button', { name: 'Oui, tout effacer' }).click();
  await expectPage(page.getByRole('heading', { level: 1 })).toHaveText('Vos données sont effacées');
  const left = await read<{ rejection_reason: string }>(
    demoEmails.client,
    'sales?select=rejection_reason&referred_contact_name=eq.Contact effacé à sa demande',
  );
  expect(left).toEqual([{ rejection_reason: 'Contact effacé à sa demande' }]);
  await page.context().close();
});
