import { demoAccounts, demoPassword } from '@parrain/database/demo';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import publicSite from './site.ts';
import { aClient, anAdmin, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { callAs } from './testing/call-function.ts';

const SIGN_IN = '<html lang="fr"><span class="x" data-company=""></span></html>';
const LANDING = '<html lang="fr"><span data-notice="state">non conforme</span></html>';
let server: TestServer;
let admin: Person;
let directory: string;
let site: FastifyInstance;
beforeAll(async () => {
  server = await startTestServer({ environment: { DEMO: '1' } });
  admin = await anAdmin(server.database);
  directory = await mkdtemp(path.join(os.tmpdir(), 'parrain-site-'));
  await mkdir(path.join(directory, 'assets'));
  await mkdir(path.join(directory, 'login'));
  await writeFile(path.join(directory, 'login', 'index.html'), SIGN_IN);
  await writeFile(path.join(directory, 'index.html'), LANDING);
  await writeFile(path.join(directory, '__spa-fallback.html'), '<html lang="fr"></html>');
  site = Fastify();
  site.decorateRequest('caller', null);
  await publicSite(site, server.services, directory);
});
afterAll(async () => {
  await site.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});
const page = async (address: string) => (await site.inject(address)).body;
const opening = async (address: string) => /^<html[^>]*>/u.exec(await page(address))?.[0];

test('[UI-14] the sign-in names no company while it has no name of its own', async () => {
  expect(await page('/login')).toMatch(
    /^<html(?: data-closed="[^"]*")? lang="fr"><span class="x" data-company=""><\/span>/u,
  );
});

test('[UI-14] once it has one, the sign-in and what comes after a sign-out stand under it, as text; the etag tells', async () => {
  const before = (await site.inject('/login')).headers.etag;
  const name = 'Toits & fils <"Nord"> $& $1';
  const shown = 'Toits &amp; fils &lt;&quot;Nord&quot;&gt; $&amp; $1';
  expect((await callAs(server, admin, 'company-settings?action=update_name', { company_name: name })).status).toBe(200);
  await expect.poll(() => opening('/login'), { timeout: 20_000 }).toContain(`data-company="${shown}"`);
  expect(await page('/login')).toContain(`<span class="x" data-company="">${shown}</span>`);
  expect(await opening('/admin/dashboard')).toContain(`data-company="${shown}"`);
  expect((await site.inject('/login')).headers.etag).not.toBe(before);
});

test('[UI-14] the public page names whom the demo lets in, as /config.json does, and nobody once its data are gone', async () => {
  expect(await opening('/')).not.toContain('data-demo');
  const passwordHash = await hashPassword(demoPassword);
  const [demoAdmin, , demoClient] = demoAccounts;
  await anAdmin(server.database, { isTest: true, email: demoAdmin.email, passwordHash });
  await aClient(server.database, { isTest: true, email: demoClient.email, passwordHash });
  await expect.poll(() => opening('/'), { timeout: 20_000 }).toContain('data-demo="admin client"');
  await server.database.asOwner(`update public.profiles set deactivated_at = now() where is_test`);
  await expect.poll(() => opening('/'), { timeout: 20_000 }).not.toContain('data-demo');
});

test('[R-01] a role’s address alone leads to its dashboard, with the section that it names', async () => {
  for (const role of ['admin', 'commercial', 'client', 'comptable']) {
    for (const [address, query] of [
      [`/${role}`, ''],
      [`/${role}/`, ''],
      [`/${role}?section=profil`, '?section=profil'],
    ] as const) {
      const { statusCode, headers } = await site.inject(address);
      expect([address, statusCode, headers.location]).toEqual([address, 302, `/${role}/dashboard${query}`]);
    }
  }
});
