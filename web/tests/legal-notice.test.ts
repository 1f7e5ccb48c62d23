import { expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { builtFile } from './built-site.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import { dashboards, openSection } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// What the law wants of the public pages, from the settings to the declaration.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { openAs } = dashboards(server.origin, openUrl);
const openPage = async (slug: string, width = 1280) =>
  (await openUrl(`${server.origin()}/pages/${slug}`, { javaScriptEnabled: false, viewport: { width, height: 800 } }))
    .page;

test('[DF-47] the demo company says who it is, and how to reach it', async () => {
  const notice = await openPage('mentions-legales');
  await expectPage(notice.getByRole('main')).toContainText(
    'Lumeo Habitat, SARL au capital de 20 000 € – RCS Rennes 732 829 320',
  );
  await expectPage(notice.getByText('n’a pas encore rempli')).toBeHidden();
  const contact = await openPage('contact', 360);
  await expectPage(contact.getByRole('link', { name: 'bonjour@demo.example' })).toHaveAttribute(
    'href',
    'mailto:bonjour@demo.example',
  );
  await expectNoOverflow(contact);
  await notice.context().close();
  await contact.context().close();
});

test('[DF-47] one sale is told with one cast, on the public page and beside the sign-in form', async () => {
  const beside = /<aside[\s\S]*<\/aside>/u.exec(builtFile('auth/login/index.html'))?.[0] ?? '';
  const told = builtFile('index.html');
  for (const name of ['Hugo', 'Léa', 'Julien']) {
    expect(beside).toContain(name);
    expect(told).toContain(name);
  }
  expect(`${beside}${told}`).not.toMatch(/Camille|Lumen\b/u);
});

test(
  '[DF-86] an admin enters an audit by the keyboard; the declaration, linked from every page, tells it',
  { tags: 'long' },
  async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 800 } });
    const declaration = page.getByRole('complementary').getByRole('link', { name: 'Accessibilité' });
    await expectPage(declaration).toHaveAttribute('href', '/pages/accessibilite');
    const before = await openPage('accessibilite');
    await expectPage(before.getByRole('main')).toContainText('Aucun audit n’a encore été fait');
    await expectPage(before.getByRole('contentinfo')).toContainText('non conforme');
    await before.context().close();

    await page.getByRole('button', { name: 'Paramètres' }).first().press('Enter');
    await page.getByRole('link', { name: 'Tous les réglages' }).press('Enter');
    await page.getByRole('button', { name: 'Modifier les mentions légales' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Mentions légales' });
    await expectPage(dialog.getByLabel('Adresse du siège')).toHaveValue('12 rue des Lilas, 35000 Rennes');
    await dialog.getByLabel('Critères respectés, en %').fill('78');
    await page.keyboard.press('Enter');
    await expectPage(dialog.getByText('Indiquez qui a fait l’audit.')).toBeVisible();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByLabel('Jour de l’audit').fill('2026-10-12');
    await dialog.getByLabel('Qui a fait l’audit').fill('Cabinet Clair');
    await dialog.getByLabel('Contenus non accessibles').fill('Le réseau, en image');
    await dialog.getByRole('button', { name: 'Enregistrer' }).press('Enter');
    await expectPage(page.getByText('Paramètres enregistrés').first()).toBeVisible();
    await expectPage(dialog).toHaveCount(0);
    await expectPage(page.getByRole('region', { name: 'Mentions légales' })).toContainText(
      'Accessibilité : partiellement conforme.',
    );
    await openSection(page, 'Journal');
    await expectPage(page.getByText(/changé les mentions légales/u).first()).toBeVisible();

    // Public pages say what they said a second ago at most.
    await expect
      .poll(async () => (await fetch(`${server.origin()}/pages/accessibilite`)).text(), { timeout: 20_000 })
      .toContain('78 % des critères');
    for (const width of [1280, 360]) {
      const after = await openPage('accessibilite', width);
      const main = after.getByRole('main');
      await expectPage(main).toContainText('fait par Cabinet Clair le lundi 12 octobre 2026');
      await expectPage(main).toContainText('Le réseau, en image');
      await expectPage(after.getByText('Aucun audit n’a encore été fait')).toBeHidden();
      await expectPage(after.getByRole('contentinfo')).toContainText('partiellement conforme');
      await expectNoOverflow(after);
      await after.context().close();
    }
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
