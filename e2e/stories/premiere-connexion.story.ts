import type { Locator, Page } from '@playwright/test';

import { choosePassword, expect, openSection, signIn, temporaryPasswordOf, test } from '../support/company.ts';

const PASSWORD = 'Une-boucle-entière-2026';

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

test('[NV-08][UI-07][AD-02][DF-47] the admin of an empty company is led by five screens with their forms, each done by what there is or put off', async ({
  company,
}) => {
  const { page, errors } = await company.openWindow();
  await signIn(page, company.admin.email, company.admin.temporaryPassword);
  await choosePassword(page, 'Un-mot-de-passe-bien-à-moi-2026');
  const steps = page.locator('section', { has: page.getByRole('navigation', { name: 'Démarrer' }) });
  const rail = steps.getByRole('navigation', { name: 'Démarrer' });
  await expect(steps).toContainText('1 sur 5');
  await expect(page.getByRole('heading', { name: 'À faire' })).toHaveCount(0);
  await expect(page.getByText('Tout est à jour')).toHaveCount(0);
  // Nothing is there to clean.
  await expect(page.getByRole('button', { name: 'clean database' })).toHaveCount(0);

  await steps.getByLabel('Nom de l’entreprise').fill('Atelier Lumen');
  await steps.getByRole('button', { name: 'Enregistrer et continuer' }).press('Enter');
  await expect(steps).toContainText('2 sur 5');
  await expect(rail.getByRole('button', { name: 'Entreprise' })).toHaveAccessibleName(/, fait$/u);
  // The keyboard goes on from the title of the new screen.
  await expect(steps.getByRole('heading', { name: 'Que gagne-t-on quand un ami signe ?' })).toBeFocused();

  await steps.getByRole('button', { name: 'Plus tard', exact: true }).click();
  await expect(steps).toContainText('3 sur 5');
  await page.reload();
  await expect(steps).toContainText('3 sur 5');
  await steps.getByRole('button', { name: 'Retour' }).click();
  await expect(steps).toContainText('2 sur 5');
  await steps.getByLabel('Montant client').fill('5');
  await steps.getByLabel('Montant commercial').fill('3');
  const example = steps.getByRole('region', { name: 'Aperçu' });
  await expect(example).toContainText(/Le client reçoit.*50,00\s€/u);
  await expect(example).toContainText(/Le commercial reçoit.*30,00\s€/u);
  await steps.getByRole('button', { name: 'Créer le barème' }).press('Enter');
  await expect(steps).toContainText('3 sur 5');
  await steps.getByRole('button', { name: 'Plus tard', exact: true }).click();

  // The mail server's own answer, to a message of trial.
  await steps.getByRole('button', { name: 'Envoyer un message d’essai' }).click();
  await expect(page.getByText('Le serveur d’e-mail a accepté le message')).toBeVisible();
  await expect(steps).toContainText('5 sur 5');
  expect((await company.mailbox.take(company.admin.email)).subject).not.toBe('');

  await expect(steps.getByLabel('Nom légal, forme et capital')).toHaveValue('Atelier Lumen');
  await expect(steps.getByLabel('Qui dirige la publication')).toHaveValue('Alice Martin');
  await fillNotice(steps);
  await steps.getByRole('button', { name: 'Enregistrer et terminer' }).click();
  await expect(page.getByText('Rien à décider pour l’instant')).toBeVisible();
  expect(errors).toEqual([]);
});

test('[UI-07] an empty company has a paid client after thirty clicks at most, those of all three people together', async ({
  company,
}) => {
  const [admin, commercial, client] = [
    await company.openWindow(),
    await company.openWindow(),
    await company.openWindow(),
  ];
  const clicks = { total: 0 };
  for (const { page } of [admin, commercial, client]) await countPresses(page, clicks);

  const boss = admin.page;
  await signIn(boss, company.admin.email, company.admin.temporaryPassword);
  await choosePassword(boss, PASSWORD);
  const steps = boss.locator('section', { has: boss.getByRole('navigation', { name: 'Démarrer' }) });
  await steps.getByLabel('Nom de l’entreprise').fill('Atelier Lumen');
  await steps.getByRole('button', { name: 'Enregistrer et continuer' }).click();
  await steps.getByLabel('Montant client').fill('5');
  await steps.getByLabel('Montant commercial').fill('3');
  await steps.getByRole('button', { name: 'Créer le barème' }).click();
  await steps.getByLabel('Nom', { exact: true }).fill('Hugo Bernard');
  await steps.getByLabel('E-mail').fill('hugo@lumen.example');
  await steps.getByRole('button', { name: 'Envoyer l’invitation' }).click();
  // The invitation that left has told that e-mails leave.
  await fillNotice(steps);
  await steps.getByRole('button', { name: 'Enregistrer et terminer' }).click();
  await expect(boss.getByText('Rien à décider pour l’instant')).toBeVisible();

  const hugo = commercial.page;
  await signIn(hugo, 'hugo@lumen.example', await temporaryPasswordOf(company, 'hugo@lumen.example'));
  await choosePassword(hugo, PASSWORD);
  await hugo.getByRole('button', { name: 'Inviter un client' }).click();
  const invitation = hugo.getByRole('dialog', { name: 'Ajouter un client' });
  await invitation.getByLabel('Nom', { exact: true }).fill('Léa Fontaine');
  await invitation.getByLabel('E-mail').fill('lea@lumen.example');
  await invitation.getByRole('button', { name: 'Envoyer l’invitation' }).click();
  await hugo.getByRole('button', { name: 'Terminé' }).click();

  const lea = client.page;
  await signIn(lea, 'lea@lumen.example', await temporaryPasswordOf(company, 'lea@lumen.example'));
  await choosePassword(lea, PASSWORD);
  await lea.getByRole('button', { name: 'Inviter un ami' }).first().click();
  const friend = lea.getByRole('dialog', { name: 'Inviter un ami' });
  await friend.getByLabel('Nom de votre ami').fill('Paul Ami');
  await friend.getByLabel('E-mail de votre ami').fill('paul@exemple.example');
  await friend.getByRole('button', { name: 'Envoyer l’invitation' }).click();
  await expect(friend).toBeHidden();

  await openSection(hugo, 'Parrainages reçus');
  await hugo.getByRole('button', { name: /^Mettre à jour le parrainage de Paul Ami$/u }).click();
  const sheet = hugo.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
  await sheet.getByText('Contrat signé et validé', { exact: true }).click();
  await sheet.getByLabel('Montant du contrat').fill('1 000');
  await sheet.getByLabel('Description du contrat').fill('Toiture');
  await sheet.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(sheet).toBeHidden();

  await openSection(boss, 'Validations');
  await boss.getByRole('button', { name: /^Valider le contrat .*Paul Ami/u }).click();
  await decision(boss).getByRole('button', { name: 'Valider le contrat' }).click();
  await expect(boss.getByText('Aucun contrat à valider')).toBeVisible();

  await lea.reload();
  await lea.getByRole('button', { name: 'Recevoir mon argent' }).click();
  const request = lea.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
  await request.getByLabel('IBAN').fill('FR76 3000 6000 0112 3456 7890 189');
  await request.getByLabel('Nom du bénéficiaire').fill('Léa Fontaine');
  await request.getByRole('button', { name: 'Envoyer la demande' }).click();
  await expect(request).toBeHidden();

  await openSection(boss, 'Demandes de Paiement');
  await boss.getByRole('button', { name: /^Approuver la demande/u }).click();
  await boss.getByRole('button', { name: /^Approuver 50,00\s€$/u }).click();
  await boss.getByRole('button', { name: /^Marquer payé : la demande/u }).click();
  await decision(boss).getByRole('button', { name: 'Marquer payé' }).click();
  await expect(boss.getByRole('button', { name: /^Marquer payé : la demande/u })).toBeHidden();

  expect(clicks.total).toBeGreaterThan(20);
  expect(clicks.total).toBeLessThanOrEqual(30);
  for (const { errors } of [admin, commercial, client]) expect(errors).toEqual([]);
});

const decision = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last();

/** Adds each press of the mouse to the total; a label's press is passed to its control as a second click, and counts once. */
async function countPresses(page: Page, clicks: { total: number }): Promise<void> {
  await page.exposeFunction('pressed', () => {
    clicks.total += 1;
  });
  await page.addInitScript(() => {
    addEventListener('pointerdown', () => (globalThis as unknown as { pressed: () => void }).pressed(), true);
  });
}

async function fillNotice(form: Locator): Promise<void> {
  await form.getByLabel('Nom légal, forme et capital').fill('Atelier Lumen, SARL');
  await form.getByLabel('Adresse du siège').fill('12 rue des Lilas, 35000 Rennes');
  await form.getByLabel('Qui dirige la publication').fill('Claire Fontaine');
  await form.getByLabel('E-mail de contact').fill('bonjour@atelier.example');
  await form.getByLabel('Téléphone', { exact: true }).fill('02 99 00 00 00');
  await form.getByLabel('Nom de l’hébergeur').fill('Atelier Lumen');
  await form.getByLabel('Adresse de l’hébergeur').fill('12 rue des Lilas, 35000 Rennes');
  await form.getByLabel('Téléphone de l’hébergeur').fill('02 99 00 00 00');
}
