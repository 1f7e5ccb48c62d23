import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Pourquoi ? » where an amount is a sum, a balance, a request or a preview (LG-05). The real server, the real pages.

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

test('[LG-05] the admin asks why of a sale’s commissions, of a sum, of a validation before it is made, of a balance and of a request', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  const answer = page.getByRole('dialog').last();
  const close = () => page.keyboard.press('Escape');
  await openSection(page, 'Ventes');
  const sales = page.getByRole('table', { name: 'Toutes les ventes' });
  await sales.getByRole('row').nth(1).waitFor();
  await sales.locator('tbody').getByRole('button', { name: 'Pourquoi' }).first().click();
  for (const part of ['Commission client', 'Commission commercial']) {
    await expectPage(answer.getByRole('heading', { name: part })).toBeVisible();
  }
  expect(await brokenRules(page)).toEqual([]);
  await close();
  await sales.locator('tfoot').getByRole('button', { name: 'Pourquoi' }).last().click();
  await expectPage(answer).toContainText(/Commission client.*Commission commercial.*Total/u);
  await close();

  const [sale] = await read<{ id: string }>(
    demoEmails.admin,
    'sales?select=id&status=eq.validated&admin_validated=is.false&friend_referrer_id=not.is.null&limit=1',
  );
  await page.goto(`${server.origin()}/admin/dashboard?section=ventes&vente=${sale?.id}`);
  await page.getByRole('button', { name: 'Valider', exact: true }).last().click();
  const preview = page.getByRole('region', { name: 'Ce qui sera enregistré' });
  await preview.getByRole('button', { name: 'Pourquoi' }).first().click();
  await expectPage(answer).toContainText('Contrat');
  await close();

  const [request] = await read<{ id: string; client_id: string }>(
    demoEmails.admin,
    'payment_requests?select=id,client_id&status=eq.pending&limit=1',
  );
  await page.goto(`${server.origin()}/admin/dashboard?section=demandes-de-paiement&demande=${request?.id}`);
  const panel = page.getByRole('dialog').first();
  await panel.getByRole('button', { name: 'Pourquoi' }).first().click();
  await expectPage(answer).toContainText(/Disponible avant la demande.*Demandé.*Disponible après/u);
  await close();

  await page.goto(`${server.origin()}/admin/dashboard?section=clients&client=${request?.client_id}`);
  const balance = page.getByRole('region', { name: 'Solde' });
  await balance.getByRole('button', { name: 'Pourquoi' }).click();
  await expectPage(answer).toContainText(/Gagné.*Versé.*Demandé, pas encore versé/u);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[LG-05] the client asks why of a request', async () => {
  const { page, errors } = await openAs('client', demoEmails.client);
  await openSection(page, 'Demandes de Paiement');
  await page.locator('tbody').getByRole('button', { name: 'Pourquoi' }).first().click();
  await expectPage(page.getByRole('dialog').last()).toContainText(/Disponible avant la demande.*Disponible après/u);
  expect(errors).toEqual([]);
  await page.context().close();
});
