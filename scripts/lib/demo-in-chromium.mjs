// The demo company of a server of its own, seen in Chromium: what takes pictures of the product.
import { chromium } from '@playwright/test';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ensureWebBuilt } from './build-web.mjs';
import { findChromium } from './chromium.mjs';
import { inProject, projectEnvironment, projectNode } from './project.mjs';

/**
 * Starts the product on an empty folder and a browser beside it, gives both to `perform`, and takes both away.
 * `env` adds to the server's environment.
 */
export async function withDemo(perform, env = {}) {
  await ensureWebBuilt();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'parrain-screens-'));
  // Under root, PostgreSQL runs as another account, which has to pass through.
  chmodSync(folder, 0o755);
  const server = spawn(projectNode(), ['server/src/main.ts'], {
    cwd: inProject(),
    env: projectEnvironment({ PORT: '0', DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'fatal', DEMO: '1', ...env }),
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
    await perform({ origin, browser });
  } finally {
    await browser?.close();
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
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

/** A person's session, as the browser keeps it. */
export async function sessionOf(origin, email, password) {
  const { publishableKey } = await (await fetch(`${origin}/config.json`)).json();
  const reply = await fetch(`${origin}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const session = await reply.json();
  return JSON.stringify({ ...session, token_type: 'bearer', expires_at: Math.floor(Date.now() / 1000) + 3600 });
}

/** A page of a window of its own, signed in where a session is given. */
export async function pageAs(browser, options, session) {
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
export async function whole(page) {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy="true"], .animate-breathe').first().waitFor({ state: 'detached' });
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)));
    // The second frame paints the last layout.
    for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/** Screenshot of the window, or of `clip` in it, as WebP: Playwright itself writes PNG and JPEG alone. */
export async function webp(page, { clip, scale = 1, quality = 72 } = {}) {
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    ...(clip === undefined ? {} : { clip: { ...clip, scale } }),
  });
  await cdp.detach();
  return Buffer.from(data, 'base64');
}
