import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, pickSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// A payee abroad (AC-08), on the real server. The money: database/tests/payees-abroad.test.ts.

const server = realServer();
const { act, decide, openAs, read } = dashboards(server.origin, chromiumPages());

const company = (vatNumber: string) =>
  act(demoEmails.admin, 'papers', {
    action: 'update_company',
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat SARL',
    street: '12 rue des Lilas',
    postal_code: '35000',
    city: 'Rennes',
    siren: '732829320',
    vat_number: vatNumber,
  });

test('[AC-08] a client in Belgium is told in the form why they cannot be paid, then what to invoice; the admin reads the same', async () => {
  await company('');
  const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
  await pickSection(page, 'Documents');
  await page.getByRole('button', { name: 'Compléter les informations' }).click();
  const form = page.getByRole('dialog', { name: 'Informations légales' });
  await form.getByRole('radio', { name: 'Micro-entrepreneur' }).check();
  await form.getByRole('combobox', { name: 'Pays' }).click();
  await page.getByRole('option', { name: 'Belgique' }).click();
  await expectPage(form.getByRole('radio')).toHaveCount(2);
  await expectPage(form.getByRole('radio', { checked: true })).toHaveCount(0);
  await form.getByRole('radio', { name: 'Entreprise' }).check();
  await expectPage(form).toContainText('elle doit le demander (article 286 ter du CGI)');
  await expectPage(form.getByLabel('SIREN')).toHaveCount(0);
  await form.getByLabel('Nom légal').fill('Bois SRL');
  await form.getByLabel('Numéro et rue').fill('Rue de la Loi 1');
  await form.getByLabel('Code postal').fill('1000');
  await form.getByLabel('Ville').fill('Bruxelles');
  await form.getByLabel('Numéro de TVA intracommunautaire').fill('BE12');
  await form.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(form.getByText('Indiquez un numéro de TVA de ce pays : BE, puis le numéro.')).toBeVisible();
  await form.getByLabel('Numéro de TVA intracommunautaire').fill('BE 0203.201.340');
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await form.getByRole('button', { name: 'Enregistrer' }).click();
  const known = page.getByRole('region', { name: 'Informations légales' });
  await expectPage(known).toContainText('Rue de la Loi 1, 1000 Bruxelles, Belgique');
  await expectPage(known).toContainText('L’entreprise ne peut pas encore vous payer');

  await company('FR44732829320');
  await page.reload();
  await expectPage(known).toContainText('le numéro de TVA de l’entreprise, FR44732829320');
  await expectPage(known).not.toContainText('Autofacturation');
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  await page.context().close();

  const [{ id } = { id: '' }] = await read<{ id: string }>(
    demoEmails.admin,
    `profiles?select=id&email=eq.${demoEmails.client}`,
  );
  const admin = await openAs('admin', demoEmails.admin);
  await admin.page.goto(`${server.origin()}/admin/dashboard?section=clients&client=${id}`);
  const seen = admin.page.getByRole('region', { name: 'Informations légales' });
  await expectPage(seen).toContainText('autoliquidation, article 283-2 du CGI');
  await expectPage(seen).toContainText('BE0203201340');
  expect(await brokenRules(admin.page)).toEqual([]);
  // AC-10: what the declaration says of them is read whole.
  const [{ entry_id: entryId } = { entry_id: 0 }] = await read<{ entry_id: number }>(
    demoEmails.client,
    'account_lines?select=entry_id&order=entry_id&limit=1',
  );
  const { data: dispute } = await act<{ data: { id: string; version: number } }>(demoEmails.client, 'disputes', {
    action: 'open',
    entry_id: String(entryId),
    message: 'Il manque une prime.',
  });
  await act(demoEmails.admin, 'disputes', {
    action: 'close',
    dispute_id: dispute.id,
    message: 'La voici.',
    seen_version: dispute.version,
    direction: 'more',
    amount: '3000',
  });
  await act(demoEmails.client, 'payment-request', {
    action: 'create',
    amount: '2500',
    payment_method: 'cheque_cadeau',
    payment_details: { gift_card_type: 'amazon' },
  });
  const [request] = await read<{ id: string }>(
    demoEmails.client,
    'payment_requests?select=id&amount=eq.2500&status=eq.pending&limit=1',
  );
  for (const status of ['approved', 'paid']) {
    await decide('payment-request', { action: 'update_status', request_id: request?.id, status });
  }
  for (const width of [1280, 360]) {
    await admin.page.setViewportSize({ width, height: 800 });
    await admin.page.goto(`${server.origin()}/admin/dashboard?section=comptabilite`);
    const remark = admin.page
      .getByText('peut être due, à vérifier avec votre expert-comptable', { exact: false })
      .first();
    await remark.scrollIntoViewIfNeeded();
    await expectPage(remark).toBeVisible();
    expect(
      await remark.evaluate(
        ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
          scrollHeight - clientHeight <= 1 && scrollWidth - clientWidth <= 1,
      ),
    ).toBe(true);
    await expectNoOverflow(admin.page);
  }
  expect(admin.errors).toEqual([]);
  await admin.page.context().close();
});

test('[AC-08] a business of Monaco says on a phone that it charges French VAT, by its number, which an admin is to accept', async () => {
  await company('FR44732829320');
  const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 800 } });
  await pickSection(page, 'Documents');
  await page.getByRole('region', { name: 'Informations légales' }).getByRole('button', { name: 'Modifier' }).click();
  const form = page.getByRole('dialog', { name: 'Informations légales' });
  await form.getByRole('combobox', { name: 'Pays' }).click();
  await page.getByRole('option', { name: 'Monaco' }).click();
  await form.getByLabel('Code postal').fill('98000');
  await form.getByLabel('Ville').fill('Monaco');
  await form.getByLabel('Numéro d’immatriculation').fill('07S04528');
  await form.getByLabel('Je facture la TVA').check();
  await form.getByLabel('Numéro de TVA').fill('FR91000012345');
  await form.getByRole('button', { name: 'Enregistrer' }).click();
  await expectPage(
    form.getByText('Ce numéro de TVA n’est pas celui d’une entreprise de Monaco', { exact: false }),
  ).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await form.getByLabel('Numéro de TVA').fill('FR 90 000 012 345');
  await form.getByRole('button', { name: 'Enregistrer' }).click();
  const known = page.getByRole('region', { name: 'Informations légales' });
  await expectPage(known).toContainText('FR90000012345');
  await expectPage(known).toContainText('Pas encore');
  expect(errors).toEqual([]);
  await page.context().close();
});
