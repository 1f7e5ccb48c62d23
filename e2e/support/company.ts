import { startMailbox } from '@parrain/server/mailbox';
import type { Mailbox } from '@parrain/server/mailbox';
import { test as base, expect } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { makeTestFolder } from '../../scripts/lib/test-folder.mjs';

const PROJECT = path.join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 300_000;

/** A company on its first day: the server as `npm start` runs it, an empty database, a real SMTP server, one admin. */
export type Company = {
  readonly url: string;
  readonly mailbox: Mailbox;
  readonly admin: { readonly email: string; readonly temporaryPassword: string };
  /** A browser window of one's own, closed with the story; what its console reports as errors is collected. */
  readonly openWindow: (options?: { readonly isPhone?: boolean }) => Promise<Window>;
};

export type Window = { readonly page: Page; readonly errors: readonly string[] };

type Fixtures = {
  /** Settings that differ from the company's ordinary environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly company: Company;
};

export { expect };

export const test = base.extend<Fixtures>({
  environment: [{}, { option: true }],
  async company({ browser, environment }, provide) {
    const dataDir = makeTestFolder('parrain-e2e');
    const mailbox = await startMailbox();
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: path.join(dataDir, 'data'),
      PORT: '0',
      DEMO: '0',
      LOG_LEVEL: 'error',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Parrain <bonjour@parrain.example>',
      ...environment,
    };
    const server = await startServer(env);
    const windows: Page[] = [];
    try {
      const admin = await createAdmin(env);
      await provide({
        url: server.url,
        mailbox,
        admin,
        openWindow: async ({ isPhone = false } = {}) => openWindow(browser, server.url, windows, isPhone),
      });
    } finally {
      for (const page of windows) await page.context().close();
      await server.stop();
      await mailbox.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
});

/** Signs in; the page that follows depends on the person. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/auth/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Mot de passe', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
}

/** Replaces a temporary password, as its first use demands (V-19). */
export async function choosePassword(page: Page, password: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: 'Choisissez un nouveau mot de passe' })).toBeVisible();
  await page.getByLabel('Nouveau mot de passe', { exact: true }).fill(password);
  await page.getByLabel('Confirmer le mot de passe', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Enregistrer et continuer' }).click();
}

/** The password of the mail that has just come. */
export async function temporaryPasswordOf(company: Company, email: string): Promise<string> {
  const mail = await company.mailbox.take(email);
  const password = /Mot de passe[^:\n]*:\s*(\S+)/u.exec(mail.text)?.[1];
  if (password === undefined) throw new Error(`No password in:\n${mail.text}`);
  return password;
}

/** Goes to a section by the menu. */
export async function openSection(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Sections' }).first();
  await menu.getByRole('link', { name }).or(menu.getByRole('button', { name })).click();
  await page
    .getByRole('heading', { level: 2, name, exact: true })
    .or(page.getByRole('heading', { level: 1, name, exact: true }))
    .first()
    .waitFor();
}

type Environment = Readonly<Record<string, string>>;

async function startServer(env: Environment): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server/src/main.ts'], {
    cwd: PROJECT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  return {
    url,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The address that the server prints once it is ready. */
async function addressOf(child: ChildProcess): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(`The server did not start:\n${printed}`)), START_TIMEOUT_MS);
    child.once('exit', () => reject(new Error(`The server ended:\n${printed}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const address = /Parrain est prêt : (\S+)/u.exec(printed)?.[1];
      if (address === undefined) return;
      clearTimeout(timeout);
      resolve(address);
    });
  });
}

/** The first admin comes from the command line, as on a new installation. */
async function createAdmin(env: Environment): Promise<Company['admin']> {
  const email = 'alice@parrain.example';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'server/src/commands/create-admin.ts', email, 'Alice Martin'],
    { cwd: PROJECT, env },
  );
  const temporaryPassword = /: (\S+)\s*$/u.exec(stdout)?.[1];
  if (temporaryPassword === undefined) throw new Error(`No password was printed: ${stdout}`);
  return { email, temporaryPassword };
}

async function openWindow(browser: Browser, baseURL: string, windows: Page[], isPhone: boolean): Promise<Window> {
  const context = await browser.newContext({
    ...(isPhone ? { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {}),
    baseURL,
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  windows.push(page);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}
