import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, euros, expectText, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// « Mon compte » of the commercial: what the company owes them, line by line (LG-02). The real server, the real pages.

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

test(
  '[LG-02, LG-05, LG-06] the commercial sees every line that makes what is due, why, and questions one',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('commercial', demoEmails.commercial);
    await openSection(page, 'Mon compte');
    const lines = await read<{ change: number; available: number }>(
      demoEmails.commercial,
      'account_lines?select=change,available&order=entry_id.desc',
    );
    expect(lines.length).toBeGreaterThan(1);
    const due = BigInt(Math.round((lines[0]?.available ?? 0) * 100));
    // The card says what the last line leaves, and the lines add up to it.
    expect(lines.reduce((sum, { change }) => sum + BigInt(Math.round(change * 100)), 0n)).toBe(due);
    await expectPage(page.getByLabel('Solde', { exact: true })).toContainText(/Disponible/u);
    await expectText(page.getByLabel('Solde', { exact: true })).toContain(euros(Number(due) / 100));
    const table = page.getByRole('table', { name: 'Relevé de mes commissions' });
    const line = table.getByRole('row').nth(1);
    await expectText(line).toContain(euros(Number(due) / 100));
    await line.getByRole('button', { name: 'Pourquoi' }).click();
    await expectPage(page.getByRole('dialog')).toContainText('Contrat');
    await page.keyboard.press('Escape');
    expect(await brokenRules(page)).toEqual([]);
    await expectPage(page.getByRole('table', { name: 'Relevés de compte' })).toBeVisible();

    await line.getByRole('button', { name: 'Contester' }).click();
    const asking = page.getByRole('dialog', { name: 'Contester cette ligne' });
    await asking.getByLabel('Votre message').fill('Le taux convenu était de 6 %.');
    await asking.getByRole('button', { name: 'Envoyer' }).click();
    await expectPage(line.getByRole('button', { name: 'Contestation en cours' })).toBeVisible();

    const admin = await openAs('admin', demoEmails.admin);
    await admin.page.getByRole('button', { name: /ligne de compte contestée/u }).click();
    await admin.page.getByRole('button', { name: 'Répondre', exact: true }).first().click();
    const thread = admin.page.getByRole('dialog', { name: /^Contestation de /u });
    await thread.getByLabel('Votre message').fill('C’est juste, voici la différence.');
    await thread.getByText('En plus', { exact: true }).click();
    await thread.getByLabel('Montant à ajouter').fill('10');
    await thread.getByRole('button', { name: /Clôturer et ajuster de \+10,00/u }).click();
    await expectPage(table.getByRole('row').filter({ hasText: 'Ajustement en plus' })).toBeVisible();
    await expectPage(page.getByLabel('Solde', { exact: true })).toContainText(/Ajusté/u);

    // Where the notice and its mail lead: back to the thread.
    const [dispute] = await read<{ id: string }>(demoEmails.commercial, 'disputes?select=id');
    await page.goto(`${server.origin()}/commercial/dashboard?section=mon-compte&contestation=${dispute?.id}`);
    await expectPage(page.getByRole('dialog', { name: 'Ma contestation' })).toContainText(
      'C’est juste, voici la différence.',
    );
    expect([errors, admin.errors]).toEqual([[], []]);
    await page.context().close();
    await admin.page.context().close();
  },
);

test('[PO-05] the admin marks a commercial’s month paid, as the ledger has it; the commercial sees it paid', async () => {
  const last = '&order=month.desc&limit=1';
  const [due] = await read<{ full_name: string; due: number; month: string }>(
    demoEmails.commercial,
    `commission_periods?select=full_name,due,month&status=eq.due${last}`,
  );
  if (due === undefined) throw new Error('Nothing is due to the commercial');
  const amount = euros(due.due);
  const admin = await openAs('admin', demoEmails.admin);
  await openSection(admin.page, 'Commissions des commerciaux');
  const months = admin.page.getByRole('table', { name: 'Commissions des commerciaux' });
  const row = months.getByRole('row').filter({ hasText: due.full_name });
  await expectPage(row).toContainText('À payer');
  await expectText(row).toContain(amount);
  await row.getByRole('button', { name: `Marquer payé : ${due.full_name}` }).click();
  const asking = admin.page.getByRole('alertdialog');
  await expectText(asking).toContain(`Marquer ${amount} payés à ${due.full_name}`);
  await asking.getByRole('button', { name: 'Marquer payé' }).click();
  await expectPage(row.getByText('Payé', { exact: true })).toBeVisible();
  expect(await brokenRules(admin.page)).toEqual([]);

  const { page, errors } = await openAs('commercial', demoEmails.commercial);
  await openSection(page, 'Mon compte');
  const own = page.getByRole('table', { name: 'Mes commissions par mois' }).getByRole('row');
  await expectPage(own.filter({ hasText: 'En cours' })).toHaveCount(1);
  await expectPage(own.nth(2).getByText('Payé', { exact: true })).toBeVisible();
  await expectText(own.nth(2)).toContain(amount);
  await expectPage(page.getByRole('table', { name: 'Relevé de mes commissions' })).toContainText('Commissions payées');
  expect(await brokenRules(page)).toEqual([]);
  expect([errors, admin.errors]).toEqual([[], []]);
  await page.context().close();
  await admin.page.context().close();
});

test(
  '[PP-04] from an unknown status the DAS2 leads to where an admin says it, though no papers are made',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin);
    await openSection(page, 'Commissions des commerciaux');
    const pay = page.getByRole('button', { name: /^Marquer payé : / }).first();
    const name = (await pay.getAttribute('aria-label'))?.split(/\s:\s/u)[1] ?? '';
    await pay.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Marquer payé' }).click();
    await expectPage(page.getByRole('button', { name: `Marquer payé : ${name}` })).toHaveCount(0);
    await openSection(page, 'Comptabilité');
    const row = page
      .getByRole('table', { name: 'Déclaration DAS2' })
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name, exact: true }) });
    await expectPage(row).toContainText('Statut inconnu');
    expect(await brokenRules(page)).toEqual([]);
    await row.getByRole('link', { name: `l’indiquer pour ${name}` }).click();
    const panel = page.getByRole('dialog', { name });
    await panel.getByRole('button', { name: 'Compléter les informations' }).click();
    const form = page.getByRole('dialog', { name: 'Informations légales' });
    await form.getByRole('radio', { name: /^Salarié/u }).check();
    await form.getByRole('button', { name: 'Enregistrer' }).click();
    await expectPage(panel.getByRole('button', { name: 'Modifier les informations' })).toBeVisible();
    await page.goBack();
    // Whom the payroll declares stands last.
    await page
      .getByRole('navigation', { name: 'Pages : Déclaration DAS2' })
      .getByRole('button', { name: 'Dernière page' })
      .click();
    await expectPage(row).toContainText('Exclu');
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
