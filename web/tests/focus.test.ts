import type { Locator, Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { chromiumPages, expectPage } from './chromium.ts';
import { dashboards, openSection, pickSection, sectionsOf } from './dashboards.ts';
import { demoEmails, realServer } from './real-server.ts';

// The keyboard's place once something that was open is closed: in every section, after every dialog, panel and menu.

const server = realServer({ mail: false });
const { act, openAs, read } = dashboards(server.origin, chromiumPages());

const over =
  ':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]):not([aria-modal="false"]):visible';

/** Buttons that open a dialog, by section; where the demo company has none of a kind, it is passed over. */
const dialogs = {
  admin: {
    Commerciaux: [/^Ajouter un commercial$/u, /^Supprimer /u],
    Clients: [/^Ajouter un client$/u, /^Modifier /u, /^Supprimer /u],
    Commissions: [/^Nouveau barème$/u],
    Validations: [/^Valider le contrat/u, /^Refuser le contrat/u],
    'Demandes de Paiement': [/^Approuver/u, /^Refuser/u, /^Marquer payé/u],
    'Virements groupés': [/^Préparer un virement groupé$/u],
    'Commissions des commerciaux': [/^Marquer le mois payé$/u, /^Marquer payé/u],
  },
  commercial: {
    'Parrainages reçus': [/^(?:Statut|Mettre à jour)/u],
    'Mes Clients': [/^Ajouter un client$/u, /^Supprimer /u],
  },
  client: {
    'Mes Parrainages': [/^Inviter un ami$/u, /^Mon lien$/u],
    'Demandes de Paiement': [/^Nouvelle demande de paiement$/u],
  },
} as const satisfies Record<string, Record<string, readonly RegExp[]>>;

/** Opens by Enter, leaves by Escape, and finds the focus where it was. */
async function comesBack(page: Page, opener: Locator, label: string): Promise<void> {
  const element = await opener.elementHandle();
  if (element === null) throw new Error(`${label} is gone`);
  await element.focus();
  await page.keyboard.press('Enter');
  await expectPage(page.locator(over).first(), label).toBeVisible();
  await expectPage
    .poll(
      () =>
        page.evaluate((selector) => document.activeElement?.closest(selector) !== null, over.replace(':visible', '')),
      {
        message: `${label}: the focus goes in`,
      },
    )
    .toBe(true);
  await page.keyboard.press('Escape');
  await expectPage(page.locator(over), label).toHaveCount(0);
  await expectPage.poll(() => where(page), { message: label }).toBe(await element.evaluate(nameOf));
}

/** Element that has the focus, as a person would name it. */
const where = (page: Page) => page.evaluate<string>(`(${nameOf.toString()})(document.activeElement)`);

function nameOf(element: Element | null): string {
  return `${element?.tagName} ${element?.getAttribute('aria-label') ?? element?.textContent?.trim().slice(0, 60)}`;
}

describe('what was opened is closed', () => {
  for (const role of ['admin', 'commercial', 'client'] as const)
    test(
      `[E-01][NV-10] ${role}: after every dialog, panel and menu of every section the focus is on what opened it`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const { page, errors } = await openAs(role, demoEmails[role], { viewport: { width: 1280, height: 900 } });
        const sections = await sectionsOf(page, role);
        let seen = 0;
        const see = async (opener: Locator, label: string) => {
          await comesBack(page, opener, label);
          seen += 1;
        };
        const header = page.getByRole('banner');
        for (const button of await header
          .getByRole('button', { name: /^(?:Rechercher|Notifications|Paramètres)/u })
          .all())
          await see(button, `header, ${await button.evaluate(nameOf)}`);
        for (const section of sections) {
          await pickSection(page, section);
          await page.getByRole('heading', { level: 2, name: section }).waitFor();
          const main = page.getByRole('main');
          await expectPage(main.getByText(/^Chargement/u)).toHaveCount(0);
          const dialogsHere = (dialogs[role] as Record<string, readonly RegExp[]>)[section] ?? [];
          for (const name of dialogsHere) {
            const opener = main.getByRole('button', { name, disabled: false }).first();
            if ((await opener.count()) > 0) await see(opener, `${section}, ${name.source}`);
          }
          // Menus, choices and explanations in place: one of a column says as much as all of them.
          const inPlace = main.locator(
            ':is([aria-haspopup="menu"], [aria-haspopup="listbox"], [aria-haspopup="dialog"], button[role="combobox"]):visible:enabled',
          );
          const kinds = new Set<string>();
          for (let at = 0; at < (await inPlace.count()); at += 1) {
            const kind = await inPlace
              .nth(at)
              .evaluate(
                (element) =>
                  `${element.closest('td')?.cellIndex ?? element.getAttribute('aria-label') ?? element.textContent}`,
              );
            if (kinds.has(kind)) continue;
            kinds.add(kind);
            await see(inPlace.nth(at), `${section}, ${kind}`);
          }
          // A batch and a person's account are pages of their own; a payment made leads to its request, in another section.
          if (section === 'Historique des paiements') continue;
          const row = main
            .locator('tbody [data-row]:not([href*="virement="], [href*="personne="]), ul > li [data-row]')
            .first();
          if ((await row.count()) > 0) await see(row, `${section}, panel`);
        }
        expect(seen).toBeGreaterThan(sections.length);
        expect(errors).toEqual([]);
        await page.context().close();
      },
    );
});

describe('a menu that fades out over what it opened', () => {
  test('[E-01][NV-10] the dialog keeps the keyboard, and gives it back to the menu’s button', async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { reducedMotion: 'no-preference' });
    await openSection(page, 'Ventes');
    const views = page.getByRole('button', { name: 'Vues : Toutes les ventes' });
    await views.press('Enter');
    await expectPage(page.getByRole('menuitem').and(page.locator(':focus'))).toHaveCount(1);
    await page.getByRole('menuitem', { name: 'Garder cette vue…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Garder cette vue' });
    await dialog.waitFor();
    await expectPage(page.getByRole('menu')).toHaveCount(0);
    await page.keyboard.type('Mes ventes');
    await expectPage(dialog.getByLabel('Nom de la vue')).toHaveValue('Mes ventes');
    await page.keyboard.press('Escape');
    await expectPage(dialog).toHaveCount(0);
    await expectPage(views).toBeFocused();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('what opened it is gone', { tags: 'long' }, () => {
  const isInMain = (page: Page) =>
    expectPage
      .poll(() => page.evaluate(() => document.querySelector('main')?.contains(document.activeElement)))
      .toBe(true);

  test('[NV-10] a decided request leaves the focus on its row, a deleted client on the title, « Tout désélectionner » on a row', async () => {
    const { page, errors } = await openAs('admin', demoEmails.admin, { viewport: { width: 1280, height: 900 } });
    await openSection(page, 'Demandes de Paiement');
    const approve = page.getByRole('button', { name: /^Approuver/u }).first();
    const client = /^Approuver la demande de (?<client>.+)$/u.exec((await approve.getAttribute('aria-label')) ?? '');
    await approve.press('Enter');
    await page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog'))
      .getByRole('button', { name: /^Approuver/u })
      .press('Enter');
    await expectPage(page.locator(over)).toHaveCount(0);
    await isInMain(page);
    await expectPage.poll(() => where(page), { message: client?.groups?.['client'] ?? '' }).not.toMatch(/^MAIN/u);

    await act(demoEmails.admin, 'invite-client', { name: 'Personne Passagère', email: 'passagere@exemple.fr' });
    await openSection(page, 'Clients');
    await page.getByLabel('Rechercher un client').fill('Personne Passagère');
    await page.getByRole('button', { name: 'Supprimer Personne Passagère' }).press('Enter');
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Supprimer/u })
      .press('Enter');
    await expectPage(page.getByText('Rien ne correspond à « Personne Passagère ».')).toBeVisible();
    await expectPage(page.getByRole('heading', { level: 2, name: 'Clients' })).toBeFocused();
    expect(await read(demoEmails.admin, 'profiles?select=id&full_name=eq.Personne%20Passag%C3%A8re')).toEqual([]);

    await page.getByLabel('Rechercher un client').fill('');
    const selection = page.getByRole('group', { name: 'Sélection' });
    // The list without the search takes the place of the one with it: a row that goes takes its focus with it.
    await expectPage(async () => {
      await page.locator('main li [data-row]').first().focus();
      await page.keyboard.press('x');
      await expectPage(selection).toBeVisible({ timeout: 5000 });
    }).toPass();
    await selection.getByRole('button', { name: 'Tout désélectionner' }).press('Enter');
    await isInMain(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('the first section of a page comes late', { tags: 'long' }, () => {
  test('[NV-10] whoever opened something of the header meanwhile finds the focus there, and not on the section’s title', async () => {
    const arrives = Promise.withResolvers<void>();
    const { page, errors } = await openAs('commercial', demoEmails.commercial, {
      viewport: { width: 1280, height: 900 },
      prepare: async (opened) => {
        await opened.route('**/assets/parrainages-recus-*.js', async (route) => {
          await arrives.promise;
          await route.continue();
        });
      },
    });
    const search = page.getByRole('banner').getByRole('button', { name: 'Rechercher partout' });
    await comesBack(page, search, 'before the section is there');
    arrives.resolve();
    await expectPage(page.getByRole('heading', { level: 2, name: 'Parrainages reçus' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectPage(search).toBeFocused();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
