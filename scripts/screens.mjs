// npm run screens: pictures of every screen and panel of the demo company, on a laptop and a phone, light and dark, in docs/screens/.
//   --only <part of a name>   takes those alone
import { chromium } from '@playwright/test';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { findChromium } from './lib/chromium.mjs';
import { inProject, projectEnvironment, projectNode } from './lib/project.mjs';

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
await ensureWebBuilt();
const folder = mkdtempSync(path.join(os.tmpdir(), 'parrain-screens-'));
// Under root, PostgreSQL runs as another account, which has to pass through.
chmodSync(folder, 0o755);
const server = spawn(projectNode(), ['server/src/main.ts'], {
  cwd: inProject(),
  env: projectEnvironment({ PORT: '0', DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'fatal' }),
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => {
  server.once('exit', resolve);
});
let browser;
try {
  const origin = await addressOf(server);
  const found = findChromium();
  browser = await chromium.launch({
    executablePath: found.path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...found.env },
  });
  const sessions = await signInAll(origin);
  await takeAll(origin, sessions);
} finally {
  await browser?.close();
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function addressOf(child) {
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    const address = /prêt : (?<address>http:\S+)/u.exec(printed)?.groups?.address;
    if (address !== undefined) {
      child.stdout.resume();
      return address;
    }
  }
  throw new Error(`Le serveur n'a pas démarré :\n${printed}`);
}

/** Each demo account's session, as the browser keeps it. */
async function signInAll(origin) {
  const { publishableKey, demo } = await (await fetch(`${origin}/config.json`)).json();
  const sessions = new Map();
  for (const { role, email } of demo.accounts) {
    const reply = await fetch(`${origin}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: demo.password }),
    });
    const session = await reply.json();
    sessions.set(
      role,
      JSON.stringify({ ...session, token_type: 'bearer', expires_at: Math.floor(Date.now() / 1000) + 3600 }),
    );
  }
  return sessions;
}

async function pageAs(options, session) {
  const context = await browser.newContext({
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  if (session !== undefined) await page.addInitScript((text) => localStorage.setItem('parrain-session', text), session);
  return page;
}

/** A page is whole once nothing more is asked of the server and nothing says that it is being read. */
async function whole(page) {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy="true"], .animate-breathe').first().waitFor({ state: 'detached' });
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)));
  });
}

/** What is in the window, as WebP: Playwright itself writes PNG and JPEG alone. */
async function picture(page) {
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 72 });
  await cdp.detach();
  return Buffer.from(data, 'base64');
}

async function takeAll(origin, sessions) {
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
        writeFileSync(path.join(target, `${name}-${end}`), await picture(page));
        process.stdout.write(`${name}-${end}\n`);
      };
      const visitor = await pageAs({ ...options, colorScheme: theme });
      for (const [name, address] of PUBLIC) {
        if (!isWanted(name)) continue;
        await visitor.goto(origin + address);
        await save(name, visitor);
      }
      await visitor.context().close();
      for (const role of ROLES) {
        const page = await pageAs({ ...options, colorScheme: theme }, sessions.get(role));
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
