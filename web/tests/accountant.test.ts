// @module-tag long: tests/documents.test.ts holds its subject in the quick ring
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer, unfolded } from './real-server.ts';

const server = realServer();
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);
const email = 'marie@cabinet.example';
const ownPassword = 'Trois-petits-chats-7';

test('[UI-12] the admin sends a year to an accountant whom they invite at once; the link of the mail opens that year, which takes one press; the access is withdrawn', async () => {
  const { page: admin, errors } = await openAs('admin', demoEmails.admin);
  await openSection(admin, 'Comptabilité');
  await sectionStands(admin, 'Comptabilité');
  await admin.getByRole('button', { name: 'Envoyer à mon comptable' }).focus();
  await admin.keyboard.press('Enter');
  const dialog = admin.getByRole('dialog', { name: 'Inviter mon comptable' });
  await dialog.getByLabel('Nom').fill('Marie Compta');
  await dialog.getByLabel('E-mail').fill(email);
  expect(await brokenRules(admin)).toEqual([]);
  await dialog.getByRole('button', { name: 'Inviter et envoyer' }).press('Enter');
  await expectPage(admin.getByText('Dossier envoyé à Marie Compta')).toBeVisible();
  await expectPage(admin.getByText(/^Envoyé le /u)).toBeVisible();
  await expectPage(admin.getByText('Invité, pas encore venu')).toBeVisible();
  // Again, it says so.
  await admin.getByRole('button', { name: 'Envoyer à mon comptable' }).click();
  await expectPage(admin.getByText(/^Déjà envoyé le /u)).toBeVisible();
  expect(await brokenRules(admin)).toEqual([]);

  const invitation = unfolded(await server.mailbox.mailTo(email, 'temporaire'));
  const temporary = /temporaire\s*:?\s*(?<word>[\w-]{16,})/u.exec(invitation)?.groups?.['word'] ?? '';
  const told = unfolded(await server.mailbox.mailTo(email, 'comptable/dashboard')).replaceAll('=3D', '=');
  const link = /http\S+\/comptable\/dashboard\?section=comptabilite&periode=\d{4}/u.exec(told)?.[0] ?? '';
  const year = link.slice(-4);

  const { page, errors: theirs } = await openUrl(link);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Mot de passe', { exact: true }).fill(temporary);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
  await page.waitForURL(/new-password/u);
  await page.getByLabel('Nouveau mot de passe', { exact: true }).fill(ownPassword);
  await page.getByLabel('Confirmer le mot de passe').fill(ownPassword);
  await page.keyboard.press('Enter');
  // The year that the link names is there once the new password is chosen, and one press takes it.
  await page.waitForURL(new RegExp(`/comptable/dashboard\\?section=comptabilite&periode=${year}$`, 'u'));
  await sectionStands(page, 'Comptabilité');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: `Télécharger le dossier : Année ${year}` }).click();
  expect((await download).suggestedFilename()).toMatch(new RegExp(`^Dossier comptable ${year}`, 'u'));
  // Every file, and nothing that changes anything.
  for (const name of [/^Clôturer/u, /^Codes des/u, /^Réglages/u, /^Envoyer/u, /^Inviter/u, /^Notifications/u])
    await expectPage(page.getByRole('button', { name })).toHaveCount(0);
  expect(await brokenRules(page)).toEqual([]);
  await openSection(page, 'Profil');
  await sectionStands(page, 'Profil');
  expect(await brokenRules(page)).toEqual([]);
  // Another dashboard leads back to theirs.
  await page.goto(`${server.origin()}/admin/dashboard`);
  await page.waitForURL(/comptable\/dashboard/u);

  await admin.reload();
  await expectPage(admin.getByText('Accès ouvert')).toBeVisible();
  await admin.getByRole('button', { name: 'Retirer l’accès de Marie Compta' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Retirer l’accès' }).click();
  await expectPage(admin.getByText('Accès retiré')).toBeVisible();
  expect(errors).toEqual([]);
  expect(theirs).toEqual([]);
  await page.reload();
  await page.waitForURL(/login/u);
});

describe('where no mail leaves', () => {
  const quiet = realServer({ mail: false });
  const { openAs: openQuietly } = dashboards(quiet.origin, openUrl);

  test('[UI-12] nothing says that it is sent: the credentials lead to the year by hand, and then its link is there to copy', async () => {
    const { page: admin, errors } = await openQuietly('admin', demoEmails.admin);
    await openSection(admin, 'Comptabilité');
    await sectionStands(admin, 'Comptabilité');
    const year = (await admin.getByRole('combobox', { name: 'Période du dossier' }).textContent())?.slice(-4) ?? '';
    await admin.getByRole('button', { name: 'Envoyer à mon comptable' }).click();
    const dialog = admin.getByRole('dialog', { name: 'Inviter mon comptable' });
    await expectPage(dialog).toContainText('L’envoi d’e-mails n’est pas configuré');
    await dialog.getByLabel('Nom').fill('Marie Compta');
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Créer le compte' }).click();
    const handed = admin.getByRole('dialog', { name: 'Identifiants à transmettre' });
    const link = `${quiet.origin()}/comptable/dashboard?section=comptabilite&periode=${year}`;
    await expectPage(handed.getByText(link, { exact: true })).toBeVisible();
    await expectPage(admin.getByText('L’e-mail n’est pas parti')).toHaveCount(0);
    expect(await brokenRules(admin)).toEqual([]);
    await handed.getByRole('button', { name: 'J’ai transmis les identifiants' }).click();
    await admin.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await admin.getByRole('button', { name: 'Copier le lien pour mon comptable' }).click();
    await expectPage(admin.getByRole('button', { name: 'Lien copié' })).toBeVisible();
    expect(await admin.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await expectPage(admin.getByRole('button', { name: 'Envoyer à mon comptable' })).toHaveCount(0);
    expect(errors).toEqual([]);
  });
});
