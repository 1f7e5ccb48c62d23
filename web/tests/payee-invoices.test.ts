import { beforeAll, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// AC-04, on a server of its own: papers are on, and the demo's client is a company without a mandate.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());
const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const invoice = { name: 'facture-bois.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 facture') };

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
  await dialog.getByLabel('Numéro de la facture').fill('FA-2026/118');
  await dialog.locator('input[type=file]').setInputFiles({ ...invoice, buffer: Buffer.from('<html></html>') });
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  // The server looks at the content.
  await expectPage(dialog).toContainText('Joignez la facture en PDF, de 5 Mo au plus.');
  await dialog.locator('input[type=file]').setInputFiles(invoice);
  await dialog.getByRole('button', { name: 'Envoyer la facture' }).click();
  await expectPage(dialog).toBeHidden();
  await expectPage(page.getByText('L’entreprise vérifie votre facture avant de vous payer.')).toBeVisible();
  await expectPage(page.getByRole('button', { name: 'Remplacer ma facture' })).toBeVisible();
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
      async ([of, as]) => {
        const session = JSON.parse(localStorage.getItem('parrain-session') ?? '{}') as { access_token: string };
        const { publishableKey } = (await (await fetch('/config.json')).json()) as { publishableKey: string };
        const form = new FormData();
        const day = new Date().toISOString().slice(0, 10);
        const fields = { request_id: of, number: as, day, amount: '50.03', vat: '0', total: '50.03', name: 'f.pdf' };
        for (const [name, value] of Object.entries(fields)) form.set(name, value ?? '');
        form.set('file', new File(['%PDF-1.7 facture'], 'f.pdf'));
        await fetch('/functions/v1/payment-request?action=send_invoice', {
          method: 'POST',
          headers: { apikey: publishableKey, authorization: `Bearer ${session.access_token}` },
          body: form,
        });
      },
      [id, number],
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
