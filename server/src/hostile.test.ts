import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ensureWebBuilt } from '../../scripts/lib/build-web.mjs';
import { aClient, aCommercial, anAdmin, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';

let server: TestServer;
let people: readonly (Person | undefined)[];
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  admin = await anAdmin(server.database);
  const commercial = await aCommercial(server.database);
  const client = await aClient(server.database, { commercial });
  const expired = { ...admin, sessionId: '00000000-0000-4000-8000-000000000000' };
  people = [undefined, commercial, client, expired];
});
afterAll(() => server.close());

const ADMIN_ONLY = [
  ['invite-commercial', { name: 'Pirate', email: 'pirate@exemple.example' }],
  ['company-settings?action=update_name', { company_name: 'Piraté' }],
  [
    'commission-management?action=create_commission_rate',
    {
      name: 'Pirate',
      client_commission_type: 'percentage',
      client_commission_amount: 99,
      commercial_commission_type: 'fixed',
      commercial_commission_amount: 1,
    },
  ],
  [
    'payment-request?action=update_status',
    { request_id: '00000000-0000-4000-8000-000000000001', status: 'paid', seen_version: 1, expected_amount: 1 },
  ],
  [
    'sales-management',
    {
      action: 'validate',
      sale_id: '00000000-0000-4000-8000-000000000001',
      seen_version: 1,
      expected_contract_amount: 1,
      expected_client_commission_amount: 1,
      expected_commercial_commission_amount: 1,
    },
  ],
  [
    'sales-management',
    { action: 'reject', sale_id: '00000000-0000-4000-8000-000000000001', reason: 'x', seen_version: 1 },
  ],
  ['remove-commercial', { commercial_id: '00000000-0000-4000-8000-000000000001' }],
  ['clean-database', {}],
] as const;

const post = (address: string, body: object, person?: Person) =>
  server.fetch(
    address,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    person,
  );
const state = () =>
  server.database
    .asOwner(`select (select count(*) from public.profiles) as people, (select count(*) from public.commission_rates) as scales,
    (select company_name from public.company_settings) as company`);

describe('what only an admin may do', () => {
  test('[P-01] [P-04] threat 32: visitor, commercial, client or ended session: 401 or 403, nothing moved', async () => {
    const before = await state();
    for (const person of people) {
      for (const [name, body] of ADMIN_ONLY) {
        const response = await post(`/functions/v1/${name}`, body, person);
        expect(`${name} ${person?.role ?? 'visiteur'} ${response.status}`).toMatch(/ (?:401|403)$/u);
        expect(await response.json()).toHaveProperty('error');
      }
    }
    expect(await state()).toEqual(before);
  });

  test('[P-04] threat 32: an address written otherwise is no other way into the same room', async () => {
    const before = await state();
    const [name, body] = ['invite-commercial', { name: 'Pirate', email: 'pirate@exemple.example' }];
    for (const person of people) {
      for (const address of [
        `/functions/v1/${name}/`,
        `/functions/v1/${name.toUpperCase()}`,
        `/functions/v1//${name}`,
        `/functions/v1/%69nvite-commercial`,
        `/functions/v1/%2569nvite-commercial`,
        `/functions/v1/x/../${name}`,
        `/FUNCTIONS/v1/${name}`,
      ]) {
        const { status } = await post(address, body, person);
        expect([401, 403, 404]).toContain(status);
      }
    }
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await server.fetch(`/functions/v1/${name}`, { method }, admin);
      expect(status).toBe(405);
    }
    expect(await state()).toEqual(before);
  });
});

describe('what must never leave the server', () => {
  test('[P-04] threat 40: the secret key is neither in the application nor in a public answer', async () => {
    await ensureWebBuilt();
    const built = path.join(import.meta.dirname, '../../web/build/client');
    const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(10);
    const { secretKey } = server.services.keys;
    for (const file of files) {
      expect(file.name).not.toMatch(/\.map$|^\.env|^\.git/u);
      const text = readFileSync(path.join(file.parentPath, file.name), 'latin1');
      const told = text.includes(secretKey) || /sb_secret_[\w-]{16,}/u.test(text);
      expect(`${file.name} ${told}`).toBe(`${file.name} false`);
    }
    for (const address of [
      '/config.json',
      '/health',
      '/',
      '/auth/v1/settings',
      '/.env',
      '/.git/config',
      '/auth/v1/.well-known/jwks.json',
    ]) {
      const text = await (await server.fetch(address)).text();
      expect(text).not.toContain(secretKey);
      expect(text).not.toMatch(/"d"\s*:/u);
    }
  });
});
