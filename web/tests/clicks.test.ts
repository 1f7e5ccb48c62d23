import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, pickSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What people do every day takes no more presses than this; typing is not one. What else is walked so: an empty company to a paid
// client (e2e/stories/premiere-connexion.story.ts), the accountant's year (documents.test.ts), the sheet after a call (today.test.ts).

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

interface Shared {
  text?: string;
}

/** A role's first screen, and how many presses its page has had. */
async function open(role: 'admin' | 'client', size: { width: number; height: number }) {
  const shared: Shared[] = [];
  const { page, errors } = await openAs(role, demoEmails[role], {
    viewport: size,
    prepare: async (fresh) => {
      await fresh.exposeFunction('shared', (sent: Shared) => void shared.push(sent));
      await fresh.addInitScript(() => {
        const outside = globalThis as unknown as Counting & { shared: (sent: object) => Promise<void> };
        outside.presses = 0;
        addEventListener('pointerdown', () => (outside.presses += 1), true);
        // The sheet is the device's own.
        Object.defineProperty(navigator, 'share', { value: (sent: object) => outside.shared(sent) });
      });
    },
  });
  // Counted in the page: what it tells the test comes later than the press.
  const presses = () => page.evaluate(() => (globalThis as unknown as Counting).presses);
  return { page, errors, presses, shared };
}
type Counting = { presses: number };

const desktop = { width: 1280, height: 800 };
const decision = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last();

test('[UI-13] a sale is found and validated in two presses', async () => {
  const { page, errors, presses } = await open('admin', desktop);
  const [sale] = await read<{ id: string; referred_contact_name: string }>(
    demoEmails.admin,
    'sales?select=id,referred_contact_name&status=eq.validated&admin_validated=is.false&friend_referrer_id=not.is.null&order=created_at.desc&limit=1',
  );
  await expectPage(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Rechercher/u }).fill(sale?.referred_contact_name ?? '');
  await expectPage(page.getByRole('option', { name: sale?.referred_contact_name ?? '' }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Valider', exact: true }).last().click();
  await decision(page).getByRole('button', { name: 'Valider le contrat' }).click();
  await expect
    .poll(() => read(demoEmails.admin, `sales?select=admin_validated&id=eq.${sale?.id}`))
    .toEqual([{ admin_validated: true }]);
  expect(await presses()).toBeLessThanOrEqual(2);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[NV-04] what waits is approved and all that is approved is paid in five presses: what was approved stays selected', async () => {
  for (const amount of ['1.10', '1.20', '1.30', '1.40', '1.50'])
    await act(demoEmails.client, 'payment-request', {
      action: 'create',
      amount,
      payment_method: 'remise_societe',
      payment_details: {},
    });
  const { page, errors, presses } = await open('admin', desktop);
  await pickSection(page, /^(?:Demandes de Paiement|Paiements)/u);
  await page.getByRole('radio', { name: /^En attente/u }).click({ force: true });
  const pending = await read<{ id: string }>(demoEmails.admin, 'payment_requests?select=id&status=eq.pending');
  const rows = page.getByRole('table', { name: 'Demandes de paiement' }).locator('tbody tr');
  await expectPage(rows).toHaveCount(pending.length);
  const before = await presses();
  await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).click();
  const bar = page.getByRole('group', { name: 'Sélection' });
  await bar.getByRole('button', { name: /^Approuver/u }).click();
  await decision(page)
    .getByRole('button', { name: /^Approuver/u })
    .click();
  await bar.getByRole('button', { name: /^Marquer payées/u }).click();
  await decision(page)
    .getByRole('button', { name: /^Marquer payé/u })
    .click();
  await expectPage(page.getByText(/\d+ demandes marquées payées/u)).toBeVisible();
  const ids = pending.map(({ id }) => id).join(',');
  const paid = await read(demoEmails.admin, `payment_requests?select=id&status=eq.paid&id=in.(${ids})`);
  expect(paid).toHaveLength(pending.length);
  expect((await presses()) - before).toBeLessThanOrEqual(5);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[UI-04] the batch and its file are four presses from the admin’s first screen', async () => {
  const { page, errors, presses } = await open('admin', desktop);
  await pickSection(page, 'Virements groupés');
  await page.getByRole('button', { name: 'Préparer un virement groupé' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Faire le fichier/u })
      .click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/\.xml$/u);
  expect(await presses()).toBeLessThanOrEqual(4);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('[LG-05] a commission is explained by one press in the admin’s list and in the client’s', async () => {
  for (const role of ['admin', 'client'] as const) {
    const { page, errors, presses } = await open(role, desktop);
    if (role === 'admin') await pickSection(page, 'Ventes');
    const before = await presses();
    await page.locator('tbody').getByRole('button', { name: 'Pourquoi' }).first().click();
    await expectPage(page.getByRole('dialog').last()).toContainText(/\d\s*%|€/u);
    expect((await presses()) - before).toBe(1);
    expect(errors).toEqual([]);
    await page.context().close();
  }
});

test('[UI-02][CS-01] on a phone the client’s link is one press and the device’s own sheet away', async () => {
  const { page, errors, presses, shared } = await open('client', { width: 360, height: 740 });
  const share = page.getByRole('region', { name: 'Mon argent' }).getByRole('button', { name: 'Partager mon lien' });
  await expectPage(share).toBeInViewport({ ratio: 1 });
  await share.click();
  await expect.poll(() => shared.map(({ text }) => text)).toEqual([expect.stringMatching(/http\S+\/p\/\S+$/u)]);
  expect(await presses()).toBe(1);
  expect(errors).toEqual([]);
  await page.context().close();
});
