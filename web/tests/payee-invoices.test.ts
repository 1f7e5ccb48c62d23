import { beforeAll, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// AC-04, on a server of its own: papers are on, and the demo's client is a company without a mandate.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());
const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const pdf = (text: string): string => `%PDF-1.7\n1 0 obj\n(${text})\nendobj\nstartxref\n9\n%%EOF\n`;
const invoice = { name: 'facture-bois.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf('facture')) };

beforeAll(async () => {
  await act(demoEmails.admin, 'papers?action=update_company', {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat',
    ...address,
    siren: '732829320',
    vat_number: 'FR44732829320',
  });
  const [client] = await read<{ id: string }>(demoEmails.client, 'profiles?select=id&role=eq.client');
  const seller = { payee_id: client?.id, status: 'societe', legal_name: 'Bois SARL', ...address, siren: '552100554' };
  await act(demoEmails.client, 'papers?action=update_payee', { ...seller, charges_vat: false, vat_number: null });
  await act(demoEmails.client, 'payment-request?action=create', {
    amount: '50.03',
    payment_method: 'virement',
    payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Bois SARL' },
  });
});

test('[AC-04] a business without a mandate joins its invoice to its transfer; what is wrong is said beside its field', async () => {
  const { page, errors } = await openAs('client', demoEmails.client, { viewport: { width: 360, height: 740 } });
  await openSection(page, 'Demandes de Paiement');
  await page.getByRole('button', { name: 'Joindre ma facture' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Joindre ma facture' });
  await expectPage(dialog.getByLabel('Montant hors taxe')).toHaveValue('50,03');
  await expectPage(dialog.getByLabel('Total')).toHaveValue('50,03');
  expect(await brokenRules(page)).toEqual([]);
  await expectNoOverflow(page);
  await dialog.getByLabel('TVA').fill('10,01');
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  for (const said of ['Joignez la facture en PDF', 'Indiquez le numéro de la facture', 'ne pas facturer la TVA'])
    await expectPage(dialog).toContainText(said);
  await dialog.getByLabel('TVA').fill('0');
  await dialog.getByLabel('Numéro de la facture').fill('FA-2026/118'.padEnd(40, '0'));
  await dialog.locator('input[type=file]').setInputFiles({ ...invoice, buffer: Buffer.from('<html></html>') });
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  // The server looks at the content.
  await expectPage(dialog).toContainText('Joignez la facture en PDF, de 5 Mo au plus.');
  await dialog.locator('input[type=file]').setInputFiles({ ...invoice, buffer: Buffer.from('%PDF-1.7 facture') });
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  await expectPage(dialog).toContainText('Ce PDF est vide ou abîmé');
  await dialog.locator('input[type=file]').setInputFiles(invoice);
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(page.getByText('L’entreprise vérifie votre facture avant de vous payer.')).toBeVisible();
  await expectPage(page.getByRole('button', { name: 'Remplacer ma facture' })).toBeVisible();
  // A number of forty signs is written on as many lines as it takes.
  const number = page.getByRole('button', { name: /Facture n° FA-2026\/1180/u });
  const box = await number.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
  await expectNoOverflow(page);
  // A refusal of the browser's own request is written to its console.
  expect(errors.filter((error) => !error.includes('400'))).toEqual([]);
  await page.context().close();
});

test('[AC-04] the admin reads it beside the request before the payment, refuses it with a reason or accepts it', async () => {
  const sent = async (number: string): Promise<string> => {
    const [request] = await read<{ id: string }>(
      demoEmails.client,
      'payment_requests?select=id&status=eq.pending&payment_method=eq.virement&amount=eq.50.03',
    );
    const id = request?.id ?? '';
    const { page } = await openAs('client', demoEmails.client);
    await page.evaluate(
      async ([of, as, file]) => {
        const session = JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { access_token: string };
        const { publishableKey } = (await (await fetch('/config.json')).json()) as { publishableKey: string };
        const form = new FormData();
        const day = new Date().toISOString().slice(0, 10);
        const fields = { request_id: of, number: as, day, amount: '50.03', vat: '0', total: '50.03', name: 'f.pdf' };
        for (const [name, value] of Object.entries(fields)) form.set(name, value ?? '');
        form.set('file', new File([file ?? ''], 'f.pdf'));
        await fetch('/functions/v1/payment-request?action=send_invoice', {
          method: 'POST',
          headers: { apikey: publishableKey, authorization: `Bearer ${session.access_token}` },
          body: form,
        });
      },
      [id, number, pdf(number)],
    );
    await page.context().close();
    return id;
  };
  const id = await sent('FA-1');
  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.origin()}/admin/dashboard?section=demandes-de-paiement&demande=${id}`);
  const panel = page.getByRole('dialog').first();
  await expectPage(panel.getByText('Sa facture attend : acceptez-la ou refusez-la avant de payer.')).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Facture n° FA-1' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('f.pdf');
  expect(await brokenRules(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Refuser la facture' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Refuser la facture' }).click();
  await expectPage(dialog).toContainText('Veuillez indiquer la raison du refus');
  await dialog.getByLabel('Raison du refus').fill('Le SIRET manque.');
  await dialog.getByRole('button', { name: 'Refuser la facture' }).click();
  await expectPage(panel.getByText('Le SIRET manque.').first()).toBeVisible();
  await sent('FA-2');
  await page.reload();
  await panel.getByRole('button', { name: 'Accepter la facture' }).click();
  await expectPage(panel.getByText('Acceptée', { exact: true })).toBeVisible();
  await expectPage(panel.getByText('Sa facture attend')).toHaveCount(0);
  await expectNoOverflow(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[AC-04] a commercial in business sends the invoice of the month that is due from their phone; the admin reads and accepts it, and the month has its tax', async () => {
  const [person] = await read<{ id: string; full_name: string }>(
    demoEmails.commercial,
    'profiles?select=id,full_name&role=eq.commercial',
  );
  const details = { payee_id: person?.id, status: 'societe', legal_name: 'Chêne SARL', ...address, siren: '404833048' };
  await act(demoEmails.commercial, 'papers?action=update_payee', {
    ...details,
    charges_vat: true,
    vat_number: 'FR83404833048',
  });
  await act(demoEmails.admin, 'papers?action=accept_vat', { payee_id: person?.id, vat_number: 'FR83404833048' });
  const phone = await openAs('commercial', demoEmails.commercial, { viewport: { width: 360, height: 740 } });
  await openSection(phone.page, 'Mon compte');
  await phone.page.getByRole('button', { name: 'Joindre ma facture' }).click();
  const dialog = phone.page.getByRole('dialog', { name: 'Joindre ma facture' });
  await expectPage(dialog).toContainText('Ces montants sont ceux de votre mois');
  await dialog.getByLabel('Numéro de la facture').fill('M-2026/10');
  await dialog.locator('input[type=file]').setInputFiles({ ...invoice, buffer: Buffer.from(pdf('du mois')) });
  await expectNoOverflow(phone.page);
  expect(await brokenRules(phone.page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(phone.page.getByText('L’entreprise vérifie votre facture avant de vous payer.')).toBeVisible();
  await expectNoOverflow(phone.page);
  expect(await brokenRules(phone.page)).toEqual([]);

  const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.origin()}/admin/dashboard?section=commissions-des-commerciaux`);
  const row = page.getByRole('row').filter({ hasText: person?.full_name ?? '' });
  await expectPage(row.getByRole('button', { name: /^Facture à vérifier/u })).toBeVisible();
  // It is looked at first.
  await expectPage(row.getByRole('button', { name: /^Marquer payé/u })).toHaveCount(0);
  await row.getByRole('button', { name: /^Facture à vérifier/u }).click();
  const panel = page.getByRole('dialog');
  await expectPage(panel.getByText('TVA 20 %')).toBeVisible();
  expect(await brokenRules(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Accepter la facture' }).click();
  await expectPage(panel.getByText('Acceptée', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expectPage(row.getByRole('button', { name: /^Facture acceptée/u })).toBeVisible();
  await row.getByRole('button', { name: /^Marquer payé/u }).click();
  const payment = page.getByRole('alertdialog');
  await expectPage(payment).toContainText('de TVA, à verser en plus des commissions.');
  await payment.getByRole('button', { name: 'Marquer payé' }).click();
  await expectPage(payment).toBeHidden();
  await phone.page.reload();
  await expectPage(phone.page.getByText('Votre facture est acceptée.')).toBeVisible();
  expect([...errors, ...phone.errors]).toEqual([]);
  await page.context().close();
  await phone.page.context().close();
});
