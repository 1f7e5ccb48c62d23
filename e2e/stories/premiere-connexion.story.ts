import { choosePassword, expect, signIn, test } from '../support/company.ts';

test('[V-19][A-03][H-03] the admin opens the application with her temporary password, which is good once', async ({
  company,
}) => {
  const { page, errors } = await company.openWindow();
  const chosen = 'Un-mot-de-passe-bien-à-moi-2026';

  await signIn(page, company.admin.email, company.admin.temporaryPassword);
  await choosePassword(page, chosen);
  await page.waitForURL('**/admin/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(errors).toEqual([]);

  const other = await company.openWindow();
  await signIn(other.page, company.admin.email, company.admin.temporaryPassword);
  await expect(other.page.getByRole('alert')).toHaveText('E-mail ou mot de passe incorrect');
  await signIn(other.page, company.admin.email, chosen);
  await other.page.waitForURL('**/admin/dashboard');
});

test('[NV-08][AD-02][DF-47] the admin of an empty company is led through its first steps, each done by what there is or skipped', async ({
  company,
}) => {
  const { page, errors } = await company.openWindow();
  await signIn(page, company.admin.email, company.admin.temporaryPassword);
  await choosePassword(page, 'Un-mot-de-passe-bien-à-moi-2026');
  const steps = page.locator('section', { has: page.getByRole('heading', { name: 'Démarrer' }) });
  await expect(steps).toContainText('0 sur 5');
  await expect(page.getByRole('heading', { name: 'À faire' })).toHaveCount(0);
  await expect(page.getByText('Tout est à jour')).toHaveCount(0);
  // Nothing is there to clean.
  await expect(page.getByRole('button', { name: 'clean database' })).toHaveCount(0);

  await steps.getByRole('button', { name: 'Donner un nom et un logo' }).press('Enter');
  const settings = page.getByRole('dialog', { name: 'Paramètres de l’entreprise' });
  await settings.getByLabel('Nom de l’entreprise').fill('Atelier Lumen');
  await settings.getByRole('button', { name: 'Enregistrer', exact: true }).click();
  await expect(steps).toContainText('1 sur 5');

  // The mail server's own answer, to a message of trial.
  await steps.getByRole('button', { name: 'Envoyer un message d’essai' }).click();
  await expect(page.getByText('Le serveur d’e-mail a accepté le message')).toBeVisible();
  await expect(steps).toContainText('2 sur 5');
  expect((await company.mailbox.take(company.admin.email)).subject).not.toBe('');

  await steps.getByRole('button', { name: 'Passer : Votre premier commercial' }).click();
  await expect(steps).toContainText('3 sur 5');
  await page.reload();
  await expect(steps).toContainText('3 sur 5');
  await steps.getByRole('button', { name: 'Reprendre : Votre premier commercial' }).click();
  await expect(steps).toContainText('2 sur 5');
  await steps.getByRole('button', { name: 'Inviter un commercial' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Commerciaux' })).toBeVisible();
  await page.goBack();

  await steps.getByRole('button', { name: 'Passer : Votre premier commercial' }).click();
  await steps.getByRole('button', { name: 'Passer : Votre premier barème' }).click();
  await expect(steps).toContainText('4 sur 5');
  await steps.getByRole('button', { name: 'Remplir les mentions légales' }).press('Enter');
  const notice = page.getByRole('dialog', { name: 'Mentions légales' });
  await notice.getByLabel('Nom légal, forme et capital').fill('Atelier Lumen, SARL');
  await notice.getByLabel('Adresse du siège').fill('12 rue des Lilas, 35000 Rennes');
  await notice.getByLabel('Qui dirige la publication').fill('Claire Fontaine');
  await notice.getByLabel('E-mail de contact').fill('bonjour@atelier.example');
  await notice.getByLabel('Téléphone', { exact: true }).fill('02 99 00 00 00');
  await notice.getByLabel('Nom de l’hébergeur').fill('Atelier Lumen');
  await notice.getByLabel('Adresse de l’hébergeur').fill('12 rue des Lilas, 35000 Rennes');
  await notice.getByLabel('Téléphone de l’hébergeur').fill('02 99 00 00 00');
  await notice.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(page.getByText('Rien à décider pour l’instant')).toBeVisible();
  expect(errors).toEqual([]);
});
