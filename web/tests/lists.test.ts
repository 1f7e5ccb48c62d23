import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';
import {
  dashboards,
  euros,
  expectText,
  nothingComes,
  openSection,
  pickSection,
  plain,
  sectionStands,
  showAsList,
} from './dashboards.ts';
import { demoEmails, demoPassword, realServer } from './real-server.ts';

// The lists of the dashboards as people work in them: at every width, by keyboard, by address.

const server = realServer({ mail: false });
const openUrl = chromiumPages();
const { act, decide, openAs, read } = dashboards(server.origin, openUrl);
const open = (options?: Parameters<typeof openAs>[2]) => openAs('admin', demoEmails.admin, options);

/** The first point of an element is in sight, and nothing lies over it. */
async function expectInSight(element: Locator, label: string): Promise<void> {
  await element.click({ trial: true }).catch((error: Error) => {
    throw new Error(`${label}: ${error.message}`);
  });
  await expectPage
    .poll(
      async () => {
        const box = await element.boundingBox();
        const size = element.page().viewportSize();
        return box && size && box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width;
      },
      { message: label },
    )
    .toBe(true);
}

const rowsInSight = (page: Page) =>
  page.locator('tbody tr').evaluateAll(
    (rows) =>
      rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }).length,
  );

describe('a table at every width', () => {
  test(
    '[NV-06][AD-09][AD-10] head, first row and buttons are in sight and can be pressed, from 640 to 1920 px',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      for (const [section, buttons] of [
        ['Ventes', /^$/u],
        ['Validations', /^(?:Valider|Refuser) le contrat/u],
        ['Demandes de Paiement', /^(?:Approuver|Refuser|Marquer payé|Annuler l.approbation)/u],
      ] as const) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await openSection(page, section);
        await page.locator('tbody tr button, tbody tr a').first().waitFor();
        for (const width of [640, 768, 900, 1024, 1164, 1279, 1280, 1920]) {
          await page.setViewportSize({ width, height: 800 });
          const label = `${section}, ${width} px`;
          const isTable = width >= 900;
          await expectPage(page.getByRole('table')).toHaveCount(isTable ? 1 : 0);
          await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
          const rows = isTable ? page.locator('tbody tr') : page.getByRole('main').locator('ul > li');
          const first = rows.first();
          await expectPage(first).toBeVisible();
          if (isTable) {
            await expectPage
              .poll(
                async () => {
                  const head = await page.locator('thead').boundingBox();
                  const row = await first.boundingBox();
                  return { isUnderHead: head && row && head.y + head.height <= row.y + 0.5, height: row?.height };
                },
                { message: label },
              )
              .toEqual({ isUnderHead: true, height: 44 });
          }
          await expectInSight(first.locator('button, a').first(), `${label}: first row`);
          for (const button of await first.getByRole('button', { name: buttons }).all())
            await expectInSight(button, `${label}: ${await button.getAttribute('aria-label')}`);
          // Scrolled down, the buttons of the row in the middle stay pressable: no head lies over them.
          const tenth = rows.nth(9);
          await tenth.scrollIntoViewIfNeeded();
          for (const button of await tenth.getByRole('button', { name: buttons }).all())
            await expectInSight(button, `${label}: row 10, ${await button.getAttribute('aria-label')}`);
          await expectNoOverflow(page);
        }
      }
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test.each(['Ventes', 'Demandes de Paiement'])(
    '[NV-06] at 900 and 1024 px every column of « %s » is in sight, without scrolling sideways',
    async (section) => {
      const { page, errors } = await open({ viewport: { width: 900, height: 800 } });
      await pickSection(page, section === 'Ventes' ? section : 'Paiements');
      await page.locator('tbody tr a').first().waitFor();
      const beyond = () =>
        page.getByRole('table').evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));
      await expectPage.poll(beyond).toBeLessThanOrEqual(0);
      // With the menu beside it.
      await page.setViewportSize({ width: 1024, height: 800 });
      await expectPage.poll(beyond).toBeLessThanOrEqual(0);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('[NV-06] on a tablet a card says two things a line, on a phone one', async () => {
    const { page, errors } = await open({ viewport: { width: 768, height: 800 } });
    await pickSection(page, 'Validations');
    const card = page.getByRole('main').locator('ul > li', { hasText: 'Parrain' }).first();
    const apart = async () => {
      const [one, other] = await Promise.all(
        ['Commercial', 'Parrain'].map((name) => card.getByText(name, { exact: true }).boundingBox()),
      );
      return (other?.y ?? Number.NaN) - (one?.y ?? Number.NaN);
    };
    await expectPage.poll(apart).toBe(0);
    await page.setViewportSize({ width: 640, height: 800 });
    await expectPage.poll(apart).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test(
    '[NV-06] at 1280 × 800 twelve comfortable rows of each list are in sight; compact ones are more, and remembered',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open({ viewport: { width: 1280, height: 800 } });
      // Under the title, telephones and marks of DF-11 and DF-40 the requests have the ten that the row asks for.
      for (const [section, count] of [
        ['Ventes', 12],
        ['Validations', 12],
        ['Demandes de Paiement', 10],
        ['Journal', 12],
      ] as const) {
        await openSection(page, section);
        await page.locator('tbody tr button, tbody tr a').first().waitFor();
        await expectPage.poll(() => rowsInSight(page), section).toBeGreaterThanOrEqual(count);
      }
      await openSection(page, 'Ventes');
      await page.getByRole('button', { name: 'Affichage : Toutes les ventes' }).press('Enter');
      await page.getByRole('menuitemradio', { name: 'Compactes' }).press('Enter');
      await page.getByRole('menuitemcheckbox', { name: 'Parrain' }).press('Enter');
      await page.keyboard.press('Escape');
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toHaveCount(0);
      await expectPage.poll(() => rowsInSight(page)).toBeGreaterThanOrEqual(14);
      await page.reload();
      await page.locator('tbody tr button, tbody tr a').first().waitFor();
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toHaveCount(0);
      await expectPage.poll(() => rowsInSight(page)).toBeGreaterThanOrEqual(14);
      // A text that its column cuts is whole in its title.
      const name = page.locator('tbody tr').first().locator('[title]').first();
      expect(await name.getAttribute('title')).toBe(await name.innerText());
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

/** Texts of the cells that are cut: by the end of their line, or by the foot of their two lines. */
const cutTexts = (page: Page, column: string) =>
  page.getByRole('table').evaluate((table, name) => {
    const at = [...table.querySelectorAll('thead th')].findIndex(
      (head) => (head as HTMLElement).innerText.trim() === name,
    );
    return [...table.querySelectorAll(`tbody :is(th, td):nth-child(${at + 1}) [title]`)]
      .filter((text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1)
      .map((text) => text.textContent);
  }, column);

describe('names and figures at every width', { tags: 'long' }, () => {
  test('[NV-06][AD-07] « Ventes » cuts no name from 900 px on, and its rows keep their 44 px but for a name of three lines', async () => {
    const { page, errors } = await open({ viewport: { width: 1280, height: 800 } });
    await openSection(page, 'Ventes');
    await page.locator('tbody tr a').first().waitFor();
    await expectPage(page.locator('tbody')).toContainText('Jade de La Rochefoucauld-Montbel');
    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 800 });
      for (const column of ['Client', 'Commercial', 'Parrain'])
        await expectPage.poll(() => cutTexts(page, column), `${column} at ${width}`).toEqual([]);
      const heights = await page
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows
            .filter((row) => [...row.querySelectorAll(':is(th, td) [title]')].every((text) => text.clientHeight <= 36))
            .map((row) => row.clientHeight),
        );
      expect(new Set(heights)).toEqual(new Set([44]));
      expect(heights.length).toBeGreaterThan(20);
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-06][AD-07] « Ventes » shows the whole of a surname of thirty letters without a space, at every width', async () => {
    const surname = 'Wolfeschlegelsteinhausenberger';
    const { page, errors } = await open({
      viewport: { width: 1280, height: 800 },
      prepare: async (opened) => {
        await opened.route(/\/rest\/v1\/sales\?/u, async (route) => {
          const response = await route.fetch();
          // Of contacts, commercials and referrers alike.
          const text = (await response.text()).replaceAll(
            /(?<key>"(?:referred_contact_name|full_name)"): ?"(?<first>[^" ]+)[^"]*"/gu,
            `$<key>:"$<first> ${surname}"`,
          );
          await route.fulfill({ response, body: text });
        });
      },
    });
    await openSection(page, 'Ventes');
    await page.locator('tbody tr a').filter({ hasText: surname }).first().waitFor();
    const cut = () =>
      page
        .locator('main :is(td, li) [title]')
        .evaluateAll((texts) =>
          texts
            .filter((text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1)
            .map((text) => text.textContent),
        );
    for (const width of [1280, 900, 768, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectPage(page.getByRole('table')).toHaveCount(width >= 900 ? 1 : 0);
      await expectPage.poll(cut, `${width} px`).toEqual([]);
      await expectNoOverflow(page);
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-06][H-03] at 360 px the header shows the whole of « Dashboard Administrateur », with a logo too', async () => {
    const { page, errors } = await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    const title = page.getByRole('heading', { level: 1, name: 'Dashboard Administrateur' });
    await expectPage(title).toBeVisible();
    const isWhole = () =>
      title.evaluate((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1);
    await expectPage.poll(isWhole).toBe(true);
    // As a wide logo would stand.
    await page.evaluate(() => {
      const logo = document.createElement('span');
      logo.style.cssText = 'flex:none;width:36px;margin-right:8px';
      document.querySelector('[data-banner] > div')?.prepend(logo);
    });
    await expectPage.poll(isWhole).toBe(true);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test.each([1024, 1279, 1280, 1920])(
    '[NV-06][CO-04] at %i px the four figures of « Mes Clients » stand in whole rows',
    async (width) => {
      const { page, errors } = await openAs('commercial', demoEmails.commercial, { viewport: { width, height: 800 } });
      await openSection(page, 'Mes Clients');
      const tops = async () => {
        const cards = page
          .getByRole('main')
          .locator('dl:has(dt)')
          .filter({ hasText: /^(?:Clients invités|Total parrainages|Contrats signés|CA généré)/u });
        const all = await cards.evaluateAll((found) =>
          found.slice(0, 4).map((card) => Math.round(card.getBoundingClientRect().top)),
        );
        return [...new Set(all)].map((top) => all.filter((one) => one === top).length);
      };
      await expectPage.poll(tops).toEqual(width < 1280 ? [2, 2] : [4]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test.each([1024, 1280])(
    '[NV-06][CO-02] at %i px no e-mail address of « Parrainages reçus » is broken',
    async (width) => {
      const { page, errors } = await openAs('commercial', demoEmails.commercial, { viewport: { width, height: 800 } });
      const addresses = page.getByRole('main').locator('article a[href^="mailto:"]');
      await addresses.first().waitFor();
      const broken = () =>
        addresses.evaluateAll((links) =>
          links
            .map((link) => link.querySelector('wbr')?.parentElement)
            .filter(
              (text) =>
                text &&
                (text.textContent ?? '').length <= 32 &&
                new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size > 1,
            )
            .map((text) => text?.textContent),
        );
      await expectPage.poll(broken).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

describe('an installation without mail server', () => {
  test(
    '[E-03] says before an invitation that its credentials are to be handed over, and promises no e-mail',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      for (const [section, button] of [
        ['Commerciaux', 'Ajouter un commercial'],
        ['Clients', 'Ajouter un client'],
      ] as const) {
        await openSection(page, section);
        await page.getByRole('button', { name: button }).click();
        const dialog = page.getByRole('dialog', { name: button });
        await expectPage(dialog).toContainText('L’envoi d’e-mails n’est pas configuré');
        await expectPage(dialog).not.toContainText('reçoit');
        await expectPage(dialog.getByRole('button', { name: 'Créer le compte' })).toBeVisible();
        await page.keyboard.press('Escape');
        await expectPage(dialog).toHaveCount(0);
      }
      const { page: own, errors: ownErrors } = await openAs('commercial', demoEmails.commercial);
      await openSection(own, 'Mes Clients');
      await own.getByRole('button', { name: 'Ajouter un client' }).click();
      const adding = own.getByRole('dialog', { name: 'Ajouter un client' });
      await expectPage(adding).toContainText('L’envoi d’e-mails n’est pas configuré');
      await expectPage(adding.getByRole('button', { name: 'Créer le compte' })).toBeVisible();
      await openSection(page, 'État du système');
      await expectPage(page.getByText('Aucune panne, mais il manque')).toBeVisible();
      expect([...errors, ...ownErrors]).toEqual([]);
      await page.context().close();
      await own.context().close();
    },
  );

  test('[E-03][CL-03][AU-13] a client recommends a friend, and no link to another address is offered', async () => {
    const { page, errors } = await openAs('client', demoEmails.client);
    await page.getByRole('button', { name: 'Inviter un ami' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Inviter un ami' });
    await expectPage(dialog.getByRole('button', { name: 'Inviter cet ami' })).toBeVisible();
    await expectPage(dialog).not.toContainText(/envoy/iu);
    await dialog.getByLabel('Nom de votre ami').fill('Lou Sansmail');
    await dialog.getByLabel('E-mail de votre ami').fill('lou.sansmail@exemple.fr');
    await dialog.getByRole('button', { name: 'Inviter cet ami' }).click();
    await expectPage(
      page.getByText(/^Recommandation enregistrée\s! Votre commercial pourra recontacter votre ami\.$/u),
    ).toBeVisible();
    await openSection(page, 'Profil');
    await expectPage(page.getByText('aucun e-mail ne part de cette installation')).toBeVisible();
    await expectPage(page.getByRole('button', { name: 'Changer d’adresse' })).toHaveCount(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[E-03][PO-04] a changed IBAN waits for its day, and for no e-mail', async () => {
    const asked = await act<{ data: { id: string } }>(demoEmails.client, 'payment-request', {
      action: 'create',
      amount: '1.00',
      payment_method: 'virement',
      payment_details: { iban: 'DE89370400440532013000', beneficiary_name: 'Sophie Marchand' },
    });
    const { page, errors } = await open();
    await page.goto(`${server.origin()}/admin/dashboard?section=demandes-de-paiement&demande=${asked.data.id}`);
    await expectPage(page.getByText(/^IBAN changé, utilisable le [^,]* à \d\d:\d\d\.$/u)).toBeVisible();
    expect(errors).toEqual([]);
    // Nobody else’s to wait for.
    await decide('payment-request', {
      action: 'update_status',
      request_id: asked.data.id,
      status: 'rejected',
      rejection_reason: 'Essai',
    });
    await page.context().close();
  });
});

describe('Historique des paiements', () => {
  test('[PO-02][NV-01] a payment opens its request, and closing it leads back to the history', async () => {
    const { page, errors } = await open();
    await page.goto(`${server.origin()}/admin/dashboard?section=historique-des-paiements`);
    await page.locator('tbody tr').filter({ hasText: 'Client' }).first().getByRole('link').click();
    await expectPage(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await expectPage(page.getByRole('table', { name: 'Historique des paiements' })).toBeVisible();
    expect(new URL(page.url()).searchParams.get('section')).toBe('historique-des-paiements');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('a person opened from another list', () => {
  const place = (page: Page) => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get('section'), searchParams.get('client') === null ? 'list' : 'panel'];
  };

  test(
    '[NV-02][NV-01] closes onto the sale and the list that they came from, after a reload too',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      await page.goto(`${server.origin()}/admin/dashboard?section=ventes&recherche=Rivière`);
      const row = page.locator('tbody tr').first().getByRole('link');
      const sale = await row.innerText();
      await row.click();
      const person = page.getByRole('dialog').locator('a[href*="client="]');
      const name = await person.innerText();
      await person.click();
      await expectPage(page.getByRole('dialog', { name })).toBeVisible();
      await page.reload();
      await expectPage(page.getByRole('dialog', { name })).toBeVisible();
      await page.keyboard.press('Escape');
      await expectPage(page.getByRole('dialog', { name: sale })).toBeVisible();
      await page.keyboard.press('Escape');
      await expectPage(page.getByRole('dialog')).toHaveCount(0);
      await expectPage.poll(() => place(page)).toEqual(['ventes', 'list']);
      expect(new URL(page.url()).searchParams.get('recherche')).toBe('Rivière');
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  test('[NV-02][NW-01] closes onto the network where it was opened there, and onto its own list where an address named it', async () => {
    const { page, errors } = await open();
    await page.goto(`${server.origin()}/admin/dashboard?section=reseau`);
    await page
      .getByRole('treeitem', { name: /^Amélie Roussel/u })
      .getByText('Amélie Roussel', { exact: true })
      .click();
    await expectPage(page.getByRole('dialog', { name: 'Amélie Roussel' })).toBeVisible();
    const address = page.url();
    // The next person is the same step of the way.
    await page.getByRole('dialog').getByRole('button', { name: 'Suivant (J)' }).click();
    await expectPage(page.getByRole('dialog', { name: 'Amélie Roussel' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await expectPage.poll(() => place(page)).toEqual(['reseau', 'list']);
    await page.goto(address);
    await expectPage(page.getByRole('dialog', { name: 'Amélie Roussel' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await expectPage.poll(() => place(page)).toEqual(['commerciaux', 'list']);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('a new scale', () => {
  test('[AD-08] each side is computed as soon as it is typed, and a corrected field loses its error', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Commissions');
    await page.getByRole('button', { name: 'Nouveau barème' }).click();
    const dialog = page.getByRole('dialog', { name: 'Nouveau barème' });
    await dialog.getByText('Montant fixe').first().click();
    await dialog.getByRole('button', { name: 'Créer le barème' }).click();
    const client = dialog.getByLabel('Montant client');
    await expectPage(client).toHaveAttribute('aria-invalid', 'true');
    await client.fill('50');
    await expectPage(client).not.toHaveAttribute('aria-invalid', 'true');
    const preview = dialog.getByRole('region', { name: 'Aperçu' });
    await expectPage(preview).toContainText('50,00 €');
    await expectPage(preview).toContainText('Saisissez le montant commercial');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('the totals of a long list', () => {
  test('[NV-05] beyond 25 000 rows they are added up when they are asked for, and the list says so', async () => {
    const { page, errors } = await open({
      prepare: async (opened) => {
        // As the server counts where there are as many.
        await opened.route(/\/rest\/v1\/sales\?/u, async (route) => {
          const reply = await route.fetch();
          const headers = reply.headers();
          const range = headers['content-range'];
          await route.fulfill({
            response: reply,
            headers: range === undefined ? headers : { ...headers, 'content-range': range.replace(/\d+$/u, '25001') },
          });
        });
      },
    });
    await openSection(page, 'Ventes');
    const foot = page.getByRole('table', { name: 'Toutes les ventes' }).locator('tfoot');
    await expectPage(foot).toContainText(/à la demande au-delà de 25\s000 lignes/u);
    await expectPage(foot).not.toContainText('€');
    await foot.getByRole('button', { name: 'Calculer' }).click();
    await expectPage(foot).toContainText('€');
    await expectPage(foot).not.toContainText('à la demande');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('Clients', () => {
  test(
    '[NV-06][AD-06] from 1164 to 1440 px no name and no e-mail address is cut, and each is in sight',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      await openSection(page, 'Clients');
      await showAsList(page);
      const rows = page.getByRole('table', { name: 'Clients' }).locator('tbody tr');
      await rows.first().getByRole('link').waitFor();
      const people = await read<{ full_name: string; email: string }>(
        demoEmails.admin,
        'profiles?select=full_name,email&role=eq.client&order=created_at.desc,id&limit=25',
      );
      for (const width of [1164, 1280, 1366, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await expectPage
          .poll(
            async () => {
              const seen = await rows.evaluateAll((all) =>
                all.map((row) => ({
                  text: (row as HTMLElement).innerText,
                  cut: [...row.querySelectorAll(':is(th, td) [title]')]
                    .filter((one) => one.scrollWidth > one.clientWidth)
                    .map((one) => one.textContent),
                })),
              );
              const isSeen = ({ full_name: name, email }: (typeof people)[number]) =>
                seen.some(({ text }) => text.includes(name) && text.includes(email));
              return { unseen: people.filter((one) => !isSeen(one)), cut: seen.flatMap(({ cut }) => cut) };
            },
            { message: `${width} px` },
          )
          .toEqual({ unseen: [], cut: [] });
      }
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

describe('the address of a list', () => {
  test('[NV-01][NV-05] what is typed stays in the search box while the address follows', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Ventes');
    const box = page.getByLabel('Rechercher une vente');
    await box.fill('ma');
    await expectPage(page).toHaveURL(/recherche=ma(?:&|$)/u);
    // All that the page itself writes into the box from now on.
    await box.evaluate((input: HTMLInputElement) => {
      const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      const written: string[] = [];
      Object.defineProperty(input, 'value', {
        configurable: true,
        get: () => own?.get?.call(input) as string,
        set: (text: string) => {
          written.push(text);
          own?.set?.call(input, text);
        },
      });
      Object.assign(window, { written });
    });
    await box.pressSequentially('rt');
    await expectPage(page).toHaveURL(/recherche=mart(?:&|$)/u);
    await box.press('End');
    await box.pressSequentially('in');
    await expectPage(page).toHaveURL(/recherche=martin(?:&|$)/u);
    await expectPage(box).toHaveValue('martin');
    const written = await page.evaluate(() => (window as unknown as { written: string[] }).written);
    expect(written.filter((text) => !['mar', 'mart', 'marti', 'martin'].includes(text))).toEqual([]);
    // From outside it still follows.
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    await expectPage(box).toHaveValue('');
    await expectPage(page).not.toHaveURL(/recherche=/u);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-01][NV-02] section, filter, sort, search, page and opened record are in it; reload, Back and a link show the same', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Ventes');
    await page.getByLabel('Filtrer par statut').click();
    await page.getByRole('option', { name: 'Validé par admin' }).click();
    await page.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await page.getByLabel('Rechercher une vente').fill('a');
    await expectPage(page).toHaveURL(/recherche=a/u);
    await page.getByRole('button', { name: 'Page suivante' }).click();
    await expectPage(page).toHaveURL(/page=/u);
    const range = page.getByRole('navigation', { name: 'Pages : Toutes les ventes' }).locator('p');
    await expectPage(range).toHaveText(/^26–/u);
    await nothingComes(page);
    await expectPage
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toMatchObject({
        section: 'ventes',
        statut: 'validated',
        tri: 'contract_amount',
        sens: 'asc',
        recherche: 'a',
      });
    // An open panel hides the list behind from the roles.
    const names = page.locator('tbody tr').getByRole('link', { includeHidden: true });
    const [first, second] = await names.allInnerTexts();
    expect([first, second]).toEqual([expect.stringMatching(/\S/u), expect.stringMatching(/\S/u)]);
    const row = page.locator('tbody tr').first().getByRole('link');
    const href = (await row.getAttribute('href')) ?? '';
    await row.click();
    await expectPage(page.getByRole('dialog', { name: first ?? '' })).toBeVisible();
    await expectPage(page).toHaveURL(new URL(href, page.url()).href);
    // The keyboard goes through the list behind, and back; over the end of the page too.
    await page.keyboard.press('j');
    await expectPage(page.getByRole('dialog', { name: second ?? '' })).toBeVisible();
    await page.keyboard.press('k');
    await expectPage(page.getByRole('dialog', { name: first ?? '' })).toBeVisible();
    await page.keyboard.press('k');
    await expectPage(range).toHaveText(/^1–25/u);
    await expectPage(page.getByRole('dialog')).toBeVisible();
    const last = (await names.last().innerText()).trim();
    await expectPage(page.getByRole('dialog', { name: last })).toBeVisible();
    await page.keyboard.press('j');
    await expectPage(page.getByRole('dialog', { name: first ?? '' })).toBeVisible();
    await page.reload();
    await expectPage(page.getByRole('dialog', { name: first ?? '' })).toBeVisible();
    await expectPage(page.getByLabel('Filtrer par statut')).toHaveText('Validé par admin');
    await page.keyboard.press('Escape');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await expectPage(page).not.toHaveURL(/[?&]vente=/u);
    await openSection(page, 'Clients');
    await page.goBack();
    await expectPage(page.getByLabel('Filtrer par statut')).toHaveText('Validé par admin');
    // A colleague opens the link: without a session they sign in first, and then see the same.
    const { page: other } = await openUrl(new URL(href, page.url()).href);
    await other.getByLabel('E-mail').fill(demoEmails.admin);
    await other.getByRole('textbox', { name: 'Mot de passe' }).fill(demoPassword);
    await other.keyboard.press('Enter');
    await expectPage(other.getByRole('dialog', { name: first ?? '' })).toBeVisible();
    expect(errors).toEqual([]);
    await other.context().close();
    await page.context().close();
  });

  test(
    '[NV-01] an address that names nothing says so and leads back; a section and a row open in a new tab',
    { tags: 'long' },
    async () => {
      const { page } = await open();
      await openSection(page, 'Ventes');
      await page.goto(`${server.origin()}/admin/dashboard?section=tresorerie`);
      await page.getByText('Cette adresse ne mène à rien').waitFor();
      await page.getByRole('button', { name: "Revenir à « Vue d'ensemble »" }).click();
      await page.getByRole('heading', { level: 2, name: "Vue d'ensemble" }).waitFor();
      for (const [section, record, words] of [
        ['ventes', 'vente', 'Cette vente n’existe plus'],
        ['demandes-de-paiement', 'demande', 'Cette demande n’existe plus'],
        ['clients', 'client', 'Ce compte n’existe plus'],
        ['commerciaux', 'commercial', 'Ce compte n’existe plus'],
      ] as const) {
        for (const id of ['00000000-0000-4000-8000-000000000000', 'nimporte'] as const) {
          await page.goto(`${server.origin()}/admin/dashboard?section=${section}&${record}=${id}`);
          await page.getByText(words).waitFor();
          await page.getByRole('button', { name: 'Revenir à la liste' }).click();
          await expectPage(page.getByRole('dialog')).toHaveCount(0);
          await expectPage(page.locator('main :is(tbody tr, ul > li) [data-row]').first()).toBeVisible();
        }
      }
      // A row that is read anew between the press and the release opens nothing.
      await sectionStands(page, 'Commerciaux');
      const row = page.locator('main ul > li').first().locator('[data-row]');
      const isLeftToBrowser = page.evaluate(
        () =>
          new Promise<boolean>((resolve) =>
            window.addEventListener('auxclick', (event) => resolve(!event.defaultPrevented), { once: true }),
          ),
      );
      await row.click({ button: 'middle' });
      // The browser opens the link in a tab behind this one. Chromium's protocol may miss such a tab, or believe for ever that it still
      // navigates: its address is opened here.
      expect(await isLeftToBrowser).toBe(true);
      await expectPage(page.getByRole('dialog')).toHaveCount(0);
      await page.goto(new URL((await row.getAttribute('href')) ?? '', server.origin()).href);
      await page.getByRole('dialog').waitFor();
      await page.context().close();
    },
  );
});

describe('a decision where the contract is read', () => {
  test('[AD-09][NV-02] a sale is found by name and validated in four clicks, by keyboard too, and the next contract follows', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Validations');
    const names = page.locator('tbody tr a > span:first-child');
    await names.first().waitFor();
    const [first = '', second = '', third = ''] = await names.allInnerTexts();
    // One: Ventes. The search is typed. Two: the row. Three: « Valider ». Four: the confirmation.
    await openSection(page, 'Ventes');
    await page.getByLabel('Rechercher une vente').fill(first);
    await expectPage(page).toHaveURL(/recherche=/u);
    await expectPage(page.getByRole('navigation', { name: 'Pages : Toutes les ventes' })).toHaveCount(0);
    await page
      .locator('tbody tr')
      .filter({ hasText: 'validation société' })
      .or(page.locator('tbody tr').filter({ hasText: 'À valider par admin' }))
      .first()
      .getByRole('link', { name: first })
      .click();
    const panel = page.getByRole('dialog', { name: first, exact: true });
    await panel.getByRole('button', { name: 'Valider', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Valider le contrat/u });
    await dialog.getByRole('button', { name: 'Valider le contrat' }).click();
    await expectPage(page.getByText('Contrat validé', { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    // In Validations the panel goes on by itself.
    await openSection(page, 'Validations');
    await page.getByRole('link', { name: second }).first().press('Enter');
    await expectPage(page.getByRole('dialog', { name: second })).toBeFocused();
    await page
      .getByRole('dialog', { name: second })
      .getByRole('button', { name: 'Valider', exact: true })
      .press('Enter');
    await expectPage(dialog.getByRole('combobox', { name: 'Barème' })).toBeVisible();
    await dialog.getByRole('button', { name: 'Valider le contrat' }).press('Enter');
    await expectPage(page.getByRole('dialog', { name: third })).toBeVisible();
    await page.keyboard.press('Escape');
    // Decided in the list itself: the focus is on the next contract, never lost.
    await page.getByLabel('Rechercher un contrat').fill(third);
    await expectPage(names).toHaveText([third]);
    await page.getByLabel('Rechercher un contrat').fill('');
    await expectPage(names.nth(1)).toBeVisible();
    const fourth = await names.nth(1).innerText();
    await page
      .getByRole('button', { name: /^Valider le contrat/u })
      .first()
      .press('Enter');
    await dialog.getByRole('button', { name: 'Valider le contrat' }).press('Enter');
    await expectPage(names.first()).toHaveText(fourth);
    await expectPage(page.getByRole('button', { name: /^Valider le contrat/u }).first()).toBeFocused();
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('what a list is narrowed to, and adds up to', () => {
  const amountsOf = (rows: readonly Readonly<Record<string, unknown>>[], ...columns: string[]) =>
    euros(
      rows
        .flatMap((row) => columns.map((column) => Math.round(Number(row[column] ?? 0) * 100)))
        .reduce((a, b) => a + b, 0) / 100,
    );
  // Each beside its « Pourquoi ? ».
  const totals = async (page: Page) => {
    const text = (await page.locator('tfoot').innerText()).replaceAll(/Pourquoi\s\?\s*/gu, '');
    return plain(text.replaceAll(/[\t\n]+/gu, ' | '));
  };
  const choose = async (page: Page, filter: string, option: string) => {
    await page.getByLabel(filter).click();
    await page.getByRole('option', { name: option }).click();
  };

  test('[NV-05][AD-07] sales of a period, in the address, with the exact totals of all its pages; two days of one’s own', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Ventes');
    await choose(page, 'Filtrer par date', 'Cette année');
    await expectPage(page).toHaveURL(/periode=annee/u);
    const year = new Date().getFullYear();
    const midnight = (day: string) => encodeURIComponent(`${day} 00:00 Europe/Paris`);
    const columns = 'select=contract_amount,client_commission_amount,commercial_commission_amount';
    const sales = await read<Record<string, number | null>>(
      demoEmails.admin,
      `sales?${columns}&created_at=gte.${midnight(`${year}-01-01`)}&created_at=lt.${midnight(`${year + 1}-01-01`)}`,
    );
    const expected = [
      'Total',
      amountsOf(sales, 'contract_amount'),
      amountsOf(sales, 'client_commission_amount', 'commercial_commission_amount'),
    ];
    await expectPage.poll(() => totals(page)).toBe(expected.join(' | '));
    await choose(page, 'Filtrer par date', 'Du… au…');
    await page.getByLabel('Du', { exact: true }).fill(`${year}-01-01`);
    await expectPage(page).toHaveURL(/periode=\d{4}-01-01\.\.(?:&|$)/u);
    // A person who types goes on by Tab: the address that follows takes neither the focus nor the first day.
    await expectPage(page.getByLabel('Du', { exact: true })).toBeFocused();
    await page.getByLabel('Au', { exact: true }).fill('2000-01-01');
    await page.getByText('Aucune vente ne correspond à ces filtres.').waitFor();
    // The second is chosen before the address shows the first.
    await page.getByLabel('Du', { exact: true }).fill('2000-01-01');
    await page.getByLabel('Du', { exact: true }).fill(`${year}-01-01`);
    await page.getByLabel('Au', { exact: true }).fill(`${year}-12-31`);
    await expectPage(page).toHaveURL(new RegExp(`periode=${year}-01-01\\.\\.${year}-12-31`, 'u'));
    await expectPage.poll(() => totals(page)).toBe(expected.join(' | '));
    await page.reload();
    await expectPage(page.getByLabel('Au', { exact: true })).toHaveValue(`${year}-12-31`);
    expect(await brokenRules(page)).toEqual([]);
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    await expectPage(page).not.toHaveURL(/periode/u);
    // Below the width of a table the totals close the cards.
    await page.setViewportSize({ width: 360, height: 800 });
    const all = await read<Record<string, number | null>>(demoEmails.admin, `sales?${columns}`);
    await expectText(page.getByRole('main').locator('dl').last()).toContain(amountsOf(all, 'contract_amount'));
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-05][AD-10] requests are searched, sorted by amount, narrowed by means and day of payment; what is to pay stands by means', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Demandes de Paiement');
    const requests = await read<{
      amount: number;
      status: string;
      payment_method: string;
      client: { full_name: string };
    }>(demoEmails.admin, 'payment_requests?select=amount,status,payment_method,client:profiles(full_name)');
    const first = page.locator('tbody tr').first();
    await page.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await expectText(first).toContain(euros(Math.min(...requests.map(({ amount }) => amount))));
    await page.getByRole('columnheader', { name: 'Montant' }).getByRole('button').click();
    await expectText(first).toContain(euros(Math.max(...requests.map(({ amount }) => amount))));
    const name = requests[0]?.client.full_name ?? '';
    const named = requests.filter(({ client }) => client.full_name === name);
    await page.getByLabel('Rechercher une demande').fill(name.toLocaleUpperCase('fr-FR'));
    await expectPage(page.locator('tbody tr')).toHaveCount(named.length);
    // The file has what the search leaves, and no more.
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Exporter' }).click();
    await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
    const file = await (await download).createReadStream();
    let content = '';
    for await (const part of file) content += String(part);
    expect(content.trim().split('\r\n')).toHaveLength(named.length + 1);
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    const paid = requests.filter(({ status }) => status === 'paid');
    await page.getByRole('radio', { name: 'Payées' }).click({ force: true });
    await choose(page, 'Filtrer par moyen de paiement', 'Virement bancaire');
    await choose(page, 'Filtrer par date de paiement', 'Cette année');
    await page.getByRole('columnheader', { name: 'Payée le' }).waitFor();
    await expectPage(page).toHaveURL(/statut=paid.*moyen=virement.*periode=annee/u);
    expect(paid.length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Tout effacer' }).click();
    await page.getByRole('radio', { name: /^Approuvées/u }).click({ force: true });
    const toPay = requests.filter(
      ({ status, payment_method }) => status === 'approved' && payment_method === 'virement',
    );
    const chip = page
      .getByRole('group', { name: 'À payer, par moyen de paiement' })
      .locator('label')
      .filter({ hasText: /^Virement bancaire/u });
    await expectPage
      .poll(async () => plain(await chip.innerText()).replace('\n', ' '))
      .toBe(`Virement bancaire · ${amountsOf(toPay, 'amount')} ${toPay.length}`);
    await chip.click();
    await expectPage(page.locator('tbody tr')).toHaveCount(toPay.length);
    expect(await brokenRules(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('the tools of a list on a phone', { tags: 'long' }, () => {
  const phone = { viewport: { width: 360, height: 800 }, isMobile: true, hasTouch: true };

  test('[NV-05][NV-06] « Filtrer » holds filters, order and export, and says how many narrow the list; the address tells the same', async () => {
    const { page, errors } = await open(phone);
    await page.goto(`${server.origin()}/admin/dashboard?section=ventes`);
    const rows = page.getByRole('list', { name: 'Toutes les ventes' }).getByRole('listitem');
    await expectPage(rows.first()).toBeVisible();
    const filter = page.getByRole('button', { name: 'Filtrer', exact: true });
    await expectPage(page.getByRole('combobox', { name: /^(?:Filtrer|Trier) par/u })).toHaveCount(0);
    // By keyboard: in at the first control, out by Escape, back to the button.
    await filter.focus();
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Filtrer et trier' });
    const status = sheet.getByRole('combobox', { name: 'Filtrer par statut' });
    await expectPage(status).toBeFocused();
    const period = sheet.getByRole('combobox', { name: 'Filtrer par date' });
    // The whole of « Toutes les dates » has room.
    await expectPage(period.getByText('Toutes les dates')).toBeVisible();
    await expectPage
      .poll(() =>
        period
          .locator('span')
          .first()
          .evaluate((text) => text.scrollWidth - text.clientWidth),
      )
      .toBe(0);
    expect(await brokenRules(page)).toEqual([]);
    await status.click();
    await page.getByRole('option', { name: 'Refusé' }).click();
    await expectPage(page).toHaveURL(/statut=rejected/u);
    await period.click();
    await page.getByRole('option', { name: 'Cette année' }).click();
    await expectPage(page).toHaveURL(/periode=annee/u);
    await sheet.getByRole('combobox', { name: 'Trier par' }).selectOption('Client');
    await expectPage(page).toHaveURL(/tri=referred_contact_name/u);
    await page.keyboard.press('Escape');
    await expectPage(sheet).toHaveCount(0);
    const filtered = page.getByRole('button', { name: 'Filtrer : 2 filtres actifs' });
    await expectPage(filtered).toBeFocused();
    await expectPage(rows.filter({ hasText: 'Refusé' }).first()).toBeVisible();
    await expectPage(rows.filter({ hasNotText: 'Refusé' })).toHaveCount(0);
    // A link, or a reload, says it too; all of it is forgotten at once.
    await page.reload();
    await filtered.click();
    await expectPage(status).toContainText('Refusé');
    await sheet.getByRole('button', { name: 'Tout effacer' }).click();
    await expectPage(page).not.toHaveURL(/statut|periode/u);
    await sheet.getByRole('button', { name: 'Voir la liste' }).click();
    await expectPage(filter).toBeVisible();
    await expectPage(rows.filter({ hasNotText: 'Refusé' }).first()).toBeVisible();
    // A view of the list is an address, and its filters are counted.
    await page.getByRole('button', { name: 'Vues : Toutes les ventes' }).click();
    await page.getByRole('menuitem', { name: 'Validées, de ce mois' }).click();
    await expectPage(filtered).toBeVisible();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[EX-01][NV-05] an export goes on behind the closed sheet', async () => {
    const { page, errors } = await open(phone);
    await page.goto(`${server.origin()}/admin/dashboard?section=clients`);
    await page.getByRole('button', { name: 'Filtrer', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Filtrer et trier' });
    await page.route('**/exports/v1/**', async (route) => {
      await expectPage(sheet).toHaveCount(0);
      await route.continue();
    });
    await sheet.getByRole('button', { name: 'Exporter' }).click();
    const file = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
    await sheet.getByRole('button', { name: 'Voir la liste' }).click();
    expect((await file).suggestedFilename()).toMatch(/\.csv$/u);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-06] the first row of each list begins in the upper 45 % of an 800 px screen', async () => {
    const { page, errors } = await open(phone);
    for (const section of [
      'commerciaux',
      'clients',
      'ventes',
      'ventes&statut=validated&periode=annee',
      'validations',
      'demandes-de-paiement',
      'demandes-de-paiement&statut=approved',
      'virements',
      'commissions&vue=creditees',
      'historique-des-paiements',
      'journal',
    ]) {
      await page.goto(`${server.origin()}/admin/dashboard?section=${section}`);
      const first = page.getByRole('main').locator('li [data-row], tbody tr').first();
      await expectPage(first, section).toBeVisible();
      await expectPage
        .poll(async () => (await first.boundingBox())?.y ?? Infinity, { message: section })
        .toBeLessThan(360);
      await expectNoOverflow(page);
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('a page that is still read', () => {
  test('[NV-07] under a new search leads nowhere: its marks are those of the list before', async () => {
    const found = Promise.withResolvers<void>();
    const { page, errors } = await open({
      prepare: async (opened) => {
        await opened.route(/\/rest\/v1\/sales\?.*martin/u, async (route) => {
          await found.promise;
          await route.continue();
        });
      },
    });
    await openSection(page, 'Ventes');
    const next = page.getByRole('button', { name: 'Page suivante : Toutes les ventes' });
    await expectPage(next).toBeEnabled();
    await page.getByLabel('Rechercher une vente').fill('martin');
    await expectPage(page).toHaveURL(/recherche=martin/u);
    await expectPage(next).toBeDisabled();
    await next.click({ force: true });
    found.resolve();
    await expectPage(page.getByRole('main').locator('[aria-busy]')).toHaveCount(0);
    expect(new URL(page.url()).searchParams.get('page')).toBeNull();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-03] Enter waits for the options of what was typed, and a press for its own release', async () => {
    const found = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { page, errors } = await open({
      prepare: async (opened) => {
        for (const [place, name] of ['julien', 'karim'].entries())
          await opened.route(new RegExp(`/rest/v1/.*${name}`, 'iu'), async (route) => {
            await found[place]?.promise;
            await route.continue();
          });
      },
    });
    await openSection(page, 'Ventes');
    const picker = page.getByRole('combobox', { name: 'Filtrer par commercial' });
    await picker.click();
    const options = page.getByRole('option');
    await expectPage(options.nth(1)).toBeVisible();
    await page.getByRole('combobox', { name: 'Nom ou e-mail' }).fill('Julien');
    await page.keyboard.press('Enter');
    await expectPage(options.nth(1)).toBeVisible();
    found[0]?.resolve();
    await expectPage(picker).toHaveText('Julien Mercier');
    await expectPage(options).toHaveCount(0);

    await picker.click();
    const karim = options.filter({ hasText: /^Karim Benali/u });
    await expectPage(options.nth(1)).toBeVisible();
    await page.getByRole('combobox', { name: 'Nom ou e-mail' }).fill('Karim');
    await karim.hover();
    await page.mouse.down();
    const popup = page.getByRole('dialog', { name: 'Nom ou e-mail' });
    await expectPage(popup).toHaveAttribute('aria-busy');
    found[1]?.resolve();
    await expectPage(popup).not.toHaveAttribute('aria-busy');
    await page.mouse.up();
    await expectPage(picker).toHaveText('Karim Benali');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('the views of a list', () => {
  test(
    '[NV-05] filters, sort and columns are kept under a name, by keyboard; a view is an address, and one’s own',
    { tags: 'long' },
    async () => {
      const { page, errors } = await open();
      const views = page.getByRole('button', { name: 'Vues : Toutes les ventes' });
      const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
      /** A menu that opens takes the focus to its first entry: whoever presses before that presses this one. */
      const openViews = async () => {
        await views.press('Enter');
        await expectPage(page.getByRole('menuitem').and(page.locator(':focus'))).toHaveCount(1);
      };
      await openSection(page, 'Ventes');
      await page.getByLabel('Filtrer par statut').click();
      await page.getByRole('option', { name: 'Refusé', exact: true }).click();
      await page.getByRole('columnheader', { name: 'Client' }).getByRole('button').click();
      await page.getByRole('button', { name: 'Affichage : Toutes les ventes' }).press('Enter');
      await page.getByRole('menuitemcheckbox', { name: 'Parrain' }).press('Enter');
      await page.keyboard.press('Escape');
      await openViews();
      await item('Garder cette vue…').press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Garder cette vue' });
      await dialog.getByRole('button', { name: 'Garder' }).press('Enter');
      await dialog.getByText('Donnez un nom à cette vue').waitFor();
      await dialog.getByLabel('Nom de la vue').fill('Les refus');
      expect(await brokenRules(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await expectPage(dialog).toHaveCount(0);
      const names = page.locator('tbody tr').getByRole('link');
      await nothingComes(page);
      const kept = await names.allInnerTexts();
      // The product's own views.
      await openViews();
      await item('Sans nouvelles depuis 14 jours').press('Enter');
      await expectPage(page).toHaveURL(/sans-nouvelles=14/u);
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toHaveCount(0);
      const limit = new Date(Date.now() - 13 * 86_400_000).toISOString();
      const rows = await read<{ status: string }>(
        demoEmails.admin,
        `sales?select=status&ready_for_validation=is.false&status=in.(pending,contacted,in_negotiation)&updated_at=lt.${limit}`,
      );
      await expectPage(names.first()).toBeVisible();
      await expectPage.poll(() => names.count()).toBeLessThanOrEqual(Math.min(25, rows.length));
      await page.getByRole('button', { name: 'Retirer le filtre « Sans nouvelles depuis 14 jours »' }).click();
      await expectPage(page).not.toHaveURL(/sans-nouvelles/u);
      // Every column again in this browser: the view still leaves its own out.
      await page.getByRole('button', { name: 'Affichage : Toutes les ventes' }).press('Enter');
      await page.getByRole('menuitemcheckbox', { name: 'Parrain' }).press('Enter');
      await page.keyboard.press('Escape');
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toBeVisible();
      await page.reload();
      await openViews();
      await item('Les refus').press('Enter');
      await expectPage(page).toHaveURL(/statut=rejected.*tri=referred_contact_name.*sans=parrain/u);
      await expectPage(names).toHaveText(kept);
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toHaveCount(0);
      await page.goBack();
      await expectPage(page.getByRole('columnheader', { name: 'Parrain' })).toBeVisible();
      await page.goForward();
      await openViews();
      await item('Supprimer « Les refus »').press('Enter');
      await page.getByText('Vue supprimée').waitFor();
      await openViews();
      await expectPage(item('Les refus')).toHaveCount(0);
      await page.keyboard.press('Escape');
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});

describe('decisions on many requests', () => {
  const requestRows = (page: Page) => page.getByRole('table', { name: 'Demandes de paiement' }).locator('tbody tr');
  const show = (page: Page, status: string) =>
    page.getByRole('radio', { name: new RegExp(`^${status}`, 'u') }).click({ force: true });

  test('[NV-04][AD-10][PO-03] [UI-01] six are approved and ten paid in eight clicks; one that changed meanwhile is left out and named', async () => {
    for (let count = 0; count < 5; count += 1)
      await act(demoEmails.client, 'payment-request', {
        action: 'create',
        amount: `${count + 1}.50`,
        payment_method: 'remise_societe',
        payment_details: {},
      });
    for (const name of ['Les Amis des lilas', 'les amis  des lilas'])
      await act(demoEmails.client, 'payment-request', {
        action: 'create',
        amount: '7.25',
        payment_method: 'association',
        payment_details: { association_name: name, association_details: 'Antenne de Nantes' },
      });
    const { page, errors } = await open();
    const pending = await read<{ id: string; amount: number }>(
      demoEmails.admin,
      'payment_requests?select=id,amount&status=eq.pending',
    );
    expect(pending.length).toBeGreaterThanOrEqual(6);
    await openSection(page, 'Demandes de Paiement');
    await show(page, 'En attente');
    await expectPage(requestRows(page)).toHaveCount(pending.length);
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).click();
    const bar = page.getByRole('group', { name: 'Sélection' });
    const total = euros(pending.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100);
    await expectText(bar).toContain(`${pending.length} sélectionnées · ${total}`);
    // Meanwhile a colleague decides one of them.
    const gone = pending.find(({ amount }) => amount === 1.5);
    await decide('payment-request', {
      action: 'update_status',
      request_id: gone?.id,
      status: 'rejected',
      rejection_reason: 'Trop tôt',
    });
    await bar.getByRole('button', { name: 'Approuver' }).click();
    const dialog = page.getByRole('alertdialog', { name: `Approuver ${pending.length} demandes ?` });
    await expectText(dialog).toContain(total);
    await dialog.getByRole('button', { name: /^Approuver/u }).click();
    await expectPage(dialog.getByText(`Laissées de côté : 1 sur ${pending.length}`)).toBeVisible();
    await expectPage(dialog.getByRole('listitem')).toHaveCount(1);
    await dialog.getByRole('button', { name: 'Fermer' }).click();
    expect(await read(demoEmails.admin, 'payment_requests?select=id&status=eq.pending')).toEqual([]);
    // The request left out stays selected, to be looked at; Escape lets it go.
    await expectText(bar).toContain('1 sélectionnée');
    await bar.getByRole('button', { name: 'Tout désélectionner' }).click();
    await expectPage(bar).toBeHidden();

    await show(page, 'Approuvées');
    const approved = await read<{ id: string; amount: number }>(
      demoEmails.admin,
      'payment_requests?select=id,amount&status=eq.approved',
    );
    const queued = (
      await read<{ id: string }>(demoEmails.admin, 'payment_batch_lines?select=id:request_id&status=eq.queued')
    ).map(({ id }) => id);
    expect(queued.length).toBeGreaterThan(0);
    expect(approved.length - queued.length).toBeGreaterThanOrEqual(10);
    await expectPage(requestRows(page)).toHaveCount(approved.length);
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).click();
    // A request in a batch is the bank's to pay: it is set aside and named before anything is done (DF-40).
    const paidByHand = approved.filter(({ id }) => !queued.includes(id));
    await bar.getByRole('button', { name: /^Marquer payées/u }).click();
    const pay = page.getByRole('alertdialog', { name: `Confirmer le paiement de ${paidByHand.length} demandes ?` });
    const aside = pay.getByRole('list', { name: `Laissées de côté : ${queued.length} sur ${approved.length}` });
    await expectPage(aside.getByRole('listitem')).toHaveCount(queued.length);
    await expectPage(aside.getByText(/Le virement groupé n° \d+ la paie/u).first()).toBeVisible();
    await expectPage(aside.getByRole('link', { name: 'Voir le virement' })).toHaveCount(queued.length);
    const promised = euros(paidByHand.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100);
    await expectText(pay.getByRole('button', { name: /^Marquer payé/u })).toContain(promised);
    await expectPage(pay.getByText('Remise société')).toBeVisible();
    await pay.getByRole('button', { name: 'Afficher les IBAN' }).click();
    await expectPage(pay.getByText(/^[A-Z]{2}\d{2}(?:\s[\dA-Z]{1,4})+$/u).first()).toBeVisible();
    await pay.getByLabel('Référence').fill('LOT-42');
    // Each association is asked for once, however its clients wrote it.
    await expectPage(pay.getByRole('group', { name: /^Association qui reçoit 2\sdons, 14,50/u })).toHaveCount(1);
    for (const number of await pay.getByLabel('RNA ou SIREN').all()) await number.fill('W12');
    await pay.getByRole('button', { name: /^Marquer payé/u }).click();
    await expectPage(pay.getByText('Ce numéro n’est pas valide', { exact: false }).first()).toBeVisible();
    for (const number of await pay.getByLabel('RNA ou SIREN').all()) await number.fill('W751234567');
    expect(await brokenRules(page)).toEqual([]);
    await pay.getByRole('button', { name: /^Marquer payé/u }).click();
    await expectPage(page.getByText(`${paidByHand.length} demandes marquées payées`)).toBeVisible();
    await expectPage(pay).toBeHidden();
    const left = await read<{ id: string }>(demoEmails.admin, 'payment_requests?select=id&status=eq.approved');
    expect(left.map(({ id }) => id).toSorted()).toEqual(queued.toSorted());
    const given = await read<{ association_number: string | null; settlement_reference: string }>(
      demoEmails.admin,
      'payment_requests?select=association_number,settlement_reference&status=eq.paid&amount=eq.7.25&payment_method=eq.association',
    );
    expect(given).toEqual([1, 2].map(() => ({ association_number: 'W751234567', settlement_reference: 'LOT-42' })));
    const [paid] = await read<{ admin_notes: string }>(
      demoEmails.admin,
      `payment_requests?select=admin_notes&id=eq.${paidByHand[0]?.id}`,
    );
    expect(paid?.admin_notes).toMatch(/^Payé le \d\d\/\d\d\/\d{4}, référence LOT-42$/u);
    expect(errors.filter((error) => !error.includes('409'))).toEqual([]);
    await page.context().close();
  });

  test('[NV-04] rows are selected by keyboard, in ranges, through pages and filters; a refusal of many asks for its reason', async () => {
    for (let count = 0; count < 4; count += 1)
      await act(demoEmails.client, 'payment-request', {
        action: 'create',
        amount: `${count + 1}.25`,
        payment_method: 'remise_societe',
        payment_details: {},
      });
    const { page } = await open();
    await openSection(page, 'Demandes de Paiement');
    await show(page, 'En attente');
    await expectPage(requestRows(page)).toHaveCount(4);
    const boxes = page.getByRole('checkbox', { name: /^Sélectionner la demande/u });
    const bar = page.getByRole('group', { name: 'Sélection' });
    await requestRows(page).first().getByRole('link').focus();
    await page.keyboard.press('x');
    await expectPage(boxes.first()).toBeChecked();
    await page.keyboard.press('Escape');
    await expectPage(boxes.first()).not.toBeChecked();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await expectPage(bar).toContainText('3');
    await show(page, 'Toutes');
    await expectPage(bar).toContainText('3');
    await bar.getByRole('button', { name: 'Refuser' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Refuser 3 demandes ?' });
    await dialog.getByRole('button', { name: /^Refuser/u }).click();
    await expectPage(dialog.getByText('Veuillez indiquer la raison du refus')).toBeVisible();
    await dialog.getByLabel('Raison du refus').fill('Doublons');
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Refuser/u }).click();
    await expectPage(page.getByText('3 demandes refusées')).toBeVisible();
    await expectPage(bar).toBeHidden();
    expect(
      await read(demoEmails.admin, 'payment_requests?select=id&status=eq.rejected&rejection_reason=eq.Doublons'),
    ).toHaveLength(3);
    await page.context().close();
  });
});

describe('views and files of every list', { tags: 'long' }, () => {
  test('[NV-05] « Commissions créditées » and the lists of people bring views, and keep one’s own', async () => {
    const { page, errors } = await open();
    const views = (label: string) => page.getByRole('button', { name: `Vues : ${label}` });
    for (const [section, label, view, address] of [
      ['Commerciaux', 'Commerciaux', 'Meilleure conversion', /tri=conversion/u],
      ['Clients', 'Clients', 'N’ont jamais parrainé', /activite=never/u],
      ['Commissions', 'Commissions créditées', 'Les plus grosses d’abord', /vue=creditees.*tri=amount/u],
    ] as const) {
      await openSection(page, section);
      if (section === 'Commissions') await page.getByText('Commissions créditées').click();
      await views(label).click();
      await page.getByRole('menuitem', { name: view }).click();
      await expectPage(page).toHaveURL(address);
    }
    await views('Commissions créditées').click();
    await page.getByRole('menuitem', { name: 'Garder cette vue…' }).click();
    await page.getByLabel('Nom de la vue').fill('Les miennes');
    await page.getByRole('button', { name: 'Garder', exact: true }).click();
    await expectPage(page.getByText('Vue gardée')).toBeVisible();
    await openSection(page, 'Clients');
    await openSection(page, 'Commissions');
    await page.getByText('Commissions créditées').click();
    await views('Commissions créditées').click();
    await page.getByRole('menuitem', { name: 'Les miennes' }).click();
    await expectPage(page).toHaveURL(/vue=creditees.*tri=amount/u);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[EX-01] a commercial takes away the contracts that wait, and the clients who referred somebody', async () => {
    const waiting = await read<{ id: string }>(
      demoEmails.commercial,
      'sales?select=id&status=eq.pending&ready_for_validation=is.true',
    );
    const referring = await read<{ id: string }>(
      demoEmails.commercial,
      'client_summaries?select=id&total_referrals=gt.0',
    );
    const { page, errors } = await openAs('commercial', demoEmails.commercial);
    const idsOf = async (place: Locator) => {
      await place.getByRole('button', { name: 'Exporter' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
      const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n').slice(1);
      return lines.map((line) => line.split(';').at(-1) ?? '').toSorted();
    };
    await openSection(page, "Contrats d'affiliation");
    const contracts = page
      .locator('section')
      .filter({ has: page.getByRole('list', { name: 'Contrats en attente de validation' }) });
    expect(await idsOf(contracts.last())).toEqual(waiting.map(({ id }) => id).toSorted());
    await openSection(page, 'Mes Clients');
    expect(await idsOf(page.getByRole('region', { name: 'Détail des parrainages par client' }))).toEqual(
      referring.map(({ id }) => id).toSorted(),
    );
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('many clients for one commercial', { tags: 'long' }, () => {
  test('[NV-04][NV-09] they are assigned together with their open referrals; ten seconds to take it back; one that changed is named', async () => {
    const commercials = await read<{ id: string; full_name: string }>(
      demoEmails.admin,
      'profiles?select=id,full_name&role=eq.commercial&deactivated_at=is.null&order=full_name,id',
    );
    const to = commercials.at(-1);
    const all = await read<{ id: string; full_name: string; commercial_id: string | null }>(
      demoEmails.admin,
      'profiles?select=id,full_name,commercial_id&role=eq.client&order=full_name,id',
    );
    // Some people share a name: those who are found by theirs.
    const clients = all
      .filter((one) => one.commercial_id !== null && one.commercial_id !== to?.id)
      .filter((one) => all.filter((other) => other.full_name === one.full_name).length === 1)
      .slice(0, 3);
    const [first, , third] = clients;
    if (!to || !first || !third) throw new Error('The demo company is too small');
    const now = async () =>
      (
        await read<{ commercial_id: string }>(
          demoEmails.admin,
          `profiles?select=commercial_id&id=in.(${clients.map(({ id }) => id).join(',')})&order=full_name,id`,
        )
      ).map(({ commercial_id: id }) => id);
    const { page, errors } = await open();
    await openSection(page, 'Clients');
    const bar = page.getByRole('group', { name: 'Sélection' });
    for (const [at, client] of clients.entries()) {
      await page.getByLabel('Rechercher un client').fill(client.full_name);
      await page.getByRole('checkbox', { name: `Sélectionner ${client.full_name}`, exact: true }).click();
      await expectPage(bar).toContainText(`${at + 1} sélectionné`);
    }
    // Meanwhile a colleague moves one of them.
    const other = commercials.find(({ id }) => id !== to.id && id !== third.commercial_id);
    await act(demoEmails.admin, 'assign-client', {
      client_id: third.id,
      commercial_id: other?.id,
      seen_commercial_id: third.commercial_id,
    });
    await bar.getByRole('button', { name: 'Confier à un commercial' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Confier 3 clients à un autre commercial' });
    await dialog.getByRole('combobox', { name: 'Commercial' }).click();
    await page.getByRole('option', { name: to.full_name }).click();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Confier/u }).click();
    await expectPage(dialog.getByText('Laissés de côté : 1 sur 3')).toBeVisible();
    await expectPage(dialog.getByRole('listitem')).toContainText(third.full_name);
    expect(await now()).toEqual([to.id, to.id, other?.id]);
    await dialog.getByRole('button', { name: 'Fermer' }).click();
    const notice = page.getByRole('dialog').filter({ hasText: `2 clients confiés à ${to.full_name}` });
    await notice.getByRole('button', { name: 'Annuler' }).click();
    await expectPage(page.getByText('2 clients de retour chez leur commercial')).toBeVisible();
    expect(await now()).toEqual([clients[0]?.commercial_id, clients[1]?.commercial_id, other?.id]);
    expect(errors.filter((error) => !error.includes('409'))).toEqual([]);
    await page.context().close();
  });
});

describe('decisions on many contracts', { tags: 'long' }, () => {
  const rows = (page: Page) => page.getByRole('table', { name: 'Contrats à valider' }).locator('tbody tr');
  const bar = (page: Page) => page.getByRole('group', { name: 'Sélection' });

  interface Awaiting {
    id: string;
    referred_contact_name: string;
    contract_amount: number;
  }
  const awaiting = () =>
    read<Awaiting>(
      demoEmails.admin,
      'sales?select=id,referred_contact_name,contract_amount&ready_for_validation=is.true&admin_validated=is.false' +
        '&order=created_at,id',
    );
  const total = (contracts: readonly Awaiting[]) =>
    euros(contracts.reduce((cents, { contract_amount: amount }) => cents + Math.round(amount * 100), 0) / 100);
  const select = (page: Page, contract: Awaiting) =>
    page
      .getByRole('checkbox', { name: new RegExp(`^Sélectionner le contrat .*${contract.referred_contact_name},`, 'u') })
      .first()
      .click();

  /** Contracts of one referral each, handed over to the admin. */
  async function handOver(count: number): Promise<void> {
    const referrals = await read<{ id: string }>(
      demoEmails.commercial,
      `sales?select=id&status=in.(pending,contacted,in_negotiation,rejected)&ready_for_validation=is.false&admin_validated=is.false&limit=${count}`,
    );
    expect(referrals).toHaveLength(count);
    for (const [at, { id }] of referrals.entries())
      await act(demoEmails.commercial, 'sales-management', {
        action: 'update_status',
        sale_id: id,
        status: 'pending_final_validation',
        contract_amount: `${1200 + at}.50`,
        contract_description: 'Pompe à chaleur',
      });
  }

  test('[NV-04][EX-01] contracts are validated together, to the cent; one that changed meanwhile is left out and named; the selection is a file', async () => {
    const { page, errors } = await open();
    await openSection(page, 'Validations');
    await rows(page).first().getByRole('link').waitFor();
    const [first, second, third] = await awaiting();
    if (!first || !second || !third) throw new Error('Too few contracts await validation');
    const chosen = [first, second, third];
    for (const contract of chosen) await select(page, contract);
    await expectPage(bar(page)).toContainText('3 sélectionnés');
    await expectText(bar(page)).toContain(total(chosen));

    await bar(page).getByRole('button', { name: 'Exporter' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
    const file = await readFile(await (await saved).path(), 'utf8');
    expect(
      file
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(';').at(-1)),
    ).toEqual(chosen.map(({ id }) => id));

    // Meanwhile a colleague refuses one of them: the list loses it, what was selected does not.
    await decide('sales-management', { action: 'reject', sale_id: second.id, reason: 'Doublon' });
    await bar(page).getByRole('button', { name: 'Valider' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Valider 3 contrats ?' });
    await expectPage(dialog.getByRole('region', { name: 'Contrats sélectionnés' }).getByRole('listitem')).toHaveCount(
      3,
    );
    await expectText(dialog).toContain(total(chosen));
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Valider/u }).click();
    await expectPage(dialog.getByText('Laissés de côté : 1 sur 3')).toBeVisible();
    await expectPage(dialog.getByRole('listitem')).toHaveText(new RegExp(`^${second.referred_contact_name}`, 'u'));
    await dialog.getByRole('button', { name: 'Fermer' }).click();
    const kept = await read<{ id: string; admin_validated: boolean; status: string }>(
      demoEmails.admin,
      `sales?select=id,admin_validated,status&id=in.(${chosen.map(({ id }) => id).join(',')})`,
    );
    expect(new Map(kept.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [first.id, 'validated'],
        [second.id, 'rejected'],
        [third.id, 'validated'],
      ]),
    );
    const paid = await read<{ sale_id: string }>(
      demoEmails.admin,
      `commission_payments?select=sale_id&type=eq.commercial&sale_id=in.(${chosen.map(({ id }) => id).join(',')})`,
    );
    expect(paid.map(({ sale_id: id }) => id).toSorted()).toEqual([first.id, third.id].toSorted());
    expect(errors.filter((error) => !error.includes('409'))).toEqual([]);
    await page.context().close();
  });

  test('[NV-04] beyond the page « Sélectionner les N » takes what the filters leave; a refusal of many asks for its reason', async () => {
    const before = (await awaiting()).length;
    if (before < 27) await handOver(27 - before);
    const all = await awaiting();
    const { page } = await open();
    await openSection(page, 'Validations');
    await expectPage(rows(page)).toHaveCount(25);
    const more = bar(page).getByRole('button', { name: `Sélectionner les ${all.length}` });
    await expectPage(more).toHaveCount(0);
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).click();
    await more.click();
    await expectPage(bar(page)).toContainText(`${all.length} sélectionnés`);
    await expectText(bar(page)).toContain(total(all));
    await expectPage(more).toHaveCount(0);
    await bar(page).getByRole('button', { name: 'Tout désélectionner' }).click();

    const [one, other] = all;
    if (!one || !other) throw new Error('Too few contracts await validation');
    await select(page, one);
    await select(page, other);
    await bar(page).getByRole('button', { name: 'Refuser' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Refuser 2 contrats ?' });
    await dialog.getByRole('button', { name: /^Refuser/u }).click();
    await expectPage(dialog.getByText('Veuillez indiquer la raison du refus')).toBeVisible();
    await dialog.getByLabel('Raison du refus').fill('Hors secteur');
    await dialog.getByRole('button', { name: /^Refuser/u }).click();
    await expectPage(page.getByText('2 contrats refusés')).toBeVisible();
    await expectPage(bar(page)).toBeHidden();
    expect(
      await read(demoEmails.admin, 'sales?select=id&status=eq.rejected&rejection_reason=eq.Hors%20secteur'),
    ).toHaveLength(2);
    await page.context().close();
  });

  test('[NV-04][AD-07] in « Ventes » what awaits a decision is decided, the rest left out and named; all of the selection is a file', async () => {
    const before = (await awaiting()).length;
    if (before < 2) await handOver(2 - before);
    const [first, second] = await awaiting();
    const [contacted] = await read<{ id: string; referred_contact_name: string }>(
      demoEmails.admin,
      'sales?select=id,referred_contact_name&status=eq.contacted&order=created_at,id&limit=1',
    );
    if (!first || !second || !contacted) throw new Error('Too few sales');
    const { page, errors } = await open();
    const sales = page.getByRole('table', { name: 'Toutes les ventes' }).locator('tbody tr');
    const address = (id: string) => sales.filter({ has: page.locator(`a[href*="vente=${id}"]`) });
    // One search for each: what is selected lives through them.
    await openSection(page, 'Ventes');
    for (const { id, referred_contact_name: name } of [first, second, contacted]) {
      await page.getByLabel('Rechercher une vente').fill(name);
      await address(id).getByRole('checkbox').click();
    }
    await expectPage(bar(page)).toContainText('3 sélectionnées');

    await bar(page).getByRole('button', { name: 'Exporter' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Fichier CSV' }).click();
    const file = await readFile(await (await saved).path(), 'utf8');
    const ids = file
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(';').at(-1) ?? '');
    expect(new Set(ids)).toEqual(new Set([first.id, second.id, contacted.id]));
    expect(ids).toHaveLength(3);

    await bar(page).getByRole('button', { name: 'Refuser (2)' }).click();
    const refusal = page.getByRole('alertdialog', { name: 'Refuser 2 contrats ?' });
    await expectPage(refusal.getByRole('list', { name: 'Laissés de côté' }).getByRole('listitem')).toHaveText([
      new RegExp(`^${contacted.referred_contact_name}.* : n’attend pas votre décision\\.$`, 'u'),
    ]);
    await refusal.getByRole('button', { name: 'Annuler' }).click();

    await bar(page).getByRole('button', { name: 'Valider (2)' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Valider 2 contrats ?' });
    await expectPage(dialog.getByRole('list', { name: 'Laissés de côté' }).getByRole('listitem')).toHaveText([
      new RegExp(`^${contacted.referred_contact_name}.* : n’attend pas votre décision\\.$`, 'u'),
    ]);
    await expectText(dialog).toContain(total([first, second]));
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Valider/u }).click();
    await expectPage(page.getByText('2 contrats validés')).toBeVisible();
    // The contract left out stays selected; nothing can be decided on it.
    await expectPage(bar(page)).toContainText('1 sélectionnée ');
    await expectPage(bar(page).getByRole('button', { name: /^Valider/u })).toHaveCount(0);
    expect(
      await read(
        demoEmails.admin,
        `sales?select=id&admin_validated=is.true&id=in.(${[first, second, contacted].map(({ id }) => id).join(',')})`,
      ),
    ).toHaveLength(2);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[NV-04] « Sélectionner les N » of « Ventes » takes what its filters leave, beyond the page', async () => {
    const validated = await read<Awaiting>(
      demoEmails.admin,
      'sales?select=contract_amount&admin_validated=is.true&corrects_sale_id=is.null',
    );
    expect(validated.length).toBeGreaterThan(25);
    const { page } = await open();
    await openSection(page, 'Ventes');
    await page.getByLabel('Filtrer par statut').click();
    await page.getByRole('option', { name: 'Validé par admin' }).click();
    await expectPage(page).toHaveURL(/statut=validated/u);
    await expectPage(page.getByRole('navigation', { name: 'Pages : Toutes les ventes' })).toContainText(
      `sur ${validated.length}`,
    );
    await page.getByRole('checkbox', { name: 'Sélectionner toute la page' }).click();
    await bar(page)
      .getByRole('button', { name: `Sélectionner les ${validated.length}` })
      .click();
    await expectPage(bar(page)).toContainText(`${validated.length} sélectionnées`);
    await expectText(bar(page)).toContain(total(validated));
    await expectPage(bar(page).getByRole('button', { name: /^(?:Valider|Refuser)/u })).toHaveCount(0);
    await page.context().close();
  });
});

describe('the three pictures of a list', () => {
  const lists = {
    admin: [
      'Commerciaux',
      'Clients',
      'Ventes',
      'Commissions',
      'Validations',
      'Demandes de Paiement',
      'Virements groupés',
      'Commissions des commerciaux',
      'Historique des paiements',
      'Cas douteux',
      'Contrôle des comptes',
      'Comptabilité',
      'Journal',
      'Messages envoyés',
    ],
    commercial: ['Parrainages reçus', 'Mes Clients', "Contrats d'affiliation", 'Documents'],
    client: ['Mes Parrainages', 'Contrats Validés', 'Mes Commissions', 'Demandes de Paiement', 'Documents'],
  } as const;

  for (const role of ['admin', 'commercial', 'client'] as const)
    test(
      `[NV-08][E-05] of the ${role}: what could not be read says so in every section, and never looks empty`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const { page } = await openAs(role, demoEmails[role], {
          prepare: async (opened) => {
            // A connection that comes live reads everything again by itself: this one never does.
            await opened.routeWebSocket(/realtime/u, () => undefined);
            // One's own profile can be read, and nothing else.
            await opened.route(
              /\/rest\/v1\/(?!profiles\?select=id%2Cfull_name%2Cemail%2Cphone%2Crole&|company_settings)/u,
              (route) => route.fulfill({ status: 400, json: { message: 'non', code: 'X' } }),
            );
            await opened.route(/\/functions\/v1\//u, (route) =>
              route.fulfill({ status: 400, json: { error: 'non', code: 'invalid_input' } }),
            );
          },
        });
        const main = page.getByRole('main');
        for (const section of lists[role]) {
          await pickSection(page, section);
          await page.getByRole('heading', { level: 2, name: section }).waitFor();
          await expectPage(main.getByText('Le chargement a échoué').first()).toBeVisible();
          await expectPage(main.getByRole('button', { name: 'Réessayer' }).first()).toBeVisible();
          expect({ section, text: await main.innerText() }).not.toMatchObject({
            text: expect.stringMatching(/pour le moment|Aucun résultat|Aucune? (?:contrat|demande|message|virement)/u),
          });
        }
        await page.context().close();
      },
    );

  const narrowed = {
    admin: [
      'commerciaux&recherche=qqzzxx',
      'clients&recherche=qqzzxx',
      'clients&activite=never&recherche=qqzzxx',
      'ventes&periode=2000-01-01..2000-01-02',
      'commissions&vue=creditees&periode=2000-01-01..2000-01-02',
      'validations&recherche=qqzzxx',
      'demandes-de-paiement&recherche=qqzzxx',
      'virements&statut=sent',
      'historique-des-paiements&recherche=qqzzxx',
      'historique-des-paiements&periode=2000-01-01..2000-01-02',
      'virements&periode=2000-01-01..2000-01-02',
      'cas-douteux&statut=confirmed',
      'controle-des-comptes&recherche=qqzzxx',
      'journal&periode=dates&du=2000-01-01&au=2000-01-02',
      'messages-envoyes&recherche=qqzzxx',
      'messages-envoyes&periode=2000-01-01..2000-01-02',
    ],
    client: [
      'mes-parrainages&recherche=qqzzxx',
      'contrats-valides&periode=2000-01-01..2000-01-02',
      'contrats-valides&recherche=qqzzxx',
      'mes-commissions&periode=2000-01-01..2000-01-02',
      'mes-commissions&recherche=qqzzxx',
      'demandes-de-paiement&recherche=qqzzxx',
    ],
  } as const;

  for (const role of ['admin', 'client'] as const)
    test(
      `[NV-08] of the ${role}: a search or a filter that leaves nothing says so, and leads back to the whole list`,
      { tags: role === 'client' ? [] : 'long' },
      async () => {
        const { page, errors } = await openAs(role, demoEmails[role]);
        // The demo company has a case of each status, and that list has no other filter.
        await page.route(/\/rest\/v1\/doubtful_cases\?.*status=eq\.confirmed/u, (route) =>
          route.fulfill({ json: [], headers: { 'content-range': '*/0' } }),
        );
        const main = page.getByRole('main');
        for (const address of narrowed[role]) {
          await page.goto(`${server.origin()}/${role}/dashboard?section=${address}`);
          await expectPage(main.getByText('Aucun résultat', { exact: true }), address).toBeVisible();
          await expectPage(main).not.toContainText('pour le moment');
          await main
            .getByRole('button', { name: /^(?:Tout effacer|Effacer la recherche)$/u })
            .last()
            .click();
          await expectPage(main.getByText('Aucun résultat', { exact: true })).toHaveCount(0);
          await expectPage(page).not.toHaveURL(/recherche=|periode=|statut=/u);
        }
        expect(errors).toEqual([]);
        await page.context().close();
      },
    );
});
