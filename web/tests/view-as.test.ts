import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection, sectionStands } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

const server = realServer();
const { openAs, read } = dashboards(server.origin, chromiumPages());

test('[UI-15] an admin sees a client’s screen in one tab, section by section, changes nothing there, and comes back to where they were', async () => {
  const { page, errors } = await openAs('admin', demoEmails.admin);
  const [client] = await read<{ id: string; full_name: string }>(
    demoEmails.admin,
    `profiles?select=id,full_name&email=eq.${demoEmails.client}`,
  );
  // A tab that was open before stays the admin's own, whatever the view's tab is told of its session.
  const before = await page.context().newPage();
  await before.goto(`${server.origin()}/admin/dashboard?section=ventes`);
  await sectionStands(before, 'Ventes');
  const panel = `${server.origin()}/admin/dashboard?section=clients&client=${client?.id}`;
  await page.goto(panel);
  await page.getByRole('button', { name: 'Voir son écran' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/client\/dashboard/u);
  const bar = page.getByRole('status').filter({ hasText: `Écran de ${client?.full_name}` });
  await expectPage(bar).toContainText('En lecture seule');
  for (const section of [
    'Mes Parrainages',
    'Contrats Validés',
    'Mes Commissions',
    'Demandes de Paiement',
    'Documents',
  ]) {
    await openSection(page, section);
    await sectionStands(page, section);
    await expectPage(bar).toBeVisible();
  }
  expect(await brokenRules(page)).toEqual([]);
  expect(errors).toEqual([]);
  await expectPage(page.getByRole('link', { name: 'Profil' })).toHaveCount(0);

  // The acts of the screen are shut; what is pressed beside them is refused, and says why.
  await openSection(page, 'Mes Parrainages');
  await expectPage(page.getByRole('button', { name: 'Inviter un ami' }).first()).toBeDisabled();
  await expectPage(page.getByRole('button', { name: 'Recevoir mon argent' })).toHaveCount(0);
  await page.getByRole('button', { name: /^Notifications/u }).click();
  await page.getByRole('button', { name: 'Tout marquer comme lu' }).click();
  await expectPage(page.getByText('Cet écran est celui d’une autre personne').first()).toBeVisible();
  await page.keyboard.press('Escape');

  await sectionStands(before, 'Ventes');
  await expectPage(before).toHaveURL(/admin\/dashboard\?section=ventes/u);
  await openSection(before, 'Clients');
  await before.close();

  // Another tab is the admin's own.
  const other = await page.context().newPage();
  await other.goto(`${server.origin()}/admin/dashboard`);
  await expectPage(other.getByRole('heading', { name: 'Dashboard Administrateur' })).toBeVisible();
  await other.close();

  await page.reload();
  await expectPage(bar).toBeVisible();
  // Over, it leads back as well.
  await page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem('parrain-session') ?? '{}') as object;
    sessionStorage.setItem('parrain-session', JSON.stringify({ ...kept, expires_at: 1, access_token: 'over' }));
  });
  // It may leave before all of it has loaded.
  await page.reload({ waitUntil: 'commit' });
  await page.waitForURL(panel);
  await page.getByRole('button', { name: 'Voir son écran' }).click();
  await page.waitForURL(/\/client\/dashboard/u);
  await bar.getByRole('button', { name: 'Revenir' }).click();
  await page.waitForURL(panel);
  await expectPage(page.getByRole('dialog', { name: client?.full_name ?? '' })).toBeVisible();
  await page.context().close();
});
