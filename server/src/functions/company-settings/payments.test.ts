import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

const IBAN = 'FR7630006000011234567890189';
const rules = {
  smallest_request: '1',
  payment_methods: ['virement', 'cheque_cadeau', 'association', 'remise_societe'],
  requests_from_day: null as number | null,
  requests_to_day: null as number | null,
};

let server: TestServer;
let admin: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await anAdmin(server.database);
  const commercial = await aCommercial(server.database);
  const scale = await aScale(server.database, { isDefault: true });
  client = await aClient(server.database, { commercial });
  // 123,46 €.
  await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
});
afterAll(() => server.close());

const rule = (body: Partial<typeof rules>): Promise<Reply> =>
  callAs(server, admin, 'company-settings?action=update_request_rules', { ...rules, ...body });
const ask = (amount: string, method = 'remise_societe'): Promise<Reply> =>
  callAs(server, client, 'payment-request', { action: 'create', amount, payment_method: method });
const keep = (body: Record<string, unknown>, who = admin): Promise<Reply> =>
  callAs(server, who, 'company-settings?action=update_account', body);

test('[PO-06] requests are held to the company’s smallest amount, means and days, by the database too', async () => {
  expect((await ask('1')).status).toBe(200);

  expect((await rule({ smallest_request: '20' })).status).toBe(200);
  expect(await ask('19.99')).toMatchObject({
    status: 400,
    body: { code: 'amount_out_of_range', error: 'Le montant doit être compris entre 20€ et 122,46€' },
  });
  const { database } = server;
  const inDatabase = (amount: string, method: string) =>
    database.become(client, (run) => run(`select private.request_payment($1, $2, '{}', null)`, [amount, method]));
  await expect(inDatabase('19.99', 'remise_societe')).rejects.toThrow('amount_out_of_range');

  await rule({ payment_methods: ['virement'] });
  expect((await ask('5')).body).toMatchObject({ code: 'method_not_offered' });
  await expect(inDatabase('5', 'remise_societe')).rejects.toThrow('method_not_offered');

  const { day } = only(await database.asOwner<{ day: number }>('select extract(day from private.today())::int as day'));
  const other = day > 15 ? 1 : 20;
  await rule({ requests_from_day: other, requests_to_day: other + 3 });
  expect(await ask('5')).toMatchObject({ status: 409, body: { code: 'requests_closed' } });
  await rule({ requests_from_day: Math.min(day, 28), requests_to_day: day });
  expect((await ask('5')).status).toBe(200);
  expect((await rule({})).status).toBe(200);
});

test('[PO-04] the company’s account is kept sealed, shown masked to admins alone, and each change is in the trail', async () => {
  const read = (who: Person) => callAs(server, who, 'company-settings?action=account', undefined, { method: 'GET' });
  expect(await read(admin)).toMatchObject({ status: 200, body: { data: null } });
  expect(await keep({ holder: 'Lumeo SARL', iban: IBAN.replace('189', '188'), bic: '' })).toMatchObject({
    status: 400,
  });
  const shown = { holder: 'Lumeo SARL', iban: 'FR76 •••• •••• 0189', bic: 'AGRIFRPP' };
  expect((await keep({ holder: 'Lumeo SARL', iban: IBAN, bic: 'agrifrpp' })).body.data).toEqual(shown);
  expect((await read(admin)).body.data).toEqual(shown);
  expect((await read(client)).status).toBe(403);
  expect((await keep({ ...shown, iban: IBAN }, client)).status).toBe(403);

  const trail = await server.database.asOwner<{ text: string; after: unknown }>(
    `select a::text as text, a.after from public.audit_entries a where a.entity = 'company_settings' order by a.id desc limit 1`,
  );
  expect(only(trail).after).toEqual({
    account_holder: 'Lumeo SARL',
    account_iban: shown.iban,
    account_bic: 'AGRIFRPP',
  });
  const kept = only(
    await server.database.asOwner<{ row: string }>(
      "select to_json(a)::text || encode(sealed, 'escape') as row from private.company_account a",
    ),
  );
  expect(kept.row + only(trail).text).not.toContain(IBAN.slice(4, 20));
  await expect(
    server.database.become(admin, (run) =>
      run(`select private.set_company_account('Lumeo', $1, null, '\\x00')`, [IBAN]),
    ),
  ).rejects.toThrow('company_account_iban_is_masked');
});
