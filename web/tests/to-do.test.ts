import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, expectText } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// Nobody of the demo company is old enough to be forgotten: the server's answer says otherwise here.

const server = realServer();
const { openAs, read, register } = dashboards(server.origin, chromiumPages());

test(
  '[CS-04] « À faire » names the contacts about to be erased, says from when, and leads to their list',
  { tags: 'long' },
  async () => {
    const sales = await read<{ id: string; referred_contact_name: string }>(
      demoEmails.admin,
      'sales?select=id,referred_contact_name&status=eq.pending&order=created_at&limit=4',
    );
    const names = sales.map((sale) => sale.referred_contact_name);
    const rows = sales.map((sale) => ({
      sale_id: sale.id,
      contact_name: sale.referred_contact_name,
      referrer_name: null,
      last_heard_at: '2023-12-20T10:00:00Z',
      erase_on: '2026-12-23',
      total: 4,
    }));
    const { page, errors } = await openAs('admin', demoEmails.admin, {
      viewport: { width: 360, height: 800 },
      prepare: async (opened) => {
        await opened.route('**/functions/v1/sales-management', (route) =>
          route.request().postDataJSON().action === 'contacts_to_erase'
            ? route.fulfill({ json: { success: true, data: rows } })
            : route.continue(),
        );
      },
    });
    const line = page.getByRole('button', { name: /^4 contacts bientôt effacés/u });
    await expectPage(line).toBeVisible();
    await expectText(line).toContain(`${names.slice(0, 3).join(', ')}… · à partir du 23 déc. 2026`);
    expect(await brokenRules(page)).toEqual([]);
    await expectNoOverflow(page);
    await expectPage.poll(() => line.evaluate((button) => button.scrollWidth - button.clientWidth)).toBe(0);
    await line.click();
    await expectPage(page.getByRole('heading', { name: 'Contacts à effacer' })).toBeVisible();
    await expectPage(page.getByRole('button', { name: `Garder ${names[0]}` })).toBeVisible();
    expect(errors).toEqual([]);
  },
);

test(
  '[AD-06] « À faire » leads to the clients who registered alone, and the admin gives them a commercial there',
  { tags: 'long' },
  async () => {
    await register('seule@exemple.fr', 'Solène Seule');
    const { page, errors } = await openAs('admin', demoEmails.admin);
    const line = page.getByRole('button', { name: /^1 client sans commercial/u });
    await expectText(line).toContain('ne peut pas encore inviter');
    await line.click();
    await expectPage(page).toHaveURL(({ search }) => search === '?section=clients&activite=alone');
    const card = page.getByRole('list', { name: 'Clients' }).locator('> li');
    await expectPage(card).toHaveCount(1);
    await expectPage(card).toContainText('Solène Seule');
    await page.getByRole('checkbox', { name: /Solène Seule/u }).check();
    await page
      .getByRole('group', { name: 'Sélection' })
      .getByRole('button', { name: 'Confier à un commercial' })
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('combobox', { name: 'Commercial' }).click();
    await page.getByRole('option').first().click();
    await dialog.getByRole('button', { name: /^Confier/u }).click();
    await expectPage(page.getByText('Chaque client a son commercial')).toBeVisible();
    expect(errors).toEqual([]);
  },
);

test('[UI-09] « À faire » says how many commercials have a contact who waits for longer than the company’s days, and leads to them, the longest wait first', async () => {
  const late = await read<{ full_name: string; waiting: number }>(
    demoEmails.admin,
    'commercial_summaries?select=full_name,waiting&is_late=is.true&deactivated_at=is.null&order=waiting_since',
  );
  expect(late.length).toBeGreaterThan(1);
  const { page, errors } = await openAs('admin', demoEmails.admin);
  const line = page.getByRole('button', {
    name: new RegExp(`^${late.length} commerciaux ont un contact à appeler depuis plus de 2.jours ouvrés`, 'u'),
  });
  await expectText(line).toContain(
    late
      .slice(0, 3)
      .map((commercial) => commercial.full_name)
      .join(', '),
  );
  await line.click();
  await expectPage(page.getByRole('combobox', { name: 'Filtrer par activité' })).toHaveText('Appels en retard');
  const cards = page.getByRole('list', { name: 'Commerciaux' }).locator('> li');
  await expectPage(cards).toHaveCount(late.length);
  for (const [index, { full_name: name, waiting }] of late.entries()) {
    await expectPage(cards.nth(index)).toContainText(name);
    await expectText(cards.nth(index)).toMatch(
      new RegExp(String.raw`En retard\s:\s+${waiting}\sà appeler(?:, le plus ancien)? depuis `, 'u'),
    );
  }
  await cards
    .first()
    .getByRole('link', { name: late[0]?.full_name ?? '', exact: true })
    .click();
  const panel = page.getByRole('dialog', { name: late[0]?.full_name ?? '' });
  await expectText(panel.getByRole('region', { name: 'Activité' })).toMatch(
    /Premier appel, délai médian.*À appeler.*Dernière activité.*Premier appel attendu, en retard/su,
  );
  expect(await brokenRules(page)).toEqual([]);
  expect(errors).toEqual([]);
});
