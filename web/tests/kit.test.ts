import type { Page } from '@playwright/test';
import tailwindcss from '@tailwindcss/vite';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage, type OpenOptions } from './chromium.ts';

// The pieces of the interface, in a real browser, from their sources.

const openPage = chromiumPages();
let served: PreviewServer | undefined;
let origin = '';
const built = mkdtempSync(path.join(os.tmpdir(), 'parrain-kit-'));

beforeAll(async () => {
  const options = {
    configFile: false,
    root: path.join(import.meta.dirname, 'kit'),
    logLevel: 'error',
    build: { outDir: built, emptyOutDir: true, minify: false },
  } as const;
  await build({ ...options, plugins: [tailwindcss()] });
  served = await preview({ ...options, preview: { port: 0, host: '127.0.0.1' } });
  origin = served.resolvedUrls?.local[0] ?? '';
});
afterAll(async () => {
  await served?.close();
  rmSync(built, { recursive: true, force: true });
});

async function open(query = '', options: OpenOptions = {}): Promise<Page> {
  const { page } = await openPage(`${origin}${query}`, { viewport: { width: 1280, height: 900 }, ...options });
  await expectPage(page.getByRole('heading', { level: 1 })).toBeVisible();
  return page;
}

describe('a table', () => {
  test('[AD-07] sorts by its headers and says how', async () => {
    const page = await open();
    const header = page.getByRole('columnheader', { name: 'Montant' });
    await expectPage(header).toHaveAttribute('aria-sort', 'none');
    await header.getByRole('button').click();
    await expectPage(header).toHaveAttribute('aria-sort', 'ascending');
    await expectPage(firstCell(page)).toHaveText('Élodie Œuvrard');
    await header.getByRole('button').press('Enter');
    await expectPage(header).toHaveAttribute('aria-sort', 'descending');
    await expectPage(firstCell(page)).toHaveText('Client 59');
    await page.context().close();
  });

  test('[AD-07] says how many a search found, and a search without result can be taken back', async () => {
    const page = await open();
    const search = page.getByRole('searchbox', { name: 'Rechercher une vente' });
    await search.fill('élodie');
    await expectPage(firstCell(page)).toHaveText('Élodie Œuvrard');
    await expectPage(page.getByText('1 résultat', { exact: true })).toBeAttached();
    await search.fill('personne');
    await expectPage(page.getByText('Aucun résultat')).toBeVisible();
    await page.getByRole('button', { name: 'Effacer la recherche' }).click();
    await expectPage(search).toHaveValue('');
    await expectPage(page.getByRole('row', { name: 'Client 05' })).toBeVisible();
    await page.context().close();
  });

  test('[AD-07] without a server cuts pages and keeps its totals', async () => {
    const page = await open('?table=local');
    await page.getByRole('button', { name: 'Page suivante' }).click();
    await expectPage(page.getByText('26–50 sur 60')).toBeVisible();
    await expectPage(page.locator('tfoot')).toContainText('218 515,50 €');
    await page.context().close();
  });

  test('[E-05] loading, failed and empty never look alike, and what failed can be tried again', async () => {
    const loading = await open('?table=loading');
    await expectPage(loading.getByText('Chargement : Toutes les ventes')).toBeAttached();
    await loading.context().close();
    const failed = await open('?table=failed');
    await expectPage(failed.getByText('Aucune vente')).toHaveCount(0);
    await failed.getByRole('alert').getByRole('button', { name: 'Réessayer' }).click();
    await expectPage(failed.getByText('Essais : 1')).toBeVisible();
    await failed.context().close();
    const empty = await open('?table=empty');
    await expectPage(empty.getByText('Aucune vente')).toBeVisible();
    await expectPage(empty.getByRole('button', { name: 'Réessayer' })).toHaveCount(0);
    await empty.context().close();
  });

  test('[AD-07] a row opens by mouse and by keyboard; its own buttons stay theirs', async () => {
    const page = await open();
    await page.getByRole('row', { name: 'Client 05' }).click({ position: { x: 500, y: 10 } });
    await expectPage(page.getByText('Ouvert : Client 05')).toBeVisible();
    await page.getByRole('link', { name: 'Client 07', exact: true }).press('Enter');
    await expectPage(page.getByText('Ouvert : Client 07')).toBeVisible();
    await page.getByRole('button', { name: 'Supprimer Client 09' }).click();
    await expectPage(page.getByText('Ouvert : Client 07')).toBeVisible();
    await page.context().close();
  });

  test('[DF-90] a row’s link covers its row alone, in an engine that positions no `tr` too', async () => {
    const page = await open();
    await expectPage(page.getByRole('row', { name: 'Client 05' })).toBeVisible();
    // As WebKit computes it.
    await page.addStyleTag({ content: 'tr { position: static !important }' });
    const opened = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('tbody tr')];
      const rowAt = (x: number, y: number) => rows.indexOf(document.elementFromPoint(x, y)?.closest('tr') as Element);
      return {
        elsewhere: rowAt(5, 5),
        own: rows.slice(0, 3).map((row) => {
          const { left, top, width, height } = row.getBoundingClientRect();
          return rowAt(left + width / 2, top + height / 2);
        }),
      };
    });
    expect(opened).toEqual({ elsewhere: -1, own: [0, 1, 2] });
    await page.context().close();
  });

  test('an icon’s name is shown under the pointer and at the keyboard’s focus, stays under the pointer, and leaves with Escape', async () => {
    const page = await open();
    const button = page.getByRole('button', { name: 'Supprimer Client 03' });
    const bubble = page.getByText('Supprimer Client 03', { exact: true });
    await button.hover();
    await bubble.hover();
    await expectPage(bubble).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(bubble).toHaveCount(0);
    await button.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expectPage(bubble).toBeVisible();
    await page.keyboard.press('Tab');
    await expectPage(bubble).toHaveCount(0);
    await page.context().close();
  });

  test('[AD-07] under 900 px its rows are cards, with the sort in a list behind one button', async () => {
    const page = await open('', { viewport: { width: 360, height: 740 } });
    await expectPage(page.getByRole('table')).toHaveCount(0);
    await expectPage(page.getByRole('list', { name: 'Toutes les ventes' }).getByRole('listitem')).toHaveCount(25);
    await page.getByRole('button', { name: 'Trier', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Trier' });
    await sheet.getByRole('combobox', { name: 'Trier par' }).selectOption('Montant');
    await sheet.getByRole('button', { name: 'Croissant', exact: true }).click();
    await sheet.getByRole('button', { name: 'Voir la liste' }).click();
    const list = page.getByRole('list', { name: 'Toutes les ventes' });
    await expectPage(list.getByRole('listitem').first()).toContainText('Client 59');
    await expectNoOverflow(page);
    await page.context().close();
  });
});

describe('a field', () => {
  test('[V-01] ties its label, its hint and its error to the control', async () => {
    const page = await open();
    const name = page.getByRole('textbox', { name: 'Nom' });
    await expectPage(name).toHaveAttribute('aria-invalid', 'true');
    await expectPage(name).toHaveAttribute('aria-required', 'true');
    await expectPage(name).toHaveAccessibleDescription('Comme sur la pièce d’identité. Le nom est requis');
    const phone = page.getByRole('textbox', { name: 'Téléphone (facultatif)' });
    await expectPage(phone).not.toHaveAttribute('aria-required');
    await page.context().close();
  });

  test('[V-12] the counter follows what is typed and what is pasted, and cuts nothing', async () => {
    const page = await open();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('douze signes');
    await expectPage(page.getByText('12 / 10')).toBeVisible();
    await expectPage(message).toHaveValue('douze signes');
    await page.context().close();
  });

  test('[A-01] a password can be looked at', async () => {
    const page = await open();
    const password = page
      .getByRole('textbox', { name: 'Mot de passe', exact: true })
      .or(page.locator('input[type=password]'));
    await password.first().fill('secret');
    await page.getByRole('button', { name: 'Afficher le mot de passe' }).click();
    await expectPage(page.locator('input[type=password]')).toHaveCount(0);
    await page.context().close();
  });

  test('[V-15] one choice among several, by the arrows', async () => {
    const page = await open();
    await page.getByRole('radio', { name: 'Virement' }).focus();
    await page.keyboard.press('ArrowDown');
    await expectPage(page.getByRole('radio', { name: 'Chèque cadeau' })).toBeChecked();
    const scale = page.getByRole('combobox', { name: 'Barème' });
    await scale.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expectPage(scale).toContainText(/Découverte|Fidélité/u);
    await page.context().close();
  });
});

describe('what opens over the page', () => {
  test.each([
    ['Ouvrir le dialogue', 'dialog', 'Ajouter un client'],
    ['Ouvrir le panneau', 'dialog', 'Vente de Léa Martin'],
    ['Supprimer', 'alertdialog', 'Supprimer Léa Martin ?'],
  ] as const)('[E-01] « %s »: focus goes in, Escape closes, focus comes back', async (opener, role, title) => {
    const page = await open();
    const button = page.getByRole('button', { name: opener, exact: true });
    await button.press('Enter');
    const dialog = page.getByRole(role, { name: title });
    await expectPage(dialog).toBeVisible();
    await expectPage.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await expectPage(dialog).toHaveCount(0);
    await expectPage(button).toBeFocused();
    await page.context().close();
  });

  test('[CO-07] a confirmation does nothing until it is confirmed', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Supprimer', exact: true }).click();
    await page.getByRole('button', { name: 'Annuler' }).click();
    await expectPage(page.getByText('Supprimé', { exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Supprimer', exact: true }).click();
    await page.getByRole('button', { name: 'Supprimer définitivement' }).click();
    await expectPage(page.getByText('Supprimé', { exact: true })).toBeVisible();
    await page.context().close();
  });

  test('[E-01] an error stays until it is closed, a success does not', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Réussir' }).click();
    await page.getByRole('button', { name: 'Échouer' }).click();
    const notices = page.getByRole('region', { name: 'Notifications' });
    await expectPage(notices.getByText('Barème créé')).toBeVisible();
    await expectPage(notices.getByText('Barème créé')).toHaveCount(0);
    await expectPage(notices.getByText('Erreur lors de la création du barème')).toBeVisible();
    // F6 goes to the notices, from anywhere.
    await page.keyboard.press('F6');
    await notices.getByRole('button', { name: 'Fermer la notification' }).press('Enter');
    await expectPage(notices.getByText('Erreur lors de la création du barème')).toHaveCount(0);
    await page.context().close();
  });

  test('[AD-04] a menu opens and chooses by keyboard', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Autres actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Exporter' }).press('Enter');
    await expectPage(page.getByText('Export demandé')).toBeVisible();
    await page.context().close();
  });

  test('[DF-81] under the keyboard a dangerous line is marked in the colour of danger, another one is not', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Autres actions' }).press('Enter');
    const lookOf = (name: string, of: 'color' | 'background') =>
      page.getByRole('menuitem', { name }).evaluate((line, part) => {
        const { color, boxShadow, backgroundColor } = getComputedStyle(line);
        return part === 'color' ? boxShadow.includes(color) : backgroundColor;
      }, of);
    await expectPage(page.getByRole('menuitem', { name: 'Exporter' })).toHaveAttribute('data-highlighted', '');
    await expect.poll(() => lookOf('Exporter', 'background')).not.toBe('rgba(0, 0, 0, 0)');
    const ground = await lookOf('Exporter', 'background');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => lookOf('Archiver', 'color')).toBe(true);
    expect(await lookOf('Archiver', 'background')).not.toBe(ground);
    await page.context().close();
  });
});

describe('what is shown', () => {
  test('[I-02] amounts and dates are French: spaces between thousands, U+00A0, U+2212', async () => {
    const page = await open();
    await expectPage(page.getByText('CA Total')).toBeVisible();
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text).toContain('1 234,56\u00a0€');
    expect(text).toContain('\u221223,46\u00a0€');
    expect(spaced((await page.locator('[data-date]').textContent()) ?? '')).toMatch(/^21 nov\. 2026 à \d\d:32$/u);
    await page.context().close();
  });

  test('[E-03] a secret is copied by one button, which says that it did', async () => {
    const page = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copier' }).click();
    await expectPage(page.getByRole('button', { name: 'Copié' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mot-de-passe-temporaire');
    await page.context().close();
  });

  test('[DF-94] a text is copied on plain http too, where a browser has no clipboard for it', async () => {
    const page = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    const held = await page.evaluateHandle(() => navigator.clipboard);
    await page.evaluate(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined, configurable: true });
    });
    await page.getByRole('button', { name: 'Copier' }).click();
    await expectPage(page.getByRole('button', { name: 'Copié' })).toBeVisible();
    expect(await held.evaluate((clipboard) => clipboard.readText())).toBe('mot-de-passe-temporaire');
    await page.context().close();
  });

  test('[H-01] the theme is the system’s, or the one chosen, which is kept', async () => {
    const page = await open('', { colorScheme: 'dark' });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.getByRole('radio', { name: 'Clair' }).check({ force: true });
    await expect.poll(ground).not.toBe(dark);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('theme'))).toBe('light');
    await page.getByRole('radio', { name: 'Système' }).check({ force: true });
    await expect.poll(ground).toBe(dark);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('theme'))).toBeNull();
    await page.context().close();
  });

  test('[CO-01] the menu says where one is, on a wide screen and on a phone', async () => {
    const page = await open();
    await page.getByRole('navigation', { name: 'Sections en bas' }).getByRole('link', { name: 'Validations' }).click();
    const rail = page.getByRole('navigation', { name: 'Sections', exact: true });
    await expectPage(rail.getByRole('link', { name: 'Validations 3 : 2 à décider, 1 à payer' })).toHaveAttribute(
      'aria-current',
      'page',
    );
    await expectPage(rail.getByRole('link', { name: 'Clients' })).not.toHaveAttribute('aria-current');
    await page.context().close();
  });

  test.each([
    ['clair', 1280],
    ['sombre', 1280],
    ['clair', 360],
    ['sombre', 360],
  ] as const)('[E-01] no accessibility rule is broken, in %s at %i px', async (theme, width) => {
    const page = await open('', {
      colorScheme: theme === 'clair' ? 'light' : 'dark',
      viewport: { width, height: 800 },
    });
    expect(await brokenRules(page)).toEqual([]);
    await page.context().close();
  });

  test('[CO-02] on a phone every target is 44 px high', async () => {
    const page = await open('', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const small = await page.getByRole('button').evaluateAll((buttons) =>
      buttons
        .filter((button) => button.checkVisibility() && button.getBoundingClientRect().height < 44)
        // The first cell of a row covers the whole row.
        .filter((button) => getComputedStyle(button, '::after').position !== 'absolute')
        .map((button) => button.outerHTML.slice(0, 120)),
    );
    expect(small).toEqual([]);
    await page.context().close();
  });
});

function firstCell(page: Page) {
  return page.locator('tbody tr').first().locator('th, td').first();
}

/** Typographic spaces as ordinary ones. */
function spaced(text: string): string {
  return text.replace(/\s/gu, ' ');
}
