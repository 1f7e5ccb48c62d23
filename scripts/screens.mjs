// npm run screens: pictures of every screen and panel of the demo company, on a laptop and a phone, light and dark, in docs/screens/.
//   --only <part of a name>   takes those alone
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { ensureInstalled } from './ensure-installed.mjs';
import { pageAs, sessionOf, webp, whole, withDemo } from './lib/demo-in-chromium.mjs';
import { inProject } from './lib/project.mjs';

const BYTES_MAX = 12_000_000;
const DEVICES = [
  { device: '1280', viewport: { width: 1280, height: 800 } },
  { device: '360', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
];
const THEMES = ['light', 'dark'];
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
  'admin/clients': ['Ajouter un client'],
  'admin/commissions': ['Nouveau barème'],
  'commercial/mes-clients': ['Ajouter un client'],
  'commercial/parrainages-recus': ['Mettre à jour'],
  'client/mes-parrainages': ['Inviter un ami'],
  'client/demandes-de-paiement': ['Nouvelle demande de paiement'],
};
const ROLES = ['admin', 'commercial', 'client'];

const { values: asked } = parseArgs({ options: { only: { type: 'string' } } });

await ensureInstalled();
await withDemo(async ({ origin, browser }) => {
  await takeAll(origin, browser, await signInAll(origin));
});

/** Each demo account's session, as the browser keeps it. */
async function signInAll(origin) {
  const { demo } = await (await fetch(`${origin}/config.json`)).json();
  const sessions = new Map();
  for (const { role, email } of demo.accounts) sessions.set(role, await sessionOf(origin, email, demo.password));
  return sessions;
}

async function takeAll(origin, browser, sessions) {
  const target = inProject('docs', 'screens');
  mkdirSync(target, { recursive: true });
  if (asked.only === undefined)
    for (const name of readdirSync(target)) if (name.endsWith('.webp')) rmSync(path.join(target, name));
  for (const { device, ...options } of DEVICES) {
    for (const theme of THEMES) {
      const end = `${device}-${theme}.webp`;
      const isWanted = (name) => asked.only === undefined || `${name}-${end}`.includes(asked.only);
      const save = async (name, page) => {
        if (!isWanted(name)) return;
        await whole(page);
        writeFileSync(path.join(target, `${name}-${end}`), await webp(page));
        process.stdout.write(`${name}-${end}\n`);
      };
      const visitor = await pageAs(browser, { ...options, colorScheme: theme });
      for (const [name, address] of PUBLIC) {
        if (!isWanted(name)) continue;
        await visitor.goto(origin + address);
        await save(name, visitor);
      }
      await visitor.context().close();
      for (const role of ROLES) {
        const page = await pageAs(browser, { ...options, colorScheme: theme }, sessions.get(role));
        await page.goto(`${origin}/${role}/dashboard`);
        await whole(page);
        await takeSections(page, role, save);
        await page.context().close();
      }
    }
  }
  const bytes = readdirSync(target).reduce((sum, name) => sum + statSync(path.join(target, name)).size, 0);
  process.stdout.write(`${(bytes / 1e6).toFixed(1)} Mo\n`);
  if (bytes > BYTES_MAX) throw new Error(`docs/screens pèse plus de ${BYTES_MAX / 1e6} Mo`);
}

/** Every section of the menu, then the panel of its first row and its dialogs. */
async function takeSections(page, role, save) {
  const items = page.getByRole('navigation', { name: 'Sections' }).first().locator('a, button');
  const names = (await items.allTextContents()).map((text) => text.replace(/\d+.*$/u, '').trim());
  for (const [at, label] of names.entries()) {
    const section = slug(label);
    const name = `${role}-${section}`;
    // The bar of a phone scrolls or folds its items away; their links lead all the same.
    await items.nth(at).dispatchEvent('click');
    await whole(page);
    await save(name, page);
    const row = page.locator('main tbody tr a, main tbody tr button, main article a[href*="section="]').first();
    if ((await row.count()) > 0) {
      await row.dispatchEvent('click');
      await saveDialog(page, `${name}-panneau`, save);
    }
    for (const button of DIALOGS[`${role}/${section}`] ?? []) {
      const opener = page.getByRole('button', { name: button }).first();
      if ((await opener.count()) === 0) continue;
      await opener.dispatchEvent('click');
      await saveDialog(page, `${name}-${slug(button)}`, save);
    }
  }
}

async function saveDialog(page, name, save) {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).first();
  const isOpen = await dialog.waitFor({ timeout: 3000 }).then(
    () => true,
    () => false,
  );
  if (!isOpen) return;
  await save(name, page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
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
