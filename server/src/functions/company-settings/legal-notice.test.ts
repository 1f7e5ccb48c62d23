import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import publicSite from '../../site.ts';
import { evaluateAlarms } from '../system-state/alarms.ts';
import { aCommercial, anAdmin, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';

// The legal notice: written by an admin, shown by the public pages of every node.

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
});
afterAll(() => server.close());

const notice = {
  publisher: 'Lumeo & fils <SARL>',
  registration: 'RCS Rennes 732 829 320',
  address: '12 rue des Lilas, 35000 Rennes',
  director: 'Claire Fontaine',
  email: 'bonjour@lumeo.example',
  phone: '02 99 00 00 00',
  host: 'Hébergeur',
  host_address: '1 place de l’Exemple, 75001 Paris',
  host_phone: '01 00 00 00 00',
};
const audit = {
  audited_on: '2026-10-12',
  audited_by: 'Cabinet Clair',
  audit_rate: '78',
  audit_gaps: 'Les graphiques\nLe réseau',
};
const write = (body: Record<string, unknown>, by = admin) =>
  callAs(server, by, 'company-settings?action=update_legal_notice', body);
/** The page that the build would have written, with a place of each kind. */
const WRITTEN = ['state', 'identity', 'address', 'audit', 'gaps']
  .map((name) => `<span data-notice="${name}">${name === 'state' ? 'non conforme' : ''}</span>`)
  .join('');
let directory: string;
let site: FastifyInstance;
beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'parrain-notice-'));
  await mkdir(path.join(directory, 'assets'));
  await writeFile(
    path.join(directory, 'index.html'),
    `<html lang="fr">${WRITTEN}<a class="x" data-notice="email" href="/pages/contact"></a></html>`,
  );
  await writeFile(path.join(directory, '__spa-fallback.html'), '<html></html>');
  site = Fastify();
  site.decorateRequest('caller', null);
  await publicSite(site, server.services, directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));
const page = async () => (await site.inject('/')).body;
const shows = async (part: string) => {
  await expect.poll(page, { timeout: 20_000 }).toContain(part);
};

test('[DF-47][DF-86] a page without a notice names nobody, says what is missing, and conforms to nothing', async () => {
  expect(await page()).toMatch(/^<html data-closed="[^"]*notice audit" lang="fr">/u);
  expect(await page()).toContain(`${WRITTEN}<a class="x" data-notice="email" href="/pages/contact"></a>`);
});

test('[DF-47] an admin alone writes it; what is missing or wrong is said by field, and nothing is kept', async () => {
  const { status, body } = await write({ publisher: '', email: 'nulle part', audit_rate: '78', seen: undefined });
  expect(status).toBe(400);
  const issues = (body as unknown as { issues: { path: string[] }[] }).issues;
  expect(new Set(issues.map((issue) => issue.path[0]))).toEqual(
    new Set([
      'address',
      'audited_by',
      'audited_on',
      'director',
      'email',
      'host',
      'host_address',
      'host_phone',
      'phone',
      'publisher',
    ]),
  );
  expect((await write(notice, await aCommercial(server.database))).status).toBe(403);
  expect(await server.database.asOwner('select from private.legal_notice')).toHaveLength(0);
});

test('[DF-47] what is kept stands on the public pages as text, ends its alarm and is in the trail', async () => {
  await server.database.asOwner(`update private.migrations set applied_at = applied_at - interval '8 days'`);
  await evaluateAlarms(server.services);
  const alarms = () => server.database.asOwner(`select kind from private.alarms where cleared_at is null order by 1`);
  expect(await alarms()).toContainEqual({ kind: 'legal_notice_missing' });
  expect(await write(notice)).toMatchObject({ status: 200, body: { data: { ...notice, audited_on: null } } });
  expect(await alarms()).not.toContainEqual({ kind: 'legal_notice_missing' });
  await evaluateAlarms(server.services);
  expect(await alarms()).not.toContainEqual({ kind: 'legal_notice_missing' });
  await shows('<span data-notice="identity">Lumeo &amp; fils &lt;SARL&gt; – RCS Rennes 732 829 320</span>');
  expect(await page()).toContain('data-notice="email" href="mailto:bonjour@lumeo.example">bonjour@lumeo.example</a>');
  expect(await page()).toMatch(/^<html data-closed="[^"]*audit"/u);
  expect(await page()).not.toMatch(/^<html data-closed="[^"]*notice/u);
  const [entry] = await server.database.asOwner<{ after: object }>(
    `select after from public.audit_entries where after ? 'legal_notice'`,
  );
  expect(entry).toMatchObject({ after: { legal_notice: notice } });
});

test('[DF-86] an audit that is entered changes the state, its reason and what is not accessible, until it is taken away', async () => {
  const seen = { audited_on: null, audited_by: null, audit_rate: null, audit_gaps: null };
  expect((await write({ ...audit, seen })).status).toBe(200);
  await shows('<span data-notice="state">partiellement conforme</span>');
  expect(await page()).toMatch(/fait par Cabinet Clair le lundi 12 octobre 2026 montre que 78 % des critères/u);
  expect(await page()).toContain('Les graphiques\nLe réseau');
  expect(await page()).not.toMatch(/^<html data-closed="[^"]*audit/u);
  expect(
    (
      await write({
        audited_on: '',
        audited_by: '',
        audit_rate: '',
        audit_gaps: '',
        seen: { ...audit, audit_rate: 50 },
      })
    ).status,
  ).toBe(409);
  expect((await write({ ...notice, ...seen })).status).toBe(200);
  await shows('<span data-notice="state">non conforme</span>');
});
