import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { brokenRules } from './accessibility.ts';
import { builtFile, builtSite } from './built-site.ts';
import { chromiumPages, expectNoOverflow, expectPage } from './chromium.ts';

const site = builtSite();
const open = chromiumPages();

/** The page as it was written at build time: no script runs. */
const openDocument = async (path = '/') => (await open(site.origin() + path, { javaScriptEnabled: false })).page;

describe('the public page is a document', () => {
  test('[L-01] five anchors: four steps, six benefits, four blocks, the pricing, the appointment', async () => {
    const page = await openDocument();
    for (const [anchor, count, items] of [
      ['fonctionnement', 4, 'h3'],
      ['avantages', 6, 'h3'],
      ['fonctionnalites', 4, 'h3'],
      ['tarifs', 3, 'li'],
    ] as const) {
      await expectPage(page.locator(`#${anchor} ${items}`), anchor).toHaveCount(count);
    }
    await expectPage(page.locator('#fonctionnalites h3')).toHaveText([
      'Gestion des équipes',
      'Calcul automatique',
      'Suivi des ventes',
      'Tableaux de bord',
    ]);
    await expectPage(page.locator('section#calendly')).toHaveCount(1);
    await page.context().close();
  });

  test('[DF-08, L-06] every promise is true of a default installation, and tells of one company', () => {
    const words = (file: string) =>
      builtFile(file)
        .replaceAll(/<(script|style)[^>]*>[\s\S]*?<\/\1>/gu, ' ')
        .replaceAll(/<[^>]+>/gu, ' ')
        .replaceAll(/[\s\u00a0\u202f]+/gu, ' ');
    const landing = words('index.html');
    // Reminders wait for a company that sets them (TM-05); a friend gets a message and no credentials (F-15).
    expect(landing).toContain('les relances si vous le voulez');
    expect(landing).not.toMatch(/relances[^.]{0,40}(?:calculs|relevés)[^.]{0,40}tout seuls/u);
    expect(landing).toContain('avec les identifiants, pour chaque commercial et chaque client.');
    expect(landing).not.toMatch(/identifiants[^.]{0,60}ami/u);
    // Two persons validate, nobody signs on screen.
    expect(landing).not.toMatch(/signatures? par vente|seconde signature/iu);
    // The pictures were taken of the demo company: what is drawn beside them is of the same.
    expect(landing).toMatch(/Lumeo/u);
    expect(landing).not.toMatch(/Lumen|Camille|Samir/u);
    for (const page of ['contact', 'cgu']) {
      const text = words(`pages/${page}/index.html`);
      expect(text).not.toMatch(/valable une heure|sous un jour ouvré|ne change plus ensuite/u);
    }
  });

  test('[L-02] the header leads to the five anchors and to « Se connecter »', async () => {
    const page = await openDocument();
    const header = page.getByRole('banner');
    const links = header.getByRole('navigation', { name: 'Navigation principale' }).getByRole('link');
    await expectPage(links).toHaveText(['Fonctionnement', 'Avantages', 'Fonctionnalités', 'Tarifs', 'Réserver un RDV']);
    for (const [name, anchor] of [
      ['Fonctionnement', '/#fonctionnement'],
      ['Avantages', '/#avantages'],
      ['Fonctionnalités', '/#fonctionnalites'],
      ['Tarifs', '/#tarifs'],
      ['Réserver un RDV', '/#calendly'],
    ] as const) {
      await expectPage(links.filter({ hasText: name }).first()).toHaveAttribute('href', anchor);
    }
    await expectPage(header.getByRole('link', { name: 'Se connecter' })).toBeVisible();
    await page.context().close();
  });

  test.each([320, 360, 1280])('[CO-02] at %i px no word of a picture is too small to be read', async (width) => {
    const { page } = await open(site.origin(), { viewport: { width, height: 740 } });
    const words = page.getByRole('img', { name: /^Le réseau/u }).locator('text');
    const heights = () =>
      words.evaluateAll((texts) => texts.map((text) => Math.round(text.getBoundingClientRect().height)));
    await expectPage.poll(heights).toHaveLength(8);
    // A line of eleven pixels' letters is twelve high.
    for (const height of await heights()) expect(height).toBeGreaterThanOrEqual(11);
    await page.context().close();
  });

  test('[L-03] « Accéder à mon compte » and « Se connecter » lead to /auth/login', async () => {
    const page = await openDocument();
    for (const name of ['Accéder à mon compte', 'Se connecter']) {
      await expectPage(page.getByRole('link', { name }).first()).toHaveAttribute('href', '/auth/login');
    }
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)(
    '[FX-73] the %s page shows pictures taken from the product in its own theme, as wide as their room, and fetches no other',
    async (theme) => {
      for (const [viewport, count] of [
        [{ width: 1280, height: 800 }, 5],
        [{ width: 360, height: 740 }, 5],
      ] as const) {
        const fetched: string[] = [];
        const { page } = await open(site.origin(), {
          colorScheme: theme,
          viewport,
          async prepare(opened) {
            opened.on('request', (request) => fetched.push(request.url()));
          },
        });
        const shown = page.locator('figure[role="img"] img').filter({ visible: true });
        await expectPage(shown).toHaveCount(count);
        for (const picture of await shown.all()) {
          await picture.scrollIntoViewIfNeeded();
          await expectPage(picture).toHaveJSProperty('complete', true);
          await expectPage(picture).toHaveAttribute('src', new RegExp(`-${theme}-`, 'u'));
          await expectPage
            .poll(() =>
              picture.evaluate((image: HTMLImageElement) => {
                const natural = image.naturalWidth / image.naturalHeight;
                return Math.abs(natural / (image.clientWidth / image.clientHeight) - 1);
              }),
            )
            .toBeLessThan(0.01);
        }
        expect(fetched.filter((url) => url.endsWith('.webp'))).toHaveLength(count);
        await expectNoOverflow(page);
        await page.context().close();
      }
    },
  );

  test('[L-05] the footer has three columns, and each of their links leads to a page or a section that is there', async () => {
    const page = await openDocument();
    const footer = page.getByRole('contentinfo');
    await expectPage(footer.getByRole('heading')).toHaveText(['Produit', 'Entreprise', 'Légal']);
    await expectPage(footer.getByRole('navigation', { name: 'Entreprise' }).getByRole('link')).toHaveText([
      'À propos',
      'Contact',
      'Blog',
      'Carrières',
    ]);
    await expectPage(footer.getByRole('navigation', { name: 'Légal' }).getByRole('link')).toHaveText([
      'Mentions légales',
      'Confidentialité',
      'CGU',
      'Cookies',
    ]);
    // Its state of conformity is the link's name (DF-86).
    const titles: Readonly<Record<string, string>> = { '/pages/accessibilite': 'Déclaration d’accessibilité' };
    const links = await footer
      .getByRole('link')
      .evaluateAll((found) => found.map((link) => [link.getAttribute('href') ?? '', link.textContent] as const));
    for (const [href, name] of links) {
      if (href.startsWith('/#')) await expectPage(page.locator(href.slice(1))).toHaveCount(1);
      else expect(builtFile(`${href}/index.html`)).toContain(`>${titles[href] ?? name}</h1>`);
    }
    await page.context().close();
  });

  test('[L-06] every claim is there', async () => {
    const page = await openDocument();
    const said = spaced(await page.locator('main').innerText());
    for (const claim of [
      /e-mail d’invitation part avec (?:les|ses) identifiants/u,
      /réseau de parrainage se lit comme un arbre/u,
      /Chaque versement reste dans son historique/u,
      /La vente est validée deux fois/u,
      /traçabilité totale de chaque vente/u,
      /tableaux de bord en temps réel/u,
      /exports pour votre comptable/u,
      /CSV ou Excel/u,
      /80 % de travail administratif en moins/u,
      /Zéro erreur de calcul/u,
    ]) {
      expect(said).toMatch(claim);
    }
    await page.context().close();
  });

  test('[L-07] the pricing is custom, says what it depends on, and offers a free appointment of 30 minutes for a quote', async () => {
    const page = await openDocument();
    const said = spaced(await page.locator('#tarifs').innerText());
    for (const words of [
      'nombre de commerciaux et de clients',
      'fonctionnalités',
      'volume d’activité',
      'rendez-vous gratuit de 30 minutes, au téléphone ou en démonstration',
      'devis',
    ]) {
      expect(said).toContain(words);
    }
    await expectPage(page.locator('#tarifs').getByRole('link', { name: 'Réserver un RDV' })).toHaveAttribute(
      'href',
      '#calendly',
    );
    await page.context().close();
  });

  test('[I-01] it is in French whatever the browser speaks', async () => {
    const { page } = await open(site.origin(), { locale: 'en-US' });
    await expectPage(page.locator('html')).toHaveAttribute('lang', 'fr');
    await expectPage(page.getByRole('link', { name: 'Se connecter' }).first()).toBeVisible();
    await page.context().close();
  });

  test.each([320, 360, 1280])('[L-01] nothing overflows at %i px', async (width) => {
    const { page } = await open(site.origin(), {
      viewport: { width, height: 800 },
      prepare: (fresh) => answerConfig(fresh, null),
    });
    await expectNoOverflow(page);
    await page.context().close();
  });
});

test.each([
  ['/', 'light', 1280],
  ['/', 'dark', 360],
  ['/pages/confidentialite', 'light', 360],
] as const)('[L-01] no accessibility rule is broken on %s (%s, %i px)', async (path, colorScheme, width) => {
  const { page } = await open(site.origin() + path, {
    colorScheme,
    viewport: { width, height: 800 },
    prepare: (fresh) => answerConfig(fresh, null),
  });
  expect(await brokenRules(page)).toEqual([]);
  await page.context().close();
});

describe('[UI-14] the public face', () => {
  test('SEPA, FEC, DAS2 and RGPD are named, each with one sentence', async () => {
    const page = await openDocument();
    await expectPage(page.locator('#avantages dt')).toHaveText(['SEPA', 'FEC', 'DAS2', 'RGPD']);
    for (const sentence of await page.locator('#avantages dd').allInnerTexts()) {
      expect(sentence.match(/[.!?]/gu)).toEqual(['.']);
    }
    await page.context().close();
  });

  test('without a demo nothing of one is shown; with one, the roles that it lets in', async () => {
    const { page } = await open('about:blank', {
      async prepare(fresh) {
        await fresh.route(`${site.origin()}/?demo`, async (route) => {
          const reply = await route.fetch();
          // As the server sends it where DEMO is set (server/src/site.test.ts).
          const body = (await reply.text()).replace('<html', '<html data-demo="admin client"');
          await route.fulfill({ response: reply, body });
        });
      },
    });
    await page.goto(site.origin());
    await expectPage(page.getByRole('link', { name: 'Accéder à mon compte' })).toBeVisible();
    await expectPage(page.getByText('Essayer la démo')).toBeHidden();
    await page.goto(`${site.origin()}/?demo`);
    const entries = page.getByRole('list', { name: /^Essayer la démo/u }).getByRole('link');
    await expectPage(entries).toHaveText(['Admin', 'Client']);
    await expectPage(entries.first()).toHaveAttribute('href', '/auth/login?demo=admin');
    await page.context().close();
  });

  test('eight questions are opened by the keyboard, without any script', async () => {
    const page = await openDocument();
    const questions = page.locator('#questions details');
    await expectPage(questions).toHaveCount(8);
    const [answer, first] = [questions.first().locator('p'), questions.first().locator('summary')];
    await expectPage(answer).toBeHidden();
    await first.focus();
    await page.keyboard.press('Enter');
    await expectPage(answer).toBeVisible();
    await page.keyboard.press('Tab');
    await expectPage(questions.nth(1).locator('summary')).toBeFocused();
    await page.context().close();
  });

  test('the calculator has an example before any script, answers in the page, and asks no server', async () => {
    const written = await openDocument();
    const example = await written.getByRole('form', { name: 'Combien coûte un parrainage ?' }).innerText();
    expect(spaced(example)).toContain('1 008,00 € par mois');
    expect(spaced(example)).toContain('12 096,00 € par an');
    await written.context().close();

    const { page, errors } = await open(site.origin(), { prepare: (fresh) => answerConfig(fresh, null) });
    const form = page.getByRole('form', { name: 'Combien coûte un parrainage ?' });
    const said = async () => spaced(await form.innerText());
    await form.scrollIntoViewIfNeeded();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().includes('/assets/') && !request.url().endsWith('/config.json')) asked.push(request.url());
    });
    await form.getByLabel('Contrat moyen').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('33,33');
    await page.keyboard.press('Tab');
    await expectPage(form.getByLabel('Contrats par mois')).toBeFocused();
    await form.getByLabel('Contrats par mois').fill('3');
    await form.getByLabel('Part du commercial').fill('0');
    // 1,6665 a contract, rounded as its validation does.
    await expectPage.poll(said).toContain('5,01 € par mois');
    expect(await said()).toContain('60,12 € par an');
    expect(await said()).toContain('Par contrat : 1,67 € au client, 0,00 € au commercial.');

    await form.getByLabel('Part du client').fill('cent');
    await expectPage(form.getByText('De 0 à 100 %, comme 5 ou 7,5')).toBeVisible();
    await expectPage(form.getByLabel('Part du client')).toHaveAttribute('aria-invalid', 'true');
    expect(await said()).not.toContain('5,01');
    await page.keyboard.press('Enter');
    await form.getByLabel('Part du client').fill('5');
    await expectPage.poll(said).toContain('5,01 € par mois');
    await expectPage(form.getByLabel('Part du client')).not.toHaveAttribute('aria-invalid');
    expect(asked).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('the page is read in five screens of a desk', async () => {
    const { page } = await open(site.origin(), {
      viewport: { width: 1440, height: 1000 },
      prepare: (fresh) => answerConfig(fresh, null),
    });
    await expectPage.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(4700);
    await page.context().close();
  });
});

describe('[L-04] the appointment', () => {
  const bookingPage = 'https://calendly.com/parrain/demo-30-minutes';
  const widgetScript = 'https://assets.calendly.com/assets/external/widget.js';

  test("[L-04] without a booking service it is the product's own form, and it says what is missing", async () => {
    const { page, errors } = await open(site.origin(), { prepare: (fresh) => answerConfig(fresh, null) });
    const form = page.locator('#calendly form');
    await form.scrollIntoViewIfNeeded();
    await form.getByRole('button', { name: 'Demander un rendez-vous' }).click();
    await expectPage(form.getByText('Le nom est requis')).toBeVisible();
    await expectPage(form.getByText('L’e-mail est requis')).toBeVisible();
    await expectPage(form.getByLabel('Nom')).toBeFocused();
    await expectPage(form.getByLabel('Nom')).toHaveAttribute('aria-invalid', 'true');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('[L-04] the form sends name, email, phone, preferred slot and message, and says that it arrived', async () => {
    const { page } = await open(site.origin(), { prepare: (fresh) => answerConfig(fresh, null) });
    const sent = page.waitForRequest('**/functions/v1/appointment-request');
    await page.route('**/functions/v1/appointment-request', (route) => route.fulfill({ json: { success: true } }));
    await fillRequest(page);
    const request = await sent;
    expect(request.method()).toBe('POST');
    expect(request.headers()['apikey']).toBe('sb_publishable_test');
    expect(request.postDataJSON()).toEqual({
      name: 'Anne Durand',
      email: 'anne@exemple.fr',
      phone: '06 12 34 56 78',
      preferred_slot: 'Jeudi matin',
      message: 'Nous sommes douze.',
    });
    await expectPage(page.getByRole('heading', { name: 'Votre demande est enregistrée' })).toBeVisible();
    await page.context().close();
  });

  test('[L-04] where the server does not answer, what was typed is kept and said to be', async () => {
    const { page } = await open(site.origin(), { prepare: (fresh) => answerConfig(fresh, null) });
    await page.route('**/functions/v1/appointment-request', (route) => route.abort());
    await fillRequest(page);
    await expectPage(page.getByRole('alert')).toContainText('Rien n’est perdu');
    await expectPage(page.getByLabel('Nom')).toHaveValue('Anne Durand');
    await page.context().close();
  });

  test('[L-04][FX-74] with a booking service nothing of it is loaded before the visitor agrees; then its widget is 320 px by 700 at least', async () => {
    const asked: string[] = [];
    const { page } = await open(site.origin(), {
      prepare: async (fresh) => {
        await answerConfig(fresh, bookingPage);
        await fresh.route('https://**/*', (route) => {
          asked.push(route.request().url());
          return route.fulfill({ contentType: 'text/javascript', body: '' });
        });
      },
    });
    await page.locator('#calendly').scrollIntoViewIfNeeded();
    const agree = page.getByRole('button', { name: 'Afficher le calendrier' });
    await expectPage(agree).toBeVisible();
    await expectPage(page.locator('#calendly form')).toBeHidden();
    await expectPage(page.getByRole('link', { name: 'Ouvrir la page de réservation' })).toHaveAttribute(
      'href',
      bookingPage,
    );
    expect(asked).toEqual([]);
    await agree.click();
    const widget = page.locator('.calendly-inline-widget');
    await expectPage(widget).toHaveAttribute('data-url', bookingPage);
    await expectPage(widget).toHaveCSS('min-width', '320px');
    await expectPage(widget).toHaveCSS('height', '700px');
    await expectPage.poll(() => asked).toEqual([widgetScript]);
    await page.goto(`${site.origin()}/pages/contact`);
    await expectPage(page.locator('script[src*="calendly"]')).toHaveCount(0);
    await page.context().close();
  });

  test('[DF-14] with a booking service its card is drawn first: the form is never shown, however late the configuration', async () => {
    const { promise: late, resolve: come } = Promise.withResolvers<void>();
    const { page } = await open('about:blank', {
      prepare: async (fresh) => {
        // As the server sends it where CALENDLY_URL is set.
        await fresh.route(`${site.origin()}/`, async (route) => {
          const reply = await route.fetch();
          await route.fulfill({
            response: reply,
            body: (await reply.text()).replace('<html', '<html data-closed="booking"'),
          });
        });
        await fresh.route('**/config.json', async (route) => {
          await late;
          await route.fulfill({ json: { apiUrl: '', publishableKey: 'k', demo: null, calendlyUrl: bookingPage } });
        });
      },
    });
    // Where the server puts the booking page's address (server/src/site.ts).
    expect(builtFile('index.html')).toMatch(/<a data-booking-link="[^"]*" href="#calendly"/u);
    await page.goto(site.origin());
    await page.locator('#calendly').scrollIntoViewIfNeeded();
    await expectPage(page.getByRole('button', { name: 'Afficher le calendrier' })).toBeVisible();
    await expectPage(page.locator('#calendly form')).toBeHidden();
    come();
    await expectPage(page.getByRole('link', { name: 'Ouvrir la page de réservation' })).toHaveAttribute(
      'href',
      bookingPage,
    );
    await expectPage(page.locator('#calendly form')).toBeHidden();
    await page.context().close();
  });

  test('[L-04] where the script cannot load, a link opens the booking page', async () => {
    const { page } = await open(site.origin(), {
      prepare: async (fresh) => {
        await answerConfig(fresh, bookingPage);
        await fresh.route('https://**/*', (route) => route.abort());
      },
    });
    await page.locator('#calendly').scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Afficher le calendrier' }).click();
    await expectPage(page.locator('[data-booking-widget]')).toBeHidden();
    await expectPage(page.getByRole('link', { name: 'Ouvrir la page de réservation' })).toBeVisible();
    await page.context().close();
  });
});

async function fillRequest(page: Page): Promise<void> {
  const form = page.locator('#calendly form');
  await form.getByLabel('Nom').fill('Anne Durand');
  await form.getByLabel('E-mail').fill('anne@exemple.fr');
  await form.getByLabel('Téléphone').fill('06 12 34 56 78');
  await form.getByLabel('Créneau souhaité').fill('Jeudi matin');
  await form.getByLabel('Message').fill('Nous sommes douze.');
  await form.getByRole('button', { name: 'Demander un rendez-vous' }).click();
}

async function answerConfig(page: Page, calendlyUrl: string | null): Promise<void> {
  await page.route('**/config.json', (route) =>
    route.fulfill({ json: { apiUrl: '', publishableKey: 'sb_publishable_test', demo: null, calendlyUrl } }),
  );
}

/** Typographic spaces as ordinary ones. */
function spaced(text: string): string {
  return text.replace(/\s/gu, ' ');
}
