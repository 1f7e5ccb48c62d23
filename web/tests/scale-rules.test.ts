import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, expectText, mailName, openSection, plain } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// A scale with steps, from its form to « Pourquoi ? » (SC-02): the real server without mail, the real pages.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

interface SaleRow {
  id: string;
  version: number;
  client_commission_amount: number;
}

async function contractToValidate(name: string, amount: number): Promise<SaleRow> {
  await act(demoEmails.client, 'send-invitation-email', {
    name,
    email: `${mailName(name.split(' ')[0] ?? '')}@exemple.fr`,
  });
  const wanted = `sales?select=id,version&referred_contact_name=eq.${encodeURIComponent(name)}`;
  const [sale] = await read<SaleRow>(demoEmails.admin, wanted);
  await act(demoEmails.commercial, 'sales-management', {
    action: 'update_status',
    sale_id: sale?.id,
    status: 'pending_final_validation',
    contract_amount: amount,
    contract_description: 'Toiture complète',
  });
  const [changed] = await read<SaleRow>(demoEmails.admin, wanted);
  if (!changed) throw new Error(`${name} was not invited`);
  return changed;
}

test('[SC-02] « 3 %, 4 % dès 10 000 €, plafond 2 000 € par an » is built by keyboard and read back; a contract across the step is validated, and explained', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Commissions');
  await page.getByRole('button', { name: 'Nouveau barème' }).press('Enter');
  const form = page.getByRole('dialog', { name: 'Nouveau barème' });
  const { keyboard } = page;
  await expectPage(form.getByLabel('Nom', { exact: true })).toBeFocused();
  await keyboard.type('Barème par paliers');
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await expectPage(form.getByLabel('Montant client')).toBeFocused();
  await keyboard.type('3');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  const steps = form.getByRole('combobox', { name: 'Paliers' });
  await expectPage(steps).toBeFocused();
  await keyboard.press('Enter');
  await expectPage(page.getByRole('option', { name: 'Aucun' })).toBeFocused();
  await keyboard.press('ArrowDown');
  await expectPage(page.getByRole('option', { name: 'Par tranche' })).toBeFocused();
  await keyboard.press('Enter');
  await expectPage(steps).toHaveText('Par tranche');
  // The list gives the focus back once it is closed: a key before that is the list's.
  await expectPage(steps).toBeFocused();
  await keyboard.press('Tab');
  await expectPage(form.getByLabel('Palier 2, à partir de')).toBeFocused();
  await keyboard.type('10 000');
  await keyboard.press('Tab');
  await keyboard.type('4');
  const cap = form.getByLabel('Plafond par an');
  for (let tab = 0; tab < 5; tab += 1) await keyboard.press('Tab');
  await expectPage(cap).toBeFocused();
  await keyboard.type('2 000');
  const preview = form.getByRole('region', { name: 'Aperçu' });
  await expectText(preview).toContain(
    '3 % jusqu’à 10 000 €, puis 4 % au-delà, sur les contrats de l’année ; plafond de 2 000 € par an ; sur 12 000 € : 380,00 €',
  );
  await expectPage(preview.getByRole('img', { name: /^Le client reçoit, selon le contrat/u })).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  // A step that begins no higher is told as its field is left, and is not sent.
  await form.getByRole('button', { name: 'Ajouter un palier' }).press('Enter');
  await expectPage(form.getByLabel('Palier 3, à partir de')).toBeFocused();
  await keyboard.type('9 000');
  await keyboard.press('Tab');
  await expectPage(form.getByText('Plus haut que le palier précédent.')).toBeVisible();
  await form.getByRole('button', { name: 'Retirer le palier 3' }).press('Enter');
  await expectPage(form.getByLabel('Palier 2, à partir de')).toBeFocused();
  await form.getByLabel('Montant commercial').focus();
  await keyboard.type('2');
  await keyboard.press('Enter');
  await expectPage(form).toBeHidden();
  await expectText(page.getByRole('article').filter({ hasText: 'Barème par paliers' })).toContain(
    '3 % à 4 %, plafonné',
  );

  const [scale] = await read<{ id: string }>(
    demoEmails.admin,
    `commission_rates?select=id&name=eq.${encodeURIComponent('Barème par paliers')}`,
  );
  const before = await contractToValidate('Alban Charpente', 8000);
  await act(demoEmails.admin, 'sales-management', {
    action: 'validate',
    sale_id: before.id,
    commission_rate_id: scale?.id,
    seen_version: before.version,
    expected_contract_amount: '8000.00',
    expected_client_commission_amount: '240.00',
    expected_commercial_commission_amount: '160.00',
  });
  const across = await contractToValidate('Bruno Charpente', 5000);
  await openSection(page, 'Validations');
  await page
    .getByRole('row')
    .filter({ hasText: 'Bruno Charpente' })
    .getByRole('button', { name: /^Valider/u })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Valider le contrat de Bruno Charpente ?' });
  await dialog.getByLabel('Barème').click();
  await page.getByRole('option', { name: /^Barème par paliers/u }).click();
  const receipt = dialog.getByRole('region', { name: 'Ce qui sera enregistré' });
  await expectText(receipt).toMatch(/3 % de 2 000,00 € \+ 4 % de 3 000,00 €\s+Pourquoi \?\s+180,00 €/u);
  await expectText(receipt).toMatch(/2 % de 5 000,00 € = 100,00 €/u);
  await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
  await expectPage(page.getByText('Les commissions ont été créées et sont maintenant disponibles')).toBeVisible();
  const [sale] = await read<SaleRow>(demoEmails.admin, `sales?select=client_commission_amount&id=eq.${across.id}`);
  expect(sale?.client_commission_amount).toBe(180);

  await page.goto(`${server.origin()}/admin/dashboard?section=ventes&vente=${across.id}`);
  const panel = page.getByRole('dialog', { name: 'Bruno Charpente' });
  await panel
    .getByRole('button', { name: /^Pourquoi/u })
    .first()
    .click();
  const why = page.getByRole('dialog', { name: 'Calcul retenu à la validation' });
  for (const step of ['3 % de 2 000,00 €', '60,00 €', '4 % de 3 000,00 €', '120,00 €', '180,00 €'])
    await expectText(why).toContain(step);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[SC-05] a new version is simulated on twelve months before it is published; the list of versions says what its admin knew', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  await openSection(page, 'Commissions');
  await page.getByRole('link', { name: 'Barème standard' }).click();
  const panel = page.getByRole('dialog', { name: 'Barème standard', exact: true });
  await panel.getByRole('button', { name: 'Nouvelle version' }).click();
  const form = page.getByRole('dialog', { name: 'Nouvelle version de « Barème standard »' });
  const region = form.getByRole('region', { name: 'Sur vos douze derniers mois' });
  // What publication refuses, a simulation refuses: nothing is computed.
  await form.getByLabel('Montant client').fill('0');
  await region.getByRole('button', { name: 'Simuler' }).click();
  await expectPage(form.getByLabel('Montant client')).toBeFocused();
  await expectPage(form.getByLabel('Montant client')).toHaveAttribute('aria-invalid', 'true');
  await form.getByLabel('Montant client').fill('12');
  await region.getByRole('button', { name: 'Simuler' }).click();
  const sentence = region.getByRole('status').first();
  const compared = /^[\d ]+,\d\d € au lieu de [\d ]+,\d\d € : (?<change>\+ [\d ]+,\d\d €), sur \d+ contrats\.$/u;
  await expectText(sentence).toMatch(compared);
  await region.getByRole('button', { name: 'Tableau : Commissions par mois' }).click();
  await expectPage(region.getByRole('table').getByRole('row')).toHaveCount(13);
  await expectText(region).toContain('Gagneraient moins');
  expect(await brokenRules(page)).toEqual([]);
  // What is changed afterwards is told; the version is then published without the figures of another draft.
  await form.getByLabel('Montant client').fill('11');
  await expectText(sentence).toContain('Le barème a changé depuis : simulez de nouveau.');
  await region.getByRole('button', { name: 'Simuler de nouveau' }).click();
  await expectText(sentence).not.toContain('Le barème a changé depuis');
  // While it is computed there is no sentence to read.
  await expectText(sentence).toMatch(compared);
  const change = compared.exec(plain(await sentence.innerText()))?.groups?.['change'] ?? '?';
  await form.getByRole('button', { name: 'Publier la version' }).click();
  const versions = panel.getByRole('region', { name: 'Versions' }).getByRole('listitem');
  await expectText(versions.first()).toContain(`Publiée en sachant : ${change} sur douze mois.`);
  await expectText(versions.last()).not.toContain('Publiée en sachant');
  expect(errors).toEqual([]);
  await page.context().close();
});
