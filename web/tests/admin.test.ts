import { expect as expectPage, type Page } from '@playwright/test';
import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages } from './chromium.ts';
import { dashboards, euros, figure, openSection, plain } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The admin's dashboard: the real server without mail, the real pages. The last test empties the database.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { act, openAs, read, signIn } = dashboards(server.origin, openUrl);
const open = (options?: Parameters<typeof openAs>[2]) => openAs('admin', demoEmails.admin, options);

interface SaleRow {
  id: string;
  contract_amount: number;
  client_commission_amount: number;
  commercial_commission_amount: number;
}

interface Figures {
  validated_sales: number;
  revenue: number;
  commercials: number;
  clients: number;
  pending_commissions: number;
  paid_commissions: number;
  sales_to_validate: number;
  requests_to_decide: number;
  requests_to_pay: number;
}

const asAdmin = <Row>(query: string) => read<Row>(demoEmails.admin, query);
const figures = async () => {
  const [row] = await asAdmin<Figures>('rpc/admin_figures');
  if (!row) throw new Error('admin_figures gave no row');
  return row;
};

/** A contract that a commercial passed on, from a friend of the demo client. */
async function contractToValidate(name: string, amount: number): Promise<string> {
  await act(demoEmails.client, 'send-invitation-email', { name, email: `${name.split(' ')[0]}@exemple.fr` });
  const [sale] = await asAdmin<SaleRow>(`sales?select=id&referred_contact_name=eq.${encodeURIComponent(name)}`);
  if (!sale) throw new Error(`${name} was not invited`);
  await changeContract(sale.id, amount);
  return sale.id;
}

const changeContract = (saleId: string, amount: number) =>
  act(demoEmails.commercial, 'sales-management', {
    action: 'update_status',
    sale_id: saleId,
    status: 'pending_final_validation',
    contract_amount: amount,
    contract_description: 'Toiture complète',
  });

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const lastDialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last();

describe("Vue d'ensemble", () => {
  test('[AD-03][M-04][M-05][M-06][M-10] « À faire » comes first, and every card is what the database counts', async () => {
    const { page, errors } = await open();
    const now = await figures();
    const toDo = page
      .getByRole('region', { name: 'À faire' })
      .or(page.locator('section', { hasText: 'À faire' }))
      .first();
    for (const [count, words] of [
      [now.sales_to_validate, 'contrats à valider'],
      [now.requests_to_decide, 'demandes de paiement à traiter'],
      [now.requests_to_pay, 'demandes approuvées à payer'],
    ] as const) {
      await expectPage(toDo.getByRole('button', { name: new RegExp(`^${count} ${words}`, 'u') })).toBeVisible();
    }
    expect(await figure(page, 'Ventes validées')).toBe(String(now.validated_sales));
    expect(await figure(page, 'CA Total')).toBe(euros(now.revenue));
    expect(await figure(page, 'Commissions en attente')).toBe(euros(now.pending_commissions));
    expect(await figure(page, 'Commissions payées')).toBe(euros(now.paid_commissions));
    for (const [label, count] of [
      ['Commerciaux', now.commercials],
      ['Clients', now.clients],
    ] as const) {
      const card = page.getByRole('main').locator('dl', { has: page.getByText(label, { exact: true }) });
      await expectPage(card.locator('dd').first()).toHaveText(String(count));
    }
    await page.getByRole('button', { name: 'Pourquoi ?' }).nth(1).click();
    const why = plain(await page.getByRole('dialog', { name: 'Commissions en attente' }).innerText());
    expect(why).toContain(euros(now.paid_commissions));
    expect(why).toContain(euros(now.pending_commissions - now.paid_commissions));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Voir les ventes validées' }).click();
    await expectPage(page.getByLabel('Filtrer par statut')).toHaveText('Validé par admin');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Commerciaux', () => {
  test('[AD-04][V-08][E-03][V-19] one is invited; without mail, the login and temporary password are shown once', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Commerciaux');
    await page.getByRole('button', { name: 'Ajouter un commercial' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ajouter un commercial' });
    await dialog.getByRole('button', { name: "Envoyer l'invitation" }).click();
    await expectPage(dialog.getByText("Le nom et l'email sont requis")).toHaveCount(2);
    await dialog.getByLabel('Nom').fill('Anne-Sophie de La Rochefoucauld-Montbéliard');
    await dialog.getByLabel('Email').fill('Anne.Sophie@exemple.fr');
    await page.keyboard.press('Enter');
    const result = page.getByRole('dialog', { name: 'Identifiants à transmettre' });
    await expectPage(result.getByText('anne.sophie@exemple.fr')).toBeVisible();
    await expectPage(result.locator('code')).toHaveText(/^.{16,}$/u);
    await expectPage(result.getByRole('button', { name: 'Copier le mot de passe' })).toBeVisible();
    await result.getByRole('button', { name: "J'ai transmis les identifiants" }).click();
    const card = page.getByRole('article').first();
    for (const text of ['Anne-Sophie de La Rochefoucauld-Montbéliard', 'Téléphone non renseigné', 'Inscrit le']) {
      await expectPage(card.getByText(text)).toBeVisible();
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-05] one with nothing is removed; one with clients is deactivated, and may come back', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Commerciaux');
    await page.getByRole('button', { name: 'Supprimer Anne-Sophie de La Rochefoucauld-Montbéliard' }).click();
    await expectPage(page.getByText("n'a ni client ni vente : son compte est supprimé")).toBeVisible();
    await page.getByRole('button', { name: 'Supprimer le commercial' }).click();
    await expectPage(page.getByText('supprimé avec succès')).toBeVisible();

    await page.getByRole('button', { name: 'Supprimer Nora Vasseur' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Désactiver Nora Vasseur ?' });
    await expectPage(dialog.getByText(/clients et \d+\sventes ou parrainages lui sont rattachés/u)).toBeVisible();
    await dialog.getByText('Les confier à un autre commercial').click();
    await expectPage(dialog.getByRole('button', { name: 'Désactiver le commercial' })).toBeDisabled();
    await dialog.getByLabel('Commercial qui reprend').click();
    await page.getByRole('combobox', { name: 'Nom ou email' }).fill('kar');
    await page.getByRole('option', { name: /Karim Benali/u }).click();
    await dialog.getByRole('button', { name: 'Désactiver le commercial' }).click();
    const card = page.getByRole('article').filter({ hasText: 'Nora Vasseur' });
    await expectPage(card.getByText('Désactivé', { exact: true })).toBeVisible();
    const [nora] = await asAdmin<{ id: string }>('profiles?select=id&full_name=eq.Nora%20Vasseur');
    expect(await asAdmin(`profiles?select=id&commercial_id=eq.${nora?.id}`)).toEqual([]);
    await card.getByRole('button', { name: 'Réactiver Nora Vasseur' }).click();
    await page.getByRole('button', { name: 'Réactiver le commercial' }).click();
    await expectPage(card.getByText('Désactivé', { exact: true })).toBeHidden();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Clients', () => {
  test('[AD-06][V-11][V-13][FX-74] one is added for a commercial, corrected, and removed where nothing hangs on them', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Clients');
    await page.getByRole('button', { name: 'Ajouter un client' }).click();
    const form = page.getByRole('dialog', { name: 'Ajouter un client' });
    await form.getByLabel('Nom', { exact: true }).fill('Zoé Nouvelle');
    await form.getByLabel('Email').fill('zoe@exemple.fr');
    await form.getByLabel('Commercial').click();
    await page.getByRole('option', { name: /Élodie Garnier/u }).click();
    await form.getByRole('button', { name: "Envoyer l'invitation" }).click();
    await page.getByRole('button', { name: "J'ai transmis les identifiants" }).click();
    const card = page.getByRole('article').filter({ hasText: 'Zoé Nouvelle' });
    await expectPage(card.getByText('Élodie Garnier')).toBeVisible();

    await card.getByRole('button', { name: 'Modifier Zoé Nouvelle' }).click();
    const edit = page.getByRole('dialog', { name: 'Modifier Zoé Nouvelle' });
    await expectPage(edit.getByLabel('Email')).toHaveAttribute('readonly', '');
    for (const label of ['Nom', 'Entreprise', 'Notes']) await expectPage(edit.getByLabel(label).first()).toBeEditable();
    await expectPage(edit.getByLabel('Commercial')).toBeEnabled();
    await page.getByLabel('Téléphone').fill('06 00 00 00 01');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(card.getByText('06 00 00 00 01')).toBeVisible();

    await card.getByRole('button', { name: 'Supprimer Zoé Nouvelle' }).click();
    await expectPage(page.getByText('Cette action est irréversible')).toBeVisible();
    await page.getByRole('button', { name: 'Supprimer le client' }).click();
    await expectPage(page.getByText('Client Zoé Nouvelle supprimé avec succès !')).toBeVisible();
    await expectPage(card).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[V-13] who brought revenue is not removed, and the dialog says why', async () => {
    const { page } = await open();
    await openSection(page, 'Clients');
    await page.getByLabel('Rechercher un client').fill('Sophie Marchand');
    const card = page.getByRole('article').filter({ hasText: 'Sophie Marchand' });
    await card.getByRole('button', { name: 'Supprimer Sophie Marchand' }).click();
    await expectPage(page.getByText('Impossible de supprimer ce client car il a généré du CA.')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Supprimer le client' })).toBeDisabled();
    await page.context().close();
  });
});

describe('Commissions', () => {
  test('[AD-08][V-02][V-03][S-12] a scale is typed, previewed to the cent, made the default, and archived', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Commissions');
    await page.getByRole('button', { name: 'Nouveau barème' }).click();
    const form = page.getByRole('dialog', { name: 'Nouveau barème' });
    await form.getByRole('button', { name: 'Créer le barème' }).click();
    await expectPage(form.getByText('Veuillez remplir tous les champs obligatoires')).toHaveCount(3);
    await form.getByLabel('Nom', { exact: true }).fill('Barème du printemps');
    await form.getByLabel('Montant client').fill('-3');
    await expectPage(form.getByText('Le montant de commission client doit être un nombre positif')).toBeVisible();
    await form.getByLabel('Montant client').fill('2,9');
    await form.getByRole('group', { name: 'Commission du commercial' }).getByText('Montant fixe').click();
    await form.getByLabel('Montant commercial').fill('12,50');
    await form.getByLabel('Montant du contrat en exemple').fill('500');
    const preview = form.getByRole('region', { name: 'Aperçu' });
    await expectPage(preview.getByText('2,9 % de 500,00 € = 14,50 €')).toBeVisible();
    await expectPage(preview.getByText('Montant fixe : 12,50 €')).toBeVisible();
    await form.getByRole('button', { name: 'Créer le barème' }).click();
    await expectPage(page.getByText('Barème créé avec succès !')).toBeVisible();

    const card = page.getByRole('article').filter({ hasText: 'Barème du printemps' });
    await card.getByRole('button', { name: 'Actions sur Barème du printemps' }).click();
    await page.getByRole('menuitem', { name: 'Définir par défaut' }).click();
    await page.getByRole('button', { name: 'Définir par défaut' }).click();
    await expectPage(card.getByText('Par défaut')).toBeVisible();
    await page.getByRole('button', { name: 'Actions sur Barème standard' }).click();
    await page.getByRole('menuitem', { name: 'Définir par défaut' }).click();
    await page.getByRole('button', { name: 'Définir par défaut' }).click();
    await expectPage(card.getByText('Par défaut')).toBeHidden();

    await card.getByRole('button', { name: 'Actions sur Barème du printemps' }).click();
    await page.getByRole('menuitem', { name: 'Archiver' }).click();
    await page.getByRole('button', { name: 'Archiver le barème' }).click();
    await expectPage(card).toHaveCount(0);
    await page.getByText('Barèmes archivés').click();
    await expectPage(card.getByText('Archivé', { exact: true })).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Validations', () => {
  test('[AD-09][AD-12][F-16][E-04][S-04] what is seen is what is recorded: both amounts and who receives them', async () => {
    const saleId = await contractToValidate('Alice Toiture', 1234.56);
    const { page, errors } = await open();
    await openSection(page, 'Validations');
    await rowOf(page, 'Alice Toiture')
      .getByRole('button', { name: /^Valider/u })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Valider le contrat d’Alice Toiture ?' });
    await expectPage(dialog.getByLabel('Barème')).toHaveText('Barème standard (par défaut)');
    const receipt = dialog.getByRole('region', { name: 'Ce qui sera enregistré' });
    const read1 = plain(await receipt.innerText());
    expect(read1).toMatch(/Sophie Marchand\s+Commission client · 10 % de 1 234,56 € = 123,46 €\s+123,46 €/u);
    expect(read1).toMatch(/Julien Mercier\s+Commission commercial · Montant fixe : 50,00 €\s+50,00 €/u);
    expect(read1).toContain('173,46 €');
    await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
    await expectPage(page.getByText('Les commissions ont été créées et sont maintenant disponibles')).toBeVisible();
    await expectPage(rowOf(page, 'Alice Toiture')).toHaveCount(0);
    const [sale] = await asAdmin<SaleRow>(
      `sales?select=client_commission_amount,commercial_commission_amount&id=eq.${saleId}`,
    );
    expect(sale).toEqual({ client_commission_amount: 123.46, commercial_commission_amount: 50 });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-12] a contract that changed meanwhile is shown again before anything is recorded', async () => {
    const saleId = await contractToValidate('Bruno Façade', 1000);
    const { page } = await open();
    await openSection(page, 'Validations');
    await rowOf(page, 'Bruno Façade')
      .getByRole('button', { name: /^Valider/u })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Valider le contrat de Bruno Façade ?' });
    await expectPage(dialog.getByRole('region', { name: 'Ce qui sera enregistré' })).toContainText('100');
    await changeContract(saleId, 2000);
    await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
    await expectPage(dialog.getByText("Cette vente a changé depuis que vous l'avez affichée")).toBeVisible();
    await expectPage(dialog.getByText('10 % de 2 000,00 € = 200,00 €')).toBeVisible();
    expect(await asAdmin(`commission_payments?select=id&sale_id=eq.${saleId}`)).toEqual([]);
    await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
    await expectPage(page.getByText('Contrat validé', { exact: true })).toBeVisible();
    await page.context().close();
  });

  test('[FX-62] a contract worth less than its commissions is said in amber, and asked about once more', async () => {
    const saleId = await contractToValidate('Denise Bricole', 30);
    const { page, errors } = await open();
    await openSection(page, 'Validations');
    await rowOf(page, 'Denise Bricole')
      .getByRole('button', { name: /^Valider/u })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Valider le contrat de Denise Bricole ?' });
    const amber = dialog.getByRole('status').filter({ hasText: 'dépassent le montant du contrat' });
    await expectPage(amber).toBeVisible();
    expect(plain(await amber.innerText())).toBe('Les commissions (53,00 €) dépassent le montant du contrat (30,00 €).');
    const validate = dialog.getByRole('button', { name: 'Valider le contrat' });
    await validate.click();
    const question = page.getByRole('alertdialog');
    expect(plain(await question.innerText())).toContain('l’écart est de 23,00 €');
    await question.getByRole('button', { name: 'Annuler' }).click();
    expect(await asAdmin(`commission_payments?select=id&sale_id=eq.${saleId}`)).toEqual([]);
    await validate.click();
    await question.getByRole('button', { name: 'Valider quand même' }).click();
    await expectPage(page.getByText('Contrat validé', { exact: true })).toBeVisible();
    expect(await asAdmin(`commission_payments?select=amount&sale_id=eq.${saleId}&order=amount`)).toEqual([
      { amount: 3 },
      { amount: 50 },
    ]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-09][V-04][E-04] refusing asks for a reason, creates nothing, and the reason is read in Ventes', async () => {
    const saleId = await contractToValidate('Carla Isolation', 800);
    const { page, errors } = await open();
    await openSection(page, 'Validations');
    await rowOf(page, 'Carla Isolation')
      .getByRole('button', { name: /^Refuser/u })
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Refuser le contrat' }).click();
    await expectPage(dialog.getByText('Veuillez indiquer la raison du refus')).toBeVisible();
    await dialog.getByLabel('Raison du refus').fill('Devis non signé');
    await dialog.getByRole('button', { name: 'Refuser le contrat' }).click();
    await expectPage(page.getByText('Aucune commission ne sera créée')).toBeVisible();
    expect(await asAdmin(`commission_payments?select=id&sale_id=eq.${saleId}`)).toEqual([]);
    await openSection(page, 'Ventes');
    await page.getByLabel('Rechercher une vente').fill('Carla');
    await expectPage(rowOf(page, 'Carla Isolation').getByText('Refusé: Devis non signé')).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Ventes', () => {
  test('[AD-07][S-05] the server searches, sorts, filters and cuts pages; Back and reload keep them', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Ventes');
    for (const name of ['Client', 'Commercial', 'Parrain', 'Montant', 'Statut', 'Date', 'Commission']) {
      await expectPage(page.getByRole('columnheader', { name, exact: true })).toBeVisible();
    }
    await page.getByRole('button', { name: 'Page suivante' }).click();
    await expectPage(page.getByText(/^26–50 sur/u)).toBeVisible();
    await page.reload();
    await expectPage(page.getByText(/^26–50 sur/u)).toBeVisible();
    await page.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await expectPage(page.getByRole('columnheader', { name: 'Montant' })).toHaveAttribute('aria-sort', 'descending');
    await page.getByLabel('Filtrer par statut').click();
    await page.getByRole('option', { name: 'Validé par admin' }).click();
    const [highest] = await asAdmin<SaleRow>(
      'sales?select=contract_amount&admin_validated=is.true&order=contract_amount.desc&limit=1',
    );
    await expectPage(page.getByRole('row').nth(1)).toContainText(/\d/u);
    await expectPage
      .poll(async () => plain(await page.getByRole('row').nth(1).innerText()))
      .toContain(euros(highest?.contract_amount ?? 0));
    await page.getByLabel('Rechercher une vente').fill('personne % _ ( "');
    await expectPage(page.getByText('Aucun résultat')).toBeVisible();
    await page.getByRole('button', { name: 'Tout effacer' }).first().click();
    await expectPage(page.getByText(/^1–25 sur/u)).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-07][X-03][S-11] a sale opens with its computation and history; its validation is cancelled by an opposite entry', async () => {
    const { page, errors } = await open();
    const before = await figures();
    await openSection(page, 'Ventes');
    await page.getByLabel('Rechercher une vente').fill('Alice Toiture');
    await page.getByRole('button', { name: 'Alice Toiture' }).click();
    const panel = page.getByRole('dialog', { name: 'Alice Toiture' });
    await expectPage(panel.getByText('10 % de 1 234,56 € = 123,46 €')).toBeVisible();
    const history = panel.getByRole('list', { name: 'Historique' });
    for (const words of [
      'Parrainage reçu',
      'Contrat transmis pour validation',
      "Contrat validé par l'administrateur",
    ]) {
      await expectPage(history.getByText(words)).toBeVisible();
    }
    await panel.getByRole('button', { name: 'Annuler la validation' }).click();
    const confirm = page.getByRole('alertdialog');
    await confirm.getByRole('button', { name: 'Annuler la validation' }).click();
    await expectPage(confirm.getByText("Veuillez indiquer la raison de l'annulation")).toBeVisible();
    await confirm.getByLabel("Raison de l'annulation").fill('Rétractation');
    await confirm.getByRole('button', { name: 'Annuler la validation' }).click();
    await expectPage(panel.getByRole('button', { name: "Voir l'écriture inverse" })).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(panel).toBeHidden();
    await expectPage(page.getByRole('button', { name: 'Alice Toiture' }).last()).toBeFocused();
    await expectPage(page.getByText('Validation annulée', { exact: true }).first()).toBeVisible();
    const after = await figures();
    expect(after.validated_sales).toBe(before.validated_sales - 1);
    expect(Math.round((before.revenue - after.revenue) * 100)).toBe(123_456);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Demandes de Paiement', () => {
  test('[AD-10][S-09][V-05][V-18][E-04] approved, paid with a note, refused with a reason; an IBAN in clear is asked for', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('tab', { name: /^En attente/u }).click();
    const first = page.getByRole('row').filter({ hasText: 'Virement bancaire' }).first();
    const name = (await first.getByRole('button').first().innerText()).split('\n')[0] ?? '';
    await first.getByRole('button', { name: /^Approuver/u }).click();
    await expectPage(lastDialog(page).getByText(name, { exact: true })).toBeVisible();
    await lastDialog(page)
      .getByRole('button', { name: /^Approuver/u })
      .click();
    await expectPage(page.getByText('Demande approuvée', { exact: true })).toBeVisible();

    await page.getByRole('tab', { name: /^Approuvées/u }).click();
    await rowOf(page, name).first().getByRole('button').first().click();
    const panel = page.getByRole('dialog', { name });
    await expectPage(panel.getByText(/•••• ••••/u)).toBeVisible();
    await panel.getByRole('button', { name: "Afficher l'IBAN complet" }).click();
    await expectPage(panel.getByText(/^[A-Z]{2}\d{2}(?:\s[\dA-Z]{1,4})+$/u)).toBeVisible();
    await panel.getByRole('button', { name: 'Marquer payé' }).click();
    await page.getByRole('alertdialog').getByLabel('Notes').fill('Virement du matin');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Marquer payé' }).click();
    await expectPage(page.getByText('Demande marquée comme payée')).toBeVisible();
    await expectPage(panel.getByText('Virement du matin').first()).toBeVisible();
    await expectPage(panel.getByText('Coordonnées de paiement consultées')).toBeVisible();
    await expectPage(panel.getByRole('button', { name: 'Marquer payé' })).toBeHidden();
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: /^En attente/u }).click();
    await page
      .getByRole('button', { name: /^Refuser la demande/u })
      .first()
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Refuser la demande' }).click();
    await expectPage(page.getByText('Veuillez indiquer la raison du refus')).toBeVisible();
    await page.getByLabel('Raison du refus').fill('Coordonnées illisibles');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Refuser la demande' }).click();
    await expectPage(page.getByText('Demande refusée', { exact: true })).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[FX-10] an approval is annulled with a reason', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('tab', { name: /^En attente/u }).click();
    const approve = page.getByRole('button', { name: /^Approuver la demande/u }).first();
    const whose = ((await approve.getAttribute('aria-label')) ?? '').replace('Approuver', '');
    await approve.click();
    await lastDialog(page)
      .getByRole('button', { name: /^Approuver/u })
      .click();
    await expectPage(page.getByText('Demande approuvée', { exact: true })).toBeVisible();
    await page.getByRole('tab', { name: /^Approuvées/u }).click();
    await page
      .getByRole('button', { name: `Annuler l'approbation${whose}` })
      .first()
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: "Annuler l'approbation" }).click();
    await expectPage(dialog.getByText("Veuillez indiquer la raison de l'annulation")).toBeVisible();
    await dialog.getByLabel("Raison de l'annulation").fill('IBAN clos');
    await dialog.getByRole('button', { name: "Annuler l'approbation" }).click();
    await expectPage(page.getByText('Approbation annulée', { exact: true }).first()).toBeVisible();
    const [request] = await asAdmin<{ id: string; status: string }>(
      'payment_requests?select=id,status&approval_annulled_reason=eq.IBAN%20clos',
    );
    expect(request).toMatchObject({ status: 'pending' });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[FX-11] a request that somebody else decided meanwhile is refused, and says to look again', async () => {
    const { page } = await open();
    await openSection(page, 'Demandes de Paiement');
    await page.getByRole('tab', { name: /^En attente/u }).click();
    await page
      .getByRole('button', { name: /^Refuser la demande/u })
      .first()
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Raison du refus').fill('Trop tard');
    // As if the row on screen were older than it is.
    await page.route('**/functions/v1/payment-request?action=update_status', async (route) => {
      const body = route.request().postDataJSON() as Record<string, unknown>;
      await route.continue({ postData: JSON.stringify({ ...body, seen_version: Number(body['seen_version']) - 1 }) });
    });
    await dialog.getByRole('button', { name: 'Refuser la demande' }).click();
    await expectPage(dialog.getByRole('alert')).toContainText("Cette demande a changé depuis que vous l'avez affichée");
    await page.context().close();
  });
});

describe('the journal and the settings', () => {
  test('[AD-01][X-03] the journal says who did what, and leads to the thing itself', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Journal');
    await page.getByRole('button', { name: 'Demande refusée' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Demande refusée' });
    await expectPage(panel.getByText('Claire Fontaine')).toBeVisible();
    await expectPage(panel.getByText('Coordonnées illisibles').first()).toBeVisible();
    await panel.getByRole('button', { name: 'Voir la demande' }).click();
    await expectPage(page.getByRole('dialog').getByText('Coordonnées illisibles').first()).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[AD-11][H-01][V-06][V-07][E-04] name and logo are previewed, saved, and seen in the header', async () => {
    const { page, errors } = await open();
    await page.getByRole('button', { name: 'Paramètres' }).click();
    const dialog = page.getByRole('dialog', { name: "Paramètres de l'entreprise" });
    await dialog.getByLabel("Nom de l'entreprise").fill('   ');
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(dialog.getByText("Le nom de l'entreprise est requis")).toBeVisible();
    await dialog
      .getByLabel('Logo')
      .last()
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await expectPage(dialog.getByText('Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.')).toBeVisible();
    await dialog.getByLabel("Nom de l'entreprise").fill('Lumeo & Filles');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18"/></svg>';
    await dialog
      .getByLabel('Logo')
      .last()
      .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
    await expectPage(dialog.getByRole('img', { name: 'Logo' })).toBeVisible();
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
    const banner = page.getByRole('banner');
    await expectPage(banner.getByText('Lumeo & Filles')).toBeVisible();
    await expectPage
      .poll(() => banner.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('labels, logo, settings', () => {
  test('[FX-73] the filter of Ventes has the labels of S-05, each with its own rows alone', async () => {
    const { page } = await open();
    await openSection(page, 'Ventes');
    for (const [label, row] of [
      ['Validé par admin', /^Validé par admin$/u],
      ['À valider par admin', /^À valider par admin$/u],
      ['En attente', /^En attente$/u],
      ['Refusé', /^Refusé(?:: .+)?$/u],
    ] as const) {
      await page.getByRole('combobox', { name: 'Filtrer par statut' }).click();
      await page.getByRole('option', { name: label, exact: true }).click();
      const table = page.getByRole('table', { name: 'Toutes les ventes' });
      await expectPage
        .poll(async () => {
          const labels = await table.locator('tbody tr td:nth-child(5)').allInnerTexts();
          return labels.length > 0 && labels.every((text) => row.test(text.trim()));
        }, label)
        .toBe(true);
    }
    await page.context().close();
  });

  test('[FX-72][V-07] a blank name keeps nothing: the logo chosen with it is saved, the name in place stays', async () => {
    const [settings] = await asAdmin<{ company_name: string }>('company_settings?select=company_name');
    const name = settings?.company_name ?? '';
    const { page } = await open();
    const banner = page.getByRole('banner');
    await expectPage(banner.getByText(name, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Paramètres' }).click();
    const dialog = page.getByRole('dialog', { name: "Paramètres de l'entreprise" });
    await dialog.getByLabel("Nom de l'entreprise").fill('   ');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="20"/></svg>';
    await dialog
      .getByLabel('Logo')
      .last()
      .setInputFiles({ name: 'blanc.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
    await dialog.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(page.getByText('Paramètres enregistrés')).toBeVisible();
    await expectPage(banner.getByText(name, { exact: true })).toBeVisible();
    await expectPage(banner.locator('img')).toBeVisible();
    await page.context().close();
  });

  test('[FX-68] an answer 502, 503 or 504 is asked for again, and the list comes without a word', async () => {
    for (const status of [502, 503, 504]) {
      let refused = 0;
      const { page } = await open({
        prepare: async (fresh) => {
          await fresh.route('**/rest/v1/sales?**', async (route) => {
            refused += 1;
            if (refused > 1) return route.fallback();
            return route.fulfill({ status, contentType: 'text/html', body: '<html>Bad gateway</html>' });
          });
        },
      });
      await openSection(page, 'Ventes');
      await expectPage(
        page.getByRole('table', { name: 'Toutes les ventes' }).locator('tbody tr td').first(),
      ).toBeVisible();
      await expectPage(page.getByRole('button', { name: 'Réessayer' })).toHaveCount(0);
      expect(refused).toBeGreaterThan(1);
      await page.context().close();
    }
  });

  test('[FX-74] the admin has a Profil like the others, with name, telephone and password', async () => {
    const { page } = await open();
    await openSection(page, 'Profil');
    for (const label of ['Nom complet', 'Téléphone']) await expectPage(page.getByLabel(label).first()).toBeEditable();
    await expectPage(page.getByRole('heading', { name: 'Mot de passe' })).toBeVisible();
    await page.context().close();
  });

  test('[FX-60] the logo shows under another name than the server’s own', async () => {
    const { hostname, port } = new URL(server.origin());
    const other = hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const session = await signIn(demoEmails.admin);
    const stored = { ...session, token_type: 'bearer', expires_at: Math.floor(Date.now() / 1000) + 3600 };
    const { page, errors } = await openUrl(`http://${other}:${port}/admin/dashboard`, {
      prepare: async (fresh) => {
        await fresh.addInitScript((text) => localStorage.setItem('parrain-session', text), JSON.stringify(stored));
      },
    });
    const logo = page.getByRole('banner').locator('img');
    await expectPage.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('everywhere', () => {
  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    '[AD-01] no accessibility rule is broken in any section (%s, %d px)',
    async (colorScheme, width) => {
      const { page } = await open({ colorScheme, viewport: { width, height: 800 } });
      for (const name of [
        'Commerciaux',
        'Clients',
        'Ventes',
        'Commissions',
        'Validations',
        'Paiement',
        'Journal',
        'Vue',
      ]) {
        const menu = page.getByRole('navigation', { name: 'Sections' }).filter({ visible: true });
        await menu.getByRole('button', { name: new RegExp(name, 'u') }).click();
        await page.getByRole('main').locator('h2').waitFor();
        await page.waitForLoadState('networkidle');
        expect(await brokenRules(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      }
      await page.context().close();
    },
    120_000,
  );

  test('[E-05] a list that cannot be read says so, never looks empty, and offers « Réessayer »', async () => {
    const { page } = await open();
    await page.route('**/rest/v1/sales**', (route) =>
      route.fulfill({ status: 400, json: { message: 'non', code: 'X' } }),
    );
    await openSection(page, 'Validations');
    await expectPage(page.getByText('Le chargement a échoué')).toBeVisible();
    await expectPage(page.getByText('Aucun contrat à valider')).toBeHidden();
    await page.unroute('**/rest/v1/sales**');
    await page.getByRole('button', { name: 'Réessayer' }).click();
    await expectPage(page.getByRole('table')).toBeVisible();
    await page.context().close();
  });

  test('[AD-02][AD-09][AD-10][P-05] « clean database » names what goes, asks for the company, reloads, and leaves exact empty texts', async () => {
    const { page, errors } = await open();
    await page.getByRole('button', { name: 'clean database' }).first().click();
    const dialog = page.getByRole('alertdialog');
    const [{ count } = { count: 0 }] = await asAdmin<{ count: number }>(
      'profiles?select=id&is_test=is.true&role=eq.client',
    ).then((rows) => [{ count: rows.length }]);
    await expectPage(dialog.locator('div', { has: page.getByText('Clients', { exact: true }) }).last()).toContainText(
      String(count),
    );
    await expectPage(dialog.getByRole('button', { name: 'Supprimer les données de test' })).toBeDisabled();
    await expectPage(dialog.getByLabel('Votre mot de passe')).toHaveCount(0);
    const [company] = await asAdmin<{ company_name: string }>('company_settings?select=company_name');
    const name = company?.company_name ?? '';
    await dialog.getByLabel(/Pour confirmer/u).fill(name);
    const sending = page.waitForRequest(
      (request) => request.url().endsWith('/clean-database') && request.postData() !== null,
    );
    await dialog.getByRole('button', { name: 'Supprimer les données de test' }).click();
    expect((await sending).postDataJSON()).toEqual({ confirmation: name });
    // [FX-01] The demo's password is public: another comes first.
    await page.getByLabel('Nouveau mot de passe').fill('Lumeo-Pour-De-Bon-9');
    await page.getByLabel('Confirmer le mot de passe').fill('Lumeo-Pour-De-Bon-9');
    await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
    expect(await figure(page, 'Ventes validées')).toBe('0');
    for (const [section, words] of [
      ['Validations', 'Aucun contrat à valider'],
      ['Demandes de Paiement', 'Aucune demande de paiement'],
      ['Ventes', 'Aucune vente pour le moment'],
      ['Commerciaux', 'Aucun commercial pour le moment'],
    ] as const) {
      await openSection(page, section);
      await expectPage(page.getByText(words, { exact: true })).toBeVisible();
    }
    // The browser notes each answer that sends the page to the choice of a password.
    expect(errors.filter((error) => !error.includes('403'))).toEqual([]);
    await page.context().close();
  });
});

beforeAll(async () => {
  expect((await figures()).validated_sales).toBeGreaterThan(0);
}, 60_000);
