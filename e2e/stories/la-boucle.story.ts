import type { Page } from '@playwright/test';

import { choosePassword, expect, openSection, signIn, temporaryPasswordOf, test } from '../support/company.ts';
import type { Company } from '../support/company.ts';
import { officialClients } from '../support/official-clients.ts';

const PASSWORD = 'Une-boucle-entière-2026';
const LOGO = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#0b5a40"/></svg>',
);
const IBAN = 'FR76 3000 6000 0112 3456 7890 189';

test('[AD-11, AD-04, X-05, AD-08, CO-06, CL-03, CO-02, CO-03, AD-09, AD-12, CL-06, CL-07, AD-10] the whole loop, from the first sign-in to the commission paid', async ({
  company,
}) => {
  const [admin, commercial, client] = [
    await company.openWindow(),
    await company.openWindow(),
    await company.openWindow(),
  ];

  await test.step('the admin names the company, uploads its logo, creates a scale of 10 % and 50 €', async () => {
    const { page } = admin;
    await signIn(page, company.admin.email, company.admin.temporaryPassword);
    await choosePassword(page, PASSWORD);
    await page.waitForURL('**/admin/dashboard');
    await expect(page.getByRole('banner')).toContainText('Mon Entreprise');
    await page.getByRole('button', { name: 'Paramètres' }).click();
    await page.getByLabel('Nom de l’entreprise').fill('Atelier Lumen');
    await page.locator('input[type=file]').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: LOGO });
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(page.getByRole('banner')).toContainText('Atelier Lumen');
    await expect(page.getByRole('banner').locator('img')).toHaveJSProperty('complete', true);

    await openSection(page, 'Commissions');
    await page.getByRole('button', { name: 'Nouveau barème' }).first().click();
    const form = page.getByRole('dialog', { name: 'Nouveau barème' });
    await form.getByLabel('Nom', { exact: true }).fill('Standard');
    await form.getByLabel('Montant client').fill('10');
    await form.getByRole('group', { name: 'Commission du commercial' }).getByText('Montant fixe').click();
    await form.getByLabel('Montant commercial').fill('50');
    await form.getByRole('button', { name: 'Créer le barème' }).click();
    await expect(page.getByText('Barème créé avec succès !')).toBeVisible();
  });

  await test.step('she invites a commercial, who gets credentials and chooses a password', async () => {
    await openSection(admin.page, 'Commerciaux');
    await admin.page.getByRole('button', { name: 'Ajouter un commercial' }).first().click();
    const dialog = admin.page.getByRole('dialog', { name: 'Ajouter un commercial' });
    await dialog.getByLabel('Nom').fill('Hugo Bernard');
    await dialog.getByLabel('E-mail').fill('hugo@lumen.example');
    await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await expect(admin.page.getByText('Un e-mail d’invitation a été envoyé.')).toBeVisible();
    await admin.page.getByRole('button', { name: 'Terminé' }).click();
    await enterByMail(company, commercial.page, 'hugo@lumen.example');
    await commercial.page.waitForURL('**/commercial/dashboard');
    await expect(commercial.page.getByText('Aucun parrainage reçu pour le moment')).toBeVisible();
  });

  await test.step('the commercial invites a client, who comes in the same way', async () => {
    await openSection(commercial.page, 'Mes Clients');
    await commercial.page.getByRole('button', { name: 'Ajouter un client' }).first().click();
    const dialog = commercial.page.getByRole('dialog', { name: 'Ajouter un client' });
    await dialog.getByLabel('Nom', { exact: true }).fill('Léa Fontaine');
    await dialog.getByLabel('E-mail').fill('lea@lumen.example');
    await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
    await expect(commercial.page.getByText('Un e-mail d’invitation a été envoyé.')).toBeVisible();
    await commercial.page.getByRole('button', { name: 'Terminé' }).click();
    await enterByMail(company, client.page, 'lea@lumen.example');
    await client.page.waitForURL('**/client/dashboard');
    await expectCards(client.page, 'Mes Parrainages', {
      'Amis invités': '0',
      'Contrats signés': '0',
      'Total commissions': '0,00 €',
    });
  });

  await test.step('the client invites a friend with a message; the commercial sees it', async () => {
    await inviteFriend(client.page, 'Paul Ami', 'paul@exemple.example', 'Ils ont refait notre toit, appelle-les.');
    const mail = await company.mailbox.take('paul@exemple.example');
    expect(mail.text).toContain('Ils ont refait notre toit');
    expect(mail.text).toContain('Léa Fontaine');
    await openSection(commercial.page, 'Parrainages reçus');
    await commercial.page.reload();
    const line = commercial.page.getByRole('article').filter({ hasText: 'Paul Ami' });
    await expect(line).toContainText('Léa Fontaine');
    await expect(line).toContainText('En attente');
    await expectCards(client.page, 'Mes Parrainages', {
      'Amis invités': '1',
      'Contrats signés': '0',
      'Total commissions': '0,00 €',
    });
  });

  await test.step('he moves it from « Contacté » to the final validation, 1 234,56 €', async () => {
    await moveReferral(commercial.page, 'Paul Ami', 'Contacté');
    await moveReferral(commercial.page, 'Paul Ami', 'En négociation');
    await moveReferral(commercial.page, 'Paul Ami', 'En attente validation finale', '1 234,56', 'Toiture complète');
    await expectCards(commercial.page, "Contrats d'affiliation", {
      'Contrats validés': '0',
      'CA généré': '0,00 €',
      'Commissions gagnées': '0,00 €',
      'Commissions en attente': '0,00 €',
    });
    await expect(commercial.page.getByText(/\+ 50,00\s€ de prévision sur 1\s+contrat transmis/u)).toBeVisible();
    await expect(commercial.page.getByRole('list', { name: 'Contrats en attente de validation' })).toContainText(
      'En attente validation société',
    );
    await expectCards(admin.page, "Vue d'ensemble", {
      'Ventes validées': '0',
      'CA Total': '0,00 €',
      Commerciaux: '1',
      Clients: '1',
      'Commissions en attente': '0,00 €',
      'Commissions payées': '0,00 €',
    });
  });

  await test.step('the admin sees 123,46 € and 50,00 € before deciding, then validates', async () => {
    await openSection(admin.page, 'Validations');
    await admin.page.getByRole('button', { name: /^Valider le contrat .*Paul Ami/u }).click();
    const dialog = admin.page.getByRole('dialog').or(admin.page.getByRole('alertdialog'));
    await expect(dialog).toContainText(/123,46\s€/u);
    await expect(dialog).toContainText(/50,00\s€/u);
    await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
    await expect(
      admin.page.getByText('Les commissions ont été créées et sont maintenant disponibles').first(),
    ).toBeVisible();
    await expect(admin.page.getByText('Aucun contrat à valider')).toBeVisible();
    await expectCards(admin.page, "Vue d'ensemble", {
      'Ventes validées': '1',
      'CA Total': '1 234,56 €',
      Commerciaux: '1',
      Clients: '1',
      'Commissions en attente': '173,46 €',
      'Commissions payées': '173,46 €',
    });
  });

  await test.step('commercial and client see their commissions', async () => {
    await expectCards(commercial.page, "Contrats d'affiliation", {
      'Contrats validés': '1',
      'CA généré': '1 234,56 €',
      'Commissions gagnées': '50,00 €',
      'Commissions en attente': '0,00 €',
    });
    await expectCards(commercial.page, 'Mes Clients', {
      'Clients invités': '1',
      'Total parrainages': '1',
      'Contrats signés': '1',
      'CA généré': '1 234,56 €',
    });
    await openSection(commercial.page, 'Parrainages reçus');
    await expect(commercial.page.getByRole('article').filter({ hasText: 'Paul Ami' })).toContainText(
      'Validé - Non modifiable',
    );
    await expectCards(client.page, 'Mes Parrainages', {
      'Amis invités': '1',
      'Contrats signés': '1',
      'Total commissions': '123,46 €',
    });
    await expectCards(client.page, 'Mes Commissions', {
      'Total commissions': '123,46 €',
      'Commissions validées': '123,46 €',
      'Disponible pour paiement': '123,46 €',
      'Ventes générées': '1 234,56 €',
    });
  });

  await test.step('the client asks for 100 € by bank transfer; approved, then paid', async () => {
    await openSection(client.page, 'Demandes de Paiement');
    await client.page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    const dialog = client.page.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
    await dialog.getByLabel('Montant').fill('100');
    await dialog.getByLabel('IBAN').fill(IBAN);
    await dialog.getByLabel('Nom du bénéficiaire').fill('Léa Fontaine');
    await dialog.getByRole('button', { name: 'Envoyer la demande' }).click();
    await expect(client.page.getByText('Demande de paiement envoyée avec succès !')).toBeVisible();
    await expectCards(client.page, 'Demandes de Paiement', {
      'Montant disponible': '23,46 €',
      'Demandes en cours': '100,00 €',
      'Paiements reçus': '0,00 €',
    });

    await openSection(admin.page, 'Demandes de Paiement');
    await admin.page.reload();
    await admin.page.getByRole('button', { name: /^Approuver la demande/u }).click();
    await admin.page.getByRole('button', { name: /^Approuver 100,00\s€$/u }).click();
    await admin.page.getByRole('button', { name: /^Marquer payé : la demande/u }).click();
    await lastDialog(admin.page).getByRole('button', { name: 'Marquer payé' }).click();
    await expect(admin.page.getByRole('button', { name: /^Marquer payé : la demande/u })).toBeHidden();
    await expectCards(admin.page, "Vue d'ensemble", {
      'Commissions en attente': '73,46 €',
      'Commissions payées': '173,46 €',
    });
    await expectCards(client.page, 'Demandes de Paiement', {
      'Montant disponible': '23,46 €',
      'Demandes en cours': '0,00 €',
      'Paiements reçus': '100,00 €',
    });
    await expectCards(client.page, 'Mes Commissions', {
      'Total commissions': '123,46 €',
      'Commissions validées': '123,46 €',
      'Disponible pour paiement': '23,46 €',
      'Ventes générées': '1 234,56 €',
    });
  });

  await test.step('a second referral is refused, with a reason that the others read', async () => {
    await openSection(client.page, 'Mes Parrainages');
    await inviteFriend(client.page, 'Zoé Refusée', 'zoe@exemple.example');
    await openSection(commercial.page, 'Parrainages reçus');
    await commercial.page.reload();
    await moveReferral(commercial.page, 'Zoé Refusée', 'Contrat signé et validé', '500', 'Petit chantier');
    await openSection(admin.page, 'Validations');
    await admin.page.reload();
    await admin.page.getByRole('button', { name: /^Refuser le contrat .*Zoé Refusée/u }).click();
    const dialog = lastDialog(admin.page);
    await dialog.getByLabel('Raison du refus').fill('Elle était déjà cliente.');
    await dialog.getByRole('button', { name: 'Refuser le contrat' }).click();
    await expect(admin.page.getByText('Aucune commission ne sera créée').first()).toBeVisible();
    await commercial.page.reload();
    await expect(commercial.page.getByRole('article').filter({ hasText: 'Zoé Refusée' })).toContainText(
      'Elle était déjà cliente.',
    );
    await client.page.reload();
    await expect(client.page.getByRole('row').filter({ hasText: 'Zoé Refusée' })).toContainText(
      'Elle était déjà cliente.',
    );
    await expectCards(client.page, 'Mes Parrainages', {
      'Amis invités': '2',
      'Contrats signés': '1',
      'Total commissions': '123,46 €',
    });
  });

  for (const { errors } of [admin, commercial, client]) expect(errors).toEqual([]);
});

test('[F-01, F-16, F-10, RE-05, RE-07, RE-09] the same loop by the official client alone', async ({ company }) => {
  const { enter, call } = await officialClients(company, PASSWORD);
  const admin = await enter(company.admin.email, company.admin.temporaryPassword);
  await call(admin, 'company-settings?action=update_name', { company_name: 'Atelier Lumen' });
  await call(admin, 'commission-management?action=create_commission_rate', {
    name: 'Standard',
    description: null,
    client_commission_type: 'percentage',
    client_commission_amount: 10,
    commercial_commission_type: 'fixed',
    commercial_commission_amount: 50,
  });
  expect(await call(admin, 'invite-commercial', { name: 'Hugo', email: 'hugo@api.example' })).toMatchObject({
    emailSent: true,
  });
  const commercial = await enter('hugo@api.example', await temporaryPasswordOf(company, 'hugo@api.example'));
  expect(
    await call(commercial, 'invite-client', {
      name: 'Léa',
      email: 'lea@api.example',
      phone: null,
      company: null,
      notes: null,
    }),
  ).toMatchObject({ success: true, emailSent: true });
  const client = await enter('lea@api.example', await temporaryPasswordOf(company, 'lea@api.example'));
  await call(client, 'send-invitation-email', {
    name: 'Paul',
    email: 'paul@api.example',
    phone: '',
    personalMessage: 'Bonjour',
  });

  const { data: hugo } = await commercial.from('profiles').select('id').eq('email', 'hugo@api.example').single();
  const { data: received } = await commercial.rpc('get_commercial_sales', { commercial_id: hugo?.id });
  const [sale] = received as { id: string; client_name: string; status: string }[];
  expect(sale).toMatchObject({ client_name: 'Léa', status: 'pending' });
  for (const status of ['contacted', 'in_negotiation', 'pending_final_validation']) {
    await call(commercial, 'sales-management', {
      action: 'update_status',
      sale_id: sale?.id,
      status,
      ...(status === 'pending_final_validation' ? { contract_amount: 1234.56, contract_description: 'Toiture' } : {}),
    });
  }
  const { data: seen } = await admin.from('sales').select('*').eq('id', sale?.id).single();
  await call(admin, 'sales-management', {
    action: 'validate',
    sale_id: sale?.id,
    seen_version: seen?.version,
    expected_contract_amount: seen?.contract_amount,
    expected_client_commission_amount: seen?.client_commission_amount,
    expected_commercial_commission_amount: seen?.commercial_commission_amount,
  });
  const { data: sales } = await admin
    .from('sales')
    .select(
      '*, commercial:profiles!sales_commercial_id_fkey(full_name), friend_referrer:profiles!sales_friend_referrer_id_fkey(full_name), commission_rate:commission_rates(name)',
    );
  expect(sales).toMatchObject([
    {
      admin_validated: true,
      client_commission_amount: 123.46,
      commercial_commission_amount: 50,
      commercial: { full_name: 'Hugo' },
      friend_referrer: { full_name: 'Léa' },
      commission_rate: { name: 'Standard' },
    },
  ]);
  const { data: mine } = await client
    .from('commission_payments')
    .select('amount, sale:sales(referred_contact_name)')
    .eq('type', 'client')
    .eq('status', 'paid')
    .not('paid_at', 'is', null)
    .order('paid_at', { ascending: false });
  expect(mine).toEqual([{ amount: 123.46, sale: { referred_contact_name: 'Paul' } }]);

  await call(client, 'payment-request', {
    action: 'create',
    amount: 100,
    payment_method: 'virement',
    payment_details: { iban: IBAN, beneficiary_name: 'Léa' },
  });
  const { data: requests } = await admin
    .from('payment_requests')
    .select('id, version, amount, payment_details, client:profiles(full_name)');
  expect(requests).toMatchObject([{ amount: 100, client: { full_name: 'Léa' } }]);
  expect(JSON.stringify(requests)).not.toContain('30006000');
  for (const [index, status] of ['approved', 'paid'].entries()) {
    await call(admin, 'payment-request?action=update_status', {
      request_id: requests?.[0]?.id,
      status,
      admin_notes: null,
      seen_version: requests?.[0]?.version + index,
      expected_amount: 100,
    });
  }
  const { data: figures } = await client
    .rpc('client_figures')
    .single<{ available: number; payments_received: number }>();
  expect(figures).toMatchObject({ available: 23.46, payments_received: 100 });
});

/** Signs in with the credentials of the mail that has just arrived, and chooses a password. */
async function enterByMail(company: Company, page: Page, email: string): Promise<void> {
  await signIn(page, email, await temporaryPasswordOf(company, email));
  await choosePassword(page, PASSWORD);
}

async function inviteFriend(page: Page, name: string, email: string, message?: string): Promise<void> {
  await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Inviter un ami' });
  await dialog.getByLabel('Nom de votre ami').fill(name);
  await dialog.getByLabel('E-mail de votre ami').fill(email);
  if (message !== undefined) await dialog.getByLabel('Message personnel').fill(message);
  await dialog.getByRole('button', { name: 'Envoyer l’invitation' }).click();
  await expect(
    page
      .getByText(
        'Invitation envoyée avec succès ! Votre ami va recevoir un email personnalisé et votre commercial pourra le recontacter.',
      )
      .first(),
  ).toBeVisible();
}

async function moveReferral(
  page: Page,
  name: string,
  label: string,
  amount?: string,
  description?: string,
): Promise<void> {
  await openSection(page, 'Parrainages reçus');
  // A contacted referral is no longer in « Aujourd’hui ».
  await page.getByRole('group', { name: 'Filtrer par statut' }).getByText('Tous', { exact: true }).click();
  await page.getByRole('button', { name: new RegExp(`^Mettre à jour le parrainage d(?:e |’)${name}$`, 'u') }).click();
  const dialog = page.getByRole('dialog', { name: 'Mettre à jour le parrainage' });
  await dialog.getByText(label, { exact: true }).click();
  if (amount !== undefined) await dialog.getByLabel('Montant du contrat').fill(amount);
  if (description !== undefined) await dialog.getByLabel('Description du contrat').fill(description);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog).toBeHidden();
}

/** Every card named, read from the section as it is now, in the words and the figures of the screen. */
async function expectCards(page: Page, section: string, cards: Readonly<Record<string, string>>): Promise<void> {
  await page.reload();
  await openSection(page, section);
  for (const [label, value] of Object.entries(cards)) {
    const figure = page
      .getByRole('main')
      .locator('dl', { has: page.getByText(label, { exact: true }) })
      .locator('dd')
      .first();
    await expect.poll(async () => plain(await figure.innerText()), { message: `${section}: ${label}` }).toBe(value);
  }
}

const lastDialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last();
const plain = (text: string) =>
  text
    .replaceAll(/[\u00A0\u202F\s]+/gu, ' ')
    .replaceAll(/ ,/gu, ',')
    .trim();
