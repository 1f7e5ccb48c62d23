// npm run screens: pictures of every screen and panel of the demo company, on a laptop and a phone, light and dark, in docs/screens/.
//   --only <part of a name>   takes those alone
//   --axe                     takes none: reads each by axe, at five widths, with its menus and the errors of its forms, and names
//                             each broken rule, and each page that is wider than its window
//   --at <width>-<theme>      reads at that one alone: 900-dark, or 360 for both themes
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { brokenRules } from '../web/tests/accessibility.ts';
import { ensureInstalled } from './ensure-installed.mjs';
import { pageAs, sessionOf, webp, whole, withDemo } from './lib/demo-in-chromium.mjs';
import { inProject } from './lib/project.mjs';

const BYTES_MAX = 12_000_000;
const DEVICES = [
  { device: '1280', viewport: { width: 1280, height: 800 } },
  { device: '360', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
];
/** Widths that axe reads at; the last is what reflow at 400 % leaves of 1280. */
const WIDTHS = [1280, 900, 768, 360, 320];
const THEMES = ['light', 'dark'];
/** Selector of the popups that open in place: a sheet that was open once stays in the page, hidden. */
const POPUP = ':is([role="menu"], [role="listbox"], [role="dialog"]):not([hidden])';
const PUBLIC = [
  ['accueil', '/'],
  ['connexion', '/auth/login'],
  ['inscription', '/auth/register'],
  ['mot-de-passe-oublie', '/auth/forgot-password'],
  ['page-introuvable', '/nulle-part'],
];
/** Buttons that open a dialog, by role and section. */
const DIALOGS = {
  'admin/vue-d-ensemble': ['Paramètres'],
  'admin/commerciaux': ['Ajouter un commercial'],
  'admin/clients': ['Ajouter un client', 'Importer des clients'],
  'admin/commissions': ['Nouveau barème'],
  'admin/validations': ['Valider le contrat'],
  'admin/demandes-de-paiement': ['Approuver', 'Marquer payé'],
  'admin/integrations': ['Créer une clé', 'Ajouter un webhook'],
  'commercial/mes-clients': ['Ajouter un client'],
  'commercial/parrainages-recus': ['Mettre à jour'],
  'client/mes-parrainages': ['Inviter un ami', 'Mon lien'],
  'client/demandes-de-paiement': ['Nouvelle demande de paiement'],
};
const ROLES = ['admin', 'commercial', 'client'];

const { values: asked } = parseArgs({
  options: { only: { type: 'string' }, axe: { type: 'boolean', default: false }, at: { type: 'string' } },
});

await ensureInstalled();
await withDemo(async ({ origin, browser }) => {
  const sessions = await signInAll(origin);
  if (!asked.axe && asked.only === undefined) forgetPictures();
  const perform = asked.axe ? readAll : takeAll;
  await perform(origin, browser, sessions, visitAll);
  await chargeVat(origin, sessions);
  await perform(origin, browser, sessions, visitVat);
});

/** Each demo account's session, as the browser keeps it. */
async function signInAll(origin) {
  const { demo } = await (await fetch(`${origin}/config.json`)).json();
  const sessions = new Map();
  for (const { role, email } of demo.accounts) sessions.set(role, await sessionOf(origin, email, demo.password));
  return sessions;
}

/** The pictures that are taken anew. */
function forgetPictures() {
  const target = inProject('docs', 'screens');
  for (const name of readdirSync(target)) if (name.endsWith('.webp')) rmSync(path.join(target, name));
}

/** Pictures of everything, on each device and in each theme. */
async function takeAll(origin, browser, sessions, visit) {
  const target = inProject('docs', 'screens');
  mkdirSync(target, { recursive: true });
  for (const { device, ...options } of DEVICES) {
    for (const theme of THEMES) {
      const end = `${device}-${theme}.webp`;
      await visit(origin, browser, sessions, { ...options, colorScheme: theme }, async (name, page) => {
        if (asked.only !== undefined && !`${name}-${end}`.includes(asked.only)) return;
        await whole(page);
        writeFileSync(path.join(target, `${name}-${end}`), await webp(page));
        process.stdout.write(`${name}-${end}\n`);
      });
    }
  }
  writeFileSync(path.join(target, 'README.md'), contents(readdirSync(target).filter((name) => name.endsWith('.webp'))));
  const bytes = readdirSync(target).reduce((sum, name) => sum + statSync(path.join(target, name)).size, 0);
  process.stdout.write(`${(bytes / 1e6).toFixed(1)} Mo\n`);
  if (bytes > BYTES_MAX) throw new Error(`docs/screens pèse plus de ${BYTES_MAX / 1e6} Mo`);
}

/** The list of the pictures: a line a screen, with its four pictures. */
function contents(files) {
  const shots = ['1280-light', '1280-dark', '360-light', '360-dark'];
  const names = [...new Set(files.map((file) => file.replace(/-(?:1280|360)-(?:light|dark)\.webp$/u, '')))].toSorted(
    (a, b) => (a < b ? -1 : 1),
  );
  const links = (name) =>
    shots.map((shot) => (files.includes(`${name}-${shot}.webp`) ? `[voir](${name}-${shot}.webp)` : '–')).join(' | ');
  return `# The screens

Every screen and panel of the demo company, on a laptop (1280 × 800) and a phone (360 × 740), light and dark: ${files.length} pictures of
${names.length} screens, taken by \`npm run screens\`, which writes this list too. A name is the role, the section, then what is open in it.

| screen | laptop, light | laptop, dark | phone, light | phone, dark |
|---|---|---|---|---|
${names.map((name) => `| ${name} | ${links(name)} |`).join('\n')}
`;
}

/** Reads everything by axe, at each width and in each theme: a visit opens each once, and it is read in one theme, then the other. */
async function readAll(origin, browser, sessions, visit) {
  let broken = 0;
  for (const width of WIDTHS) {
    const themes = THEMES.filter((theme) => asked.at === undefined || `${width}-${theme}`.startsWith(asked.at));
    if (themes.length === 0) continue;
    const startedAt = Date.now();
    let read = 0;
    const options = { viewport: { width, height: 800 }, isMobile: width < 640, hasTouch: width < 640 };
    await visit(origin, browser, sessions, options, async (name, page) => {
      for (const theme of themes) {
        const end = `${name}-${width}-${theme}`;
        if (asked.only !== undefined && !end.includes(asked.only)) continue;
        await page.emulateMedia({ colorScheme: theme });
        await whole(page);
        read += 1;
        // The page under what opens in place was read before, and is partly covered now.
        const rules = await brokenRules(page, name.includes('-ouvert-') ? POPUP : undefined);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wide > 0) rules.push(`wider than its window by ${wide} px`);
        broken += rules.length;
        for (const rule of rules) process.stdout.write(`${end}: ${rule}\n`);
      }
    });
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    process.stdout.write(
      `${width} ${themes.join(' and ')}: ${read} read in ${seconds} s, ${broken} broken rules so far\n`,
    );
  }
  if (broken > 0) process.exitCode = 1;
}

/** Opens everything there is, in windows of these options, and gives each to `see` with its name. */
async function visitAll(origin, browser, sessions, options, see) {
  const sections = await sectionsOf(origin, browser, sessions);
  const visitor = await pageAs(browser, options);
  for (const [name, address] of PUBLIC) {
    await visitor.goto(origin + address);
    await see(name, visitor);
  }
  await visitor.context().close();
  for (const role of ROLES) {
    const page = await pageAs(browser, options, sessions.get(role));
    await page.goto(`${origin}/${role}/dashboard`);
    await whole(page);
    await visitSections(page, role, sections.get(role), see);
    await page.context().close();
  }
}

/**
 * Visits the screens that a year's papers change: payments with VAT, the declared sums and a doubt. The demo company has no payee who
 * charges VAT: its first client and commercial become such ones here, after the other screens.
 */
async function visitVat(origin, browser, sessions, options, see) {
  const visit = async (role, steps) => {
    const page = await pageAs(browser, options, sessions.get(role));
    await page.goto(`${origin}/${role}/dashboard`);
    await whole(page);
    await steps(page, async (section) => {
      await page.goto(`${origin}/${role}/dashboard?section=${section}`);
      await whole(page);
    });
    await page.context().close();
  };
  await visit('client', async (page, open) => {
    await open('demandes-de-paiement');
    await see('client-tva-demandes-de-paiement', page);
    await page.getByRole('button', { name: 'Nouvelle demande de paiement' }).first().click();
    await page.getByRole('dialog').getByLabel('Montant').fill('150,25');
    await seeDialog(page, 'client-tva-nouvelle-demande-de-paiement', see);
    await open('documents');
    await see('client-tva-documents', page);
  });
  await visit('commercial', async (page) => {
    await openSection(page, 'commercial', 'Mon compte');
    await see('commercial-tva-mon-compte', page);
  });
  await visit('admin', async (page, open) => {
    await open('demandes-de-paiement');
    await see('admin-tva-demandes-de-paiement', page);
    await page.locator('[data-row]').first().dispatchEvent('click');
    await seeDialog(page, 'admin-tva-demande-panneau', see);
    await page.getByRole('button', { name: 'Approuver' }).first().dispatchEvent('click');
    await seeDialog(page, 'admin-tva-approuver', see);
    await open('commissions-des-commerciaux');
    await see('admin-tva-commissions-des-commerciaux', page);
    await page.getByRole('button', { name: 'Marquer payé : Amélie Roussel' }).dispatchEvent('click');
    await seeDialog(page, 'admin-tva-marquer-paye', see);
    await open('virements');
    await page.locator('[data-row]').first().dispatchEvent('click');
    await whole(page);
    await rest(page);
    await see('admin-tva-virement', page);
    await open('comptabilite');
    await inSight(page.getByText('Déclaration DAS2').first());
    await see('admin-das2', page);
    await page.getByRole('button', { name: 'Réglages de la DAS2' }).click();
    await seeDialog(page, 'admin-das2-reglages', see);
    await open('cas-douteux');
    await inSight(page.getByRole('heading', { name: 'Règles' }));
    await see('admin-cas-douteux-regles', page);
    await open('cas-douteux');
    await page.locator('[data-row]').first().dispatchEvent('click');
    await page.getByRole('button', { name: 'C’est une fraude' }).click();
    await whole(page);
    await see('admin-cas-douteux-confirmer', page);
    await open('cas-douteux');
    await page.locator('[data-row]', { hasText: 'Zoé Chevalier' }).first().dispatchEvent('click');
    await page.getByRole('dialog').locator('a[href*="vente="]').first().click();
    await seeDialog(page, 'admin-cas-douteux-parrainage', see);
  });
}

/** Under the head of the page, which stays. */
async function inSight(element) {
  await element.evaluate((node) => {
    node.scrollIntoView({ block: 'start', behavior: 'instant' });
    window.scrollBy({ top: -96, behavior: 'instant' });
  });
}

/** A client and two commercials who charge VAT and accepted the mandate, a request of the first, and a batch with a month of the second. */
async function chargeVat(origin, sessions) {
  const { publishableKey, demo } = await (await fetch(`${origin}/config.json`)).json();
  const as = (session) => {
    const { access_token: token, user } = JSON.parse(session);
    const headers = { apikey: publishableKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const ask = async (address, options) => {
      const reply = await fetch(origin + address, { headers, ...options });
      if (!reply.ok) throw new Error(`${address}: ${await reply.text()}`);
      return reply.json();
    };
    return {
      id: user.id,
      read: (query) => ask(`/rest/v1/${query}`),
      call: (name, body) => ask(`/functions/v1/${name}`, { method: 'POST', body: JSON.stringify(body) }),
    };
  };
  const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
  const admin = as(sessions.get('admin'));
  const client = as(sessions.get('client'));
  const commercial = as(sessions.get('commercial'));
  const other = as(await sessionOf(origin, 'amelie.roussel@demo.example', demo.password));
  await admin.call('papers', {
    action: 'update_company',
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat SARL',
    ...address,
    siren: '732829320',
    vat_number: 'FR44732829320',
  });
  for (const [payee, legal_name, siren, vat_number] of [
    [client, 'Marchand Conseil SARL', '412345670', 'FR96412345670'],
    [commercial, 'Atelier Mercier SAS', '542051180', 'FR59542051180'],
    [other, 'Roussel Habitat SARL', '552100554', 'FR96552100554'],
  ]) {
    const details = { status: 'societe', legal_name, ...address, siren, charges_vat: true, vat_number };
    await payee.call('papers', { action: 'update_payee', payee_id: payee.id, ...details });
    const { data } = await payee.call('papers', { action: 'payee', payee_id: payee.id });
    await payee.call('papers', { action: 'accept_mandate', seen_text: data.mandate_offered });
    await admin.call('papers', { action: 'accept_vat', payee_id: payee.id, vat_number });
  }
  const iban = 'FR7630006000011234567890189';
  await client.call('payment-request', {
    action: 'create',
    amount: '500.00',
    payment_method: 'virement',
    payment_details: { iban, beneficiary_name: 'Marchand Conseil SARL' },
  });
  await commercial.call('own-account', { action: 'set_bank_account', holder: 'Atelier Mercier SAS', iban });
  const [month] = await admin.read(
    `commission_periods?payee_id=eq.${commercial.id}&status=eq.due&select=payee_id,month,due::text,vat_amount::text&order=month.desc&limit=1`,
  );
  const cents = (amount) => BigInt(amount.replace('.', ''));
  const total = String(cents(month.due) + cents(month.vat_amount)).replace(/(?=\d\d$)/u, '.');
  await admin.call('payment-batch', {
    action: 'make',
    request_ids: [],
    months: [{ payee_id: month.payee_id, month: month.month, amount: total }],
    expected_total: total,
  });
}

/**
 * Names of the sections in the menu of each role, and of the tabs of the admin's payments, on a laptop: the bar of a phone has a few of
 * them, and shorter words.
 */
async function sectionsOf(origin, browser, sessions) {
  const sections = new Map();
  for (const role of ROLES) {
    const page = await pageAs(browser, { viewport: { width: 1280, height: 800 } }, sessions.get(role));
    await page.goto(`${origin}/${role}/dashboard`);
    await whole(page);
    const items = page.getByRole('navigation', { name: 'Sections' }).first().locator('a, button');
    sections.set(
      role,
      (await items.allTextContents()).map((text) => text.replace(/\d+.*$/u, '').trim()),
    );
    await page.context().close();
  }
  sections.get('admin').push('Virements', 'Commissions des commerciaux', 'Historique des paiements');
  return sections;
}

/** A section by its address; the commercial's has none (CO-01), and is found in the palette. */
async function openSection(page, role, label) {
  if (role === 'commercial') {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Rechercher' }).fill(label);
    await page.getByRole('option', { name: label }).first().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  } else {
    await page.goto(`${new URL(page.url()).origin}/${role}/dashboard?section=${slug(label)}`);
  }
  await whole(page);
  await rest(page);
}

/** Takes the focus from where the keyboard left it, and the pointer from what it pressed: a picture shows neither ring nor hover. */
async function rest(page) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
}

/** Every section of the menu, then the panel of its first row, its dialogs, their errors and its menus. */
async function visitSections(page, role, sections, see) {
  await page.keyboard.press('Control+k');
  await seeDialog(page, `${role}-palette`, see);
  await page.keyboard.press('?');
  await seeDialog(page, `${role}-raccourcis`, see);
  for (const label of sections) {
    const section = slug(label);
    const name = `${role}-${section}`;
    await openSection(page, role, label);
    await see(name, page);
    if (asked.axe) await seeMenus(page, name, see);
    const row = page
      .locator('main :is(tbody tr, ul > li) [data-row], main article a[href*="section="], main article > button')
      .first();
    if ((await row.count()) > 0) {
      await row.dispatchEvent('click');
      await seeDialog(page, `${name}-panneau`, see);
    }
    for (const button of DIALOGS[`${role}/${section}`] ?? []) {
      const opener = page.getByRole('button', { name: button }).first();
      if ((await opener.count()) === 0) continue;
      await opener.dispatchEvent('click');
      await seeDialog(page, `${name}-${slug(button)}`, see);
    }
  }
}

/** Visits the popups that open in place: menus, choices and explanations, one of each name. */
async function seeMenus(page, name, see) {
  const openers = page.locator(
    'main :is([aria-haspopup="menu"], [aria-haspopup="listbox"], [aria-haspopup="dialog"], button[role="combobox"]):visible',
  );
  const seen = new Set();
  for (let index = 0; index < (await openers.count()); index += 1) {
    const opener = openers.nth(index);
    // « Actions de Marie Curie »: one of a column says as much as all of them.
    const column = await opener.evaluate((element) => `${element.closest('td')?.cellIndex ?? element.textContent}`);
    if (seen.has(column) || (await opener.isDisabled())) continue;
    seen.add(column);
    await opener.click();
    const opened = page.locator(`${POPUP}:visible`).first();
    const isOpen = await opened.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (!isOpen) continue;
    await whole(page);
    await see(`${name}-ouvert-${seen.size}`, page);
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' }).catch(() => undefined);
  }
}

async function seeDialog(page, name, see) {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).first();
  const isOpen = await dialog.waitFor({ timeout: 3000 }).then(
    () => true,
    () => false,
  );
  if (!isOpen) return;
  await whole(page);
  await see(name, page);
  // A form that is sent with nothing in it says what it wants.
  const sent = dialog.locator('form:has(input:not([type="hidden"])) button[type="submit"]:enabled').first();
  if (
    asked.axe &&
    (await dialog.locator('form [required], form [aria-required="true"]').count()) > 0 &&
    (await sent.count()) > 0
  ) {
    const isEmpty = await dialog
      .locator('form input[required], form input[aria-required="true"]')
      .evaluateAll((inputs) => inputs.some((input) => input.value === ''));
    if (isEmpty) {
      await sent.dispatchEvent('click');
      await see(`${name}-erreurs`, page);
    }
  }
  // A dialog over another closes first.
  for (let open = await dialog.count(); open > 0; open = await dialog.count()) {
    await page.keyboard.press('Escape');
    await whole(page);
  }
}

/** « Demandes de Paiement » → « demandes-de-paiement », as the sections' folders are named. */
function slug(label) {
  return label
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z\d]+/gu, '-')
    .replace(/^-|-$/gu, '');
}
