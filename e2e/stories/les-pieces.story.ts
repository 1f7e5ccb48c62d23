import { readPdf } from '@parrain/server/read-pdf';
import type { Page } from '@playwright/test';
import type { SupabaseClient } from '@supabase/supabase-js';
import { readFile } from 'node:fs/promises';

import { expect, openSection, signIn, temporaryPasswordOf, test } from '../support/company.ts';
import { officialClients } from '../support/official-clients.ts';

const PASSWORD = 'Une-pièce-pour-chacun-2026';
const DEMO_PASSWORD = 'Demo-Parrain-2026';
const AMOUNT = /[\d\s]+,\d\d\s€/u;
const ADDRESS = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };

type Payee = {
  readonly status: string;
  /** Null where papers name nobody: who is employed. */
  readonly name: string | null;
  /** Of the form, beside name and address. */
  readonly fields: Readonly<Record<string, string>>;
  readonly chargesVat?: boolean;
  /** Asked for on screen, as a transfer, which says the VAT before it is sent. */
  readonly isTransfer?: boolean;
  readonly paper: 'Reçu' | 'Autofacture' | null;
  readonly said: readonly string[];
};

/** Fields that the law asks of a company's papers (AC-07). */
const SOCIETY = { 'Forme juridique': 'SARL', 'Capital social': '20 000', 'Greffe du RCS': 'Rennes' };

const PAYEES: readonly (Payee & { readonly name: string })[] = [
  {
    status: 'Particulier',
    name: 'Éloïse Lefèvre',
    fields: {},
    paper: 'Reçu',
    said: ['Statut : Particulier', 'Total payé 123,46 €', 'déclare cette somme avec ses revenus'],
  },
  {
    status: 'Micro-entrepreneur',
    name: 'Noé Petit',
    fields: { SIREN: '552 100 554', SIRET: '552 100 554 00005' },
    paper: 'Autofacture',
    said: [
      'Autofacturation : facture établie par Lumeo Habitat au nom et pour le compte de Noé Petit EI',
      'Total HT 123,46 €',
      'TVA non applicable, art. 293 B du CGI 0,00 €',
      'Total à payer 123,46 €',
      'Reste à payer 0,00 €',
    ],
  },
  {
    status: 'Société',
    name: 'Atelier Mercier SAS',
    fields: { SIREN: '542 051 180', SIRET: '542 051 180 00009', ...SOCIETY, 'Numéro de TVA': 'FR59542051180' },
    chargesVat: true,
    paper: 'Reçu',
    said: [
      'SARL au capital de 20 000 €, RCS Rennes 542 051 180',
      'Numéro de TVA : FR59542051180',
      'Total payé 123,46 €',
      'la facture du bénéficiaire, qui porte la TVA',
    ],
  },
  {
    status: 'Société',
    name: 'Roux Conseil SARL',
    fields: { SIREN: '412 345 670', SIRET: '412 345 670 00001', ...SOCIETY, 'Numéro de TVA': 'FR96412345670' },
    chargesVat: true,
    isTransfer: true,
    paper: 'Autofacture',
    said: [
      'Autofacturation : facture établie par Lumeo Habitat au nom et pour le compte de Roux Conseil SARL',
      'Numéro de TVA : FR96412345670',
      'Numéro de TVA : FR44732829320',
      'Total HT 123,46 €',
      'TVA 20 % 24,69 €',
      'Total à payer TTC 148,15 €',
      'Reste à payer 0,00 €',
    ],
  },
  {
    status: 'Association',
    name: 'Les Amis du Lac',
    fields: { 'Numéro au répertoire (RNA)': 'W751000001' },
    paper: 'Reçu',
    said: ['Numéro au répertoire national des associations : W751000001', 'Total payé 123,46 €'],
  },
];

test('[PP-01, PP-02, PP-05] one payee of each status, from the first commission to the paper that they open', async ({
  company,
}) => {
  const { enter, call } = await officialClients(company, PASSWORD);
  const admin = await enter(company.admin.email, company.admin.temporaryPassword);
  await call(admin, 'commission-management?action=create_commission_rate', {
    name: 'Standard',
    description: null,
    client_commission_type: 'percentage',
    client_commission_amount: 10,
    commercial_commission_type: 'fixed',
    commercial_commission_amount: 50,
  });
  await call(admin, 'papers?action=update_company', {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat',
    ...ADDRESS,
    siren: '732829320',
    vat_number: 'FR44732829320',
  });
  await call(admin, 'invite-commercial', { name: 'Hugo', email: 'hugo@pieces.example' });
  const commercial = await enter('hugo@pieces.example', await temporaryPasswordOf(company, 'hugo@pieces.example'));

  for (const [index, payee] of PAYEES.entries()) {
    await test.step(`${payee.status}: ${payee.paper}`, async () => {
      const email = `payee${index}@pieces.example`;
      await call(commercial, 'invite-client', { name: payee.name, email, phone: null, company: null, notes: null });
      const client = await enter(email, await temporaryPasswordOf(company, email));
      await earned(client, `ami${index}@pieces.example`);

      const { page, errors } = await company.openWindow();
      page.setDefaultTimeout(120_000);
      await signIn(page, email, PASSWORD);
      await page.waitForURL('**/client/dashboard');
      await openSection(page, 'Documents');
      await complete(page, payee);
      if (payee.isTransfer === true) {
        await acceptVat(email, payee);
        await page.reload();
        await askedWithVat(page);
      }
      await paid(client, payee.isTransfer === true);
      await openSection(page, 'Documents');
      await page.reload();
      await opened(page, payee, [payee.name, 'Lumeo Habitat', ADDRESS.street]);
      expect(errors).toEqual([]);
      await page.context().close();
    });
  }

  /** DF-23: the admin accepts the VAT that a payee declares. */
  async function acceptVat(email: string, { fields }: Payee): Promise<void> {
    const { data: payee } = await admin.from('profiles').select('id').eq('email', email).single();
    await call(admin, 'papers?action=accept_vat', { payee_id: payee?.id, vat_number: fields['Numéro de TVA'] });
  }

  /** A friend, a contract of 1 234,56 €, its validation: a commission of 123,46 €. */
  async function earned(client: SupabaseClient, friend: string): Promise<void> {
    await call(client, 'send-invitation-email', { name: 'Paul', email: friend, phone: '', personalMessage: '' });
    const { data: found } = await admin.from('sales').select('id').eq('referred_contact_email', friend).single();
    for (const status of ['contacted', 'in_negotiation', 'pending_final_validation']) {
      await call(commercial, 'sales-management', {
        action: 'update_status',
        sale_id: found?.id,
        status,
        ...(status === 'pending_final_validation' ? { contract_amount: 1234.56, contract_description: 'Toiture' } : {}),
      });
    }
    const { data: seen } = await admin.from('sales').select('*').eq('id', found?.id).single();
    await call(admin, 'sales-management', {
      action: 'validate',
      sale_id: seen?.id,
      seen_version: seen?.version,
      expected_contract_amount: seen?.contract_amount,
      expected_client_commission_amount: seen?.client_commission_amount,
      expected_commercial_commission_amount: seen?.commercial_commission_amount,
    });
  }

  /** The request that is there, or one that is made here, approved and paid. */
  async function paid(client: SupabaseClient, isAsked: boolean): Promise<void> {
    if (!isAsked) {
      await call(client, 'payment-request', { action: 'create', amount: '123.46', payment_method: 'remise_societe' });
    }
    const { data: made } = await client.from('payment_requests').select('id').single();
    for (const status of ['approved', 'paid']) {
      const { data: seen } = await admin.from('payment_requests').select('version,total').eq('id', made?.id).single();
      await call(admin, 'payment-request?action=update_status', {
        request_id: made?.id,
        status,
        admin_notes: null,
        seen_version: seen?.version,
        expected_amount: seen?.total,
      });
    }
  }
});

const COMMERCIALS: readonly (Payee & { readonly email: string; readonly seen: string })[] = [
  {
    email: 'commercial@demo.example',
    seen: 'Julien Mercier',
    status: 'Agent commercial',
    name: 'Julien Mercier',
    fields: { SIREN: '443 061 841', SIRET: '443 061 841 00005', 'Greffe du RSAC': 'Rennes' },
    paper: 'Autofacture',
    said: [
      'Autofacturation : facture établie par Lumeo Habitat SARL au nom et pour le compte de Julien Mercier EI',
      'Commission, contrat CTR-',
      'RSAC Rennes 443 061 841',
      'TVA non applicable, art. 293 B du CGI 0,00 €',
      'Reste à payer 0,00 €',
    ],
  },
  {
    email: 'karim.benali@demo.example',
    seen: 'Karim Benali',
    status: 'Société',
    name: 'Benali Conseil SAS',
    fields: { SIREN: '542 051 180', SIRET: '542 051 180 00009', ...SOCIETY, 'Numéro de TVA': 'FR59542051180' },
    chargesVat: true,
    paper: 'Autofacture',
    said: [
      'Autofacturation : facture établie par Lumeo Habitat SARL au nom et pour le compte de Benali Conseil SAS',
      'Numéro de TVA : FR59542051180',
      'TVA 20 %',
      'Reste à payer 0,00 €',
    ],
  },
  {
    email: 'amelie.roussel@demo.example',
    seen: 'Amélie Roussel',
    status: 'Salarié',
    name: null,
    fields: {},
    paper: null,
    said: [],
  },
];

test.describe('the commercials of the demo company, which has months behind it', () => {
  test.use({ environment: { DEMO: '1' } });

  test('[PP-01, PP-02, PO-05] an agent, a company and who is employed are paid their month, each with the paper that is theirs', async ({
    company,
  }) => {
    const { call, enter } = await officialClients(company, PASSWORD);
    const boss = await enter(company.admin.email, company.admin.temporaryPassword);
    await call(boss, 'papers?action=update_company', {
      issues_papers: true,
      contest_days: 15,
      legal_name: 'Lumeo Habitat SARL',
      ...ADDRESS,
      siren: '732829320',
      vat_number: '',
    });
    const admin = await company.openWindow();
    admin.page.setDefaultTimeout(120_000);
    await signIn(admin.page, 'admin@demo.example', DEMO_PASSWORD);
    await admin.page.waitForURL('**/admin/dashboard**');
    await admin.page.goto('/admin/dashboard?section=commissions-des-commerciaux');
    const months = admin.page.getByRole('table', { name: 'Commissions des commerciaux' });

    for (const commercial of COMMERCIALS) {
      await test.step(`${commercial.status}: ${commercial.paper ?? 'no paper'}`, async () => {
        const { page, errors } = await company.openWindow();
        page.setDefaultTimeout(120_000);
        await signIn(page, commercial.email, DEMO_PASSWORD);
        await page.waitForURL('**/commercial/dashboard');
        await openSection(page, 'Documents');
        await complete(page, commercial);
        if (commercial.chargesVat === true) {
          const { data: payee } = await boss.from('profiles').select('id').eq('email', commercial.email).single();
          await call(boss, 'papers?action=accept_vat', {
            payee_id: payee?.id,
            vat_number: commercial.fields['Numéro de TVA'],
          });
        }

        // The page read before the mandate has no VAT: it would be refused.
        await admin.page.reload();
        const row = months.getByRole('row').filter({ hasText: commercial.seen });
        await row.getByRole('button', { name: `Marquer payé : ${commercial.seen}` }).click();
        const asking = admin.page.getByRole('alertdialog');
        await expect(asking.getByRole('heading')).toHaveText(AMOUNT);
        const [amount = ''] = AMOUNT.exec((await asking.getByRole('heading').textContent()) ?? '') ?? [];
        await asking.getByRole('button', { name: 'Marquer payé' }).click();
        await expect(row.getByText('Payé', { exact: true })).toBeVisible();

        await page.reload();
        await expect(page.getByText(commercial.status, { exact: true })).toBeVisible();
        if (commercial.paper === null) {
          await expect(page.getByRole('table', { name: 'Relevés de compte' })).toBeVisible();
          await expect(page.getByRole('table', { name: 'Pièces de paiement' })).toHaveCount(0);
        } else {
          const sum = amount.replaceAll(/\s+/gu, ' ').trim();
          await opened(page, commercial, [
            commercial.name ?? '',
            ADDRESS.street,
            `Total à payer ${commercial.chargesVat === true ? 'TTC ' : ''}${sum}`,
          ]);
        }
        expect(errors).toEqual([]);
        await page.context().close();
      });
    }

    await test.step('the payroll takes the month', async () => {
      const exporter = admin.page.getByRole('button', { name: 'Exporter : Commissions des commerciaux' });
      await admin.page
        .locator('div')
        .filter({ has: months })
        .filter({ has: exporter })
        .last()
        .locator(exporter)
        .click();
      const [download] = await Promise.all([
        admin.page.waitForEvent('download'),
        admin.page.getByRole('menuitem', { name: /CSV/u }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(
        lines.filter((line) => line.includes('amelie.roussel@demo.example') && line.includes(';Payé;')),
      ).toHaveLength(1);
      expect(admin.errors).toEqual([]);
    });
  });
});

/** A transfer asked for on screen by who charges VAT: what they receive in all is said before the request is sent, and after. */
async function askedWithVat(page: Page): Promise<void> {
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
  const form = page.getByRole('dialog', { name: 'Nouvelle demande de paiement' });
  await form.getByLabel('Montant').fill('123,46');
  await expect(form.getByText('TVA 20 %')).toBeVisible();
  await expect(form.getByText('148,15 €')).toBeVisible();
  await form.getByLabel('IBAN').fill('FR76 3000 6000 0112 3456 7890 189');
  await form.getByRole('button', { name: 'Envoyer la demande' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByText('+ 24,69 € de TVA (20 %), 148,15 € en tout').first()).toBeVisible();
}

/** Downloads the paper of the page, and reads in it what it has to say. */
async function opened(page: Page, { paper, said, chargesVat }: Payee, names: readonly string[]): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^PDF : T?[RF][\d-]/u }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^${paper} T?[RF][\\d-]+-0{3}\\d\\.pdf$`, 'u'));
  const pdf = await readPdf(await readFile(await download.path()));
  expect(pdf).toMatchObject({ pdfaPart: '3', pdfaConformance: 'A', lang: 'fr-FR', isMarked: true });
  expect(pdf.tags).toEqual(expect.arrayContaining(['H1', 'H2', 'Table', 'TH', 'TD']));
  const text = pdf.text.replaceAll(/\s+/gu, ' ');
  for (const words of [...names, ...said]) expect(text).toContain(words);
  expect(pdf.attachments.map(({ name }) => name)).toEqual(paper === 'Autofacture' ? ['factur-x.xml'] : []);
  const category = chargesVat === true ? 'S' : 'E';
  for (const { content } of pdf.attachments) expect(content).toContain(`<ram:CategoryCode>${category}<`);
}

/** Fills in the payee's legal details on screen, and signs the mandate where an invoice is to be written for them. */
async function complete(page: Page, { status, name, fields, chargesVat, paper }: Payee): Promise<void> {
  await page.getByRole('button', { name: 'Compléter les informations' }).click();
  const form = page.getByRole('dialog', { name: 'Informations légales' });
  await form.getByRole('radio', { name: new RegExp(`^${status}`, 'u') }).check();
  if (name !== null) {
    if (/^(?:Société|Association)/u.test(status)) await form.getByLabel('Nom légal').fill(name);
    else {
      const [firstName = '', ...lastNames] = name.split(' ');
      await form.getByLabel('Prénom', { exact: true }).fill(firstName);
      await form.getByLabel('Nom', { exact: true }).fill(lastNames.join(' '));
    }
    await form.getByLabel('Numéro et rue').fill(ADDRESS.street);
    await form.getByLabel('Code postal').fill(ADDRESS.postal_code);
    await form.getByLabel('Ville').fill(ADDRESS.city);
  }
  if (chargesVat === true) await form.getByLabel('Je facture la TVA').check();
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value);
  await form.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(form).toBeHidden();
  if (paper !== 'Autofacture') return;
  await page.getByRole('button', { name: 'Lire et accepter le mandat' }).click();
  const mandate = page.getByRole('dialog', { name: 'Mandat d’autofacturation' });
  await mandate.getByLabel('J’ai lu ce mandat et je l’accepte').check();
  await mandate.getByRole('button', { name: 'Accepter le mandat' }).click();
  await expect(page.getByText(/^Mandat accepté le /u)).toBeVisible();
}
