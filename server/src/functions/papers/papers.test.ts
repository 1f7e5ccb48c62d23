import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = {
  issues_papers: true,
  contest_days: 15,
  legal_name: 'Lumeo Habitat SARL',
  ...address,
  siren: '732 829 320',
  vat_number: '',
};
const someone = { status: 'particulier', legal_name: 'Éloïse Lefèvre', ...address };

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let stranger: Person;
beforeAll(async () => {
  server = await startTestServer();
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  await aScale(database, { isDefault: true, clientType: 'fixed', clientAmount: '100.00' });
  [client, stranger] = [await aClient(database, { commercial }), await aClient(database, { commercial })];
  await aValidatedSale(database, { commercial, friendReferrer: client, admin });
});
afterAll(() => server.close());

const papers = (who: Person, action: string, body: Record<string, unknown> = {}): Promise<Reply> =>
  callAs(server, who, `papers?action=${action}`, body);
const keep = (who: Person, payee: Person, form: object): Promise<Reply> =>
  papers(who, 'update_payee', { payee_id: payee.id, ...form });
const company = (form: Partial<typeof lumeo> = {}): Promise<Reply> =>
  papers(admin, 'update_company', { ...lumeo, ...form });

async function asked(amount = '10'): Promise<string> {
  const reply = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'remise_societe',
  });
  return (reply.body.data as { id: string }).id;
}
async function decide(id: string, status: string): Promise<Reply> {
  const { version, amount } = only(
    await server.database.asOwner<{ version: number; amount: string }>(
      'select version, amount from public.payment_requests where id = $1',
      [id],
    ),
  );
  return callAs(server, admin, 'payment-request?action=update_status', {
    request_id: id,
    status,
    seen_version: version,
    expected_amount: amount,
  });
}
const statusOf = async (id: string): Promise<string> =>
  only(
    await server.database.asOwner<{ status: string }>('select status from public.payment_requests where id = $1', [id]),
  ).status;

test('[PP-01] until the company asks for it, nothing is asked of anybody and payments go as ever', async () => {
  const id = await asked();
  expect(await papers(client, 'payee', { payee_id: client.id })).toMatchObject({
    status: 200,
    body: { data: { role: 'client', is_asked: false, details: null } },
  });
  expect((await decide(id, 'approved')).status).toBe(200);
  expect((await decide(id, 'paid')).status).toBe(200);
});

test('[PP-01] once it asks, a payment waits for what papers say of the payee, in the database too', async () => {
  const [before, id] = [await asked(), await asked()];
  expect((await decide(before, 'approved')).status).toBe(200);
  expect((await company()).status).toBe(200);
  const name = only(
    await server.database.asOwner<{ name: string }>('select full_name as name from public.profiles where id = $1', [
      client.id,
    ]),
  ).name;
  for (const [request, status] of [
    [id, 'approved'],
    [before, 'paid'],
  ] as const) {
    const reply = await decide(request, status);
    expect([reply.status, reply.body.code]).toEqual([409, 'payee_incomplete']);
    expect(reply.body.error).toContain(name);
  }
  expect([await statusOf(id), await statusOf(before)]).toEqual(['pending', 'approved']);
  await expect(
    server.database.asOwner(`update public.payment_requests set status = 'paid', paid_at = now() where id = $1`, [
      before,
    ]),
  ).rejects.toThrow('payee_incomplete');
  // A refusal promises nothing.
  expect((await decide(await asked(), 'rejected')).status).not.toBe(409);

  expect((await keep(client, client, someone)).status).toBe(200);
  expect((await decide(id, 'approved')).status).toBe(200);
  expect((await decide(before, 'paid')).status).toBe(200);
});

test('[PP-01] a payee writes their own, an admin anybody’s, nobody else’s; the trail says that it changed, not what', async () => {
  expect(await keep(client, client, { ...someone, status: 'micro' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', issues: [{ path: ['siren'] }] },
  });
  expect((await keep(client, stranger, someone)).status).toBe(403);
  expect((await papers(commercial, 'payee', { payee_id: client.id })).status).toBe(403);
  expect((await keep(admin, admin, someone)).body.code).toBe('payee_unknown');
  expect((await keep(client, client, { ...someone, status: 'salarie' })).status).toBe(400);
  const society = { ...someone, status: 'societe', legal_name: 'Lefèvre SAS', siren: '552 100 554' };
  expect(await keep(admin, client, { ...society, charges_vat: true, vat_number: 'FR96552100554' })).toMatchObject({
    status: 200,
    body: { data: { details: { status: 'societe', siren: '552100554', vat_number: 'FR96552100554', city: 'Rennes' } } },
  });
  expect((await keep(commercial, commercial, { status: 'salarie' })).status).toBe(200);
  const trail = await server.database.asOwner<{ before: object | null; after: object }>(
    `select before, after from public.audit_entries where entity_id = $1 and after ? 'payee_details' order by id desc limit 1`,
    [client.id],
  );
  expect(only(trail)).toEqual({
    before: { payee_status: 'particulier' },
    after: { payee_status: 'societe', payee_details: '•••' },
  });
});

test('[PP-01] a wrong key never reaches the table, and a person’s details go with their account', async () => {
  const { database } = server;
  const write = (siren: string, vat: string | null) =>
    database.become(stranger, (run) =>
      run('select private.set_payee_details($1, $2, $3, $4, $5, $6, $7, null, $8, $9)', [
        stranger.id,
        'micro',
        'Noé Petit',
        address.street,
        address.postal_code,
        address.city,
        siren,
        vat !== null,
        vat,
      ]),
    );
  await expect(write('552100555', null)).rejects.toThrow('payee_details_siren_is_one');
  await expect(write('552100554', 'FR00552100554')).rejects.toThrow('payee_details_vat_number_is_one');
  await write('552100554', 'FR96552100554');
  await database.asOwner('select private.close_account($1)', [stranger.id]);
  expect(await database.asOwner('select from private.payee_details d where d.payee_id = $1', [stranger.id])).toEqual(
    [],
  );
  expect((await keep(admin, stranger, someone)).body.code).toBe('payee_unknown');
});

test('[PP-01] only an admin reads and writes the company’s identity; changes made at once are all in the trail', async () => {
  expect((await papers(client, 'update_company', lumeo)).status).toBe(403);
  expect((await company({ siren: '732829321' })).body).toMatchObject({ issues: [{ path: ['siren'] }] });
  const names = ['Un', 'Deux', 'Trois', 'Quatre'];
  expect((await Promise.all(names.map((name) => company({ legal_name: name })))).map(({ status }) => status)).toEqual([
    200, 200, 200, 200,
  ]);
  const trail = await server.database.asOwner<{
    before: { paper_identity: string } | null;
    after: { paper_identity: string };
  }>(`select before, after from public.audit_entries where after ? 'paper_identity' order by id desc limit 4`);
  for (const [n, { before }] of trail.slice(0, -1).entries()) expect(before).toEqual(trail[n + 1]?.after);
});

type Shown = {
  readonly mandate_offered: string | null;
  readonly mandate: { readonly text: string; readonly is_in_force: boolean; readonly revoked_at: string | null } | null;
};
const shown = async (payee: Person): Promise<Shown> =>
  (await papers(admin, 'payee', { payee_id: payee.id })).body.data as Shown;
const micro = { ...someone, status: 'micro', siren: '552 100 554', charges_vat: false };

test('[PP-05] a mandate is read, accepted by its payee alone and kept word for word with its proof', async () => {
  await company();
  const who = await aClient(server.database, { commercial });
  expect((await papers(who, 'accept_mandate', { seen_text: 'x' })).body.code).toBe('mandate_not_offered');
  await keep(who, who, micro);
  const { mandate_offered: text, mandate } = await shown(who);
  expect([mandate, text]).toEqual([null, expect.stringContaining('Lumeo Habitat SARL, SIREN 732\u00a0829\u00a0320')]);
  expect((await papers(admin, 'accept_mandate', { seen_text: text })).status).toBe(403);
  // Of a commercial it would be their own mandate.
  expect((await papers(commercial, 'accept_mandate', { seen_text: text })).body.code).toBe('mandate_not_offered');
  // The mandate on screen is no longer the one that is offered.
  await keep(who, who, { ...micro, city: 'Nantes' });
  expect((await papers(who, 'accept_mandate', { seen_text: text })).body.code).toBe('mandate_changed');
  const { mandate_offered: now } = await shown(who);
  expect((await papers(who, 'accept_mandate', { seen_text: now })).status).toBe(200);
  // Once more is the same one.
  expect((await papers(who, 'accept_mandate', { seen_text: now })).status).toBe(200);
  expect((await shown(who)).mandate).toMatchObject({ text: now, is_in_force: true, revoked_at: null });
  const kept = await server.database.asOwner<{ text: string; hash: string; version: string }>(
    `select text, encode(hash, 'hex') as hash, version from private.mandates where payee_id = $1`,
    [who.id],
  );
  expect(only(kept).hash).toBe(createHash('sha256').update(only(kept).text).digest('hex'));
  const trail = await server.database.asOwner<{ after: object; actor_id: string }>(
    `select after, actor_id from public.audit_entries where entity_id = $1 and after ? 'mandate'`,
    [who.id],
  );
  expect(only(trail)).toEqual({
    after: { mandate: only(kept).version, mandate_hash: only(kept).hash },
    actor_id: who.id,
  });
  for (const change of [`set text = text || '!'`, 'set accepted_at = now()', `set payee_siren = '732829320'`]) {
    await expect(
      server.database.asOwner(`update private.mandates ${change} where payee_id = $1`, [who.id]),
    ).rejects.toThrow('forbidden');
  }
});

test('[PP-05] it is revoked by its payee, and ends with the identity of either party and with the account', async () => {
  await company();
  const who = await aClient(server.database, { commercial });
  await keep(who, who, micro);
  const accept = async () => papers(who, 'accept_mandate', { seen_text: (await shown(who)).mandate_offered });
  const isInForce = async () => (await shown(who)).mandate?.is_in_force;
  await accept();
  expect((await papers(admin, 'revoke_mandate')).status).toBe(403);
  expect((await papers(who, 'revoke_mandate')).status).toBe(200);
  expect((await shown(who)).mandate).toMatchObject({ is_in_force: false, revoked_at: expect.any(String) });
  await accept();
  expect(await isInForce()).toBe(true);
  // VAT that begins ends it too: who charges it is offered another.
  await keep(who, who, { ...micro, charges_vat: true, vat_number: 'FR96552100554' });
  expect(await shown(who)).toMatchObject({
    mandate_offered: expect.stringContaining('FR96552100554'),
    mandate: { is_in_force: false },
  });
  await keep(who, who, micro);
  expect(await isInForce()).toBe(true);
  await company({ siren: '404833048' });
  expect(await isInForce()).toBe(false);
  await company();
  await keep(who, who, { ...micro, siren: '412345670' });
  expect(await isInForce()).toBe(false);
  await server.database.asOwner('select private.close_account($1)', [who.id]);
  expect(
    await server.database.asOwner('select from private.mandates where payee_id = $1 and revoked_at is null', [who.id]),
  ).toEqual([]);
});

const belgian = {
  status: 'societe',
  legal_name: 'Bois SRL',
  street: 'Rue de la Loi 1',
  postal_code: '1000',
  city: 'Bruxelles',
  country: 'BE',
  number_abroad: 'be 0203 201 340',
};

test('[AC-08] a number that the European register does not know is refused, asked of these numbers alone and where one is configured', async () => {
  const looked: string[] = [];
  const register = createServer((request, response) => {
    looked.push(request.url?.replace(/^.*ms/u, '') ?? '');
    if (request.url?.includes('/DE/') === true) response.statusCode = 503;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ isValid: request.url?.includes('/BE/') === true }));
  }).listen(0, '127.0.0.1');
  await once(register, 'listening');
  const { port } = register.address() as AddressInfo;
  const asking = await startTestServer({
    database: server.database,
    environment: { VIES_URL: `http://127.0.0.1:${port}` },
  });
  const who = await aClient(server.database, { commercial });
  const keepThere = (form: object) => callAs(asking, who, 'papers?action=update_payee', { payee_id: who.id, ...form });
  try {
    expect(await keepThere(belgian)).toMatchObject({
      status: 200,
      body: { data: { details: { country: 'BE', number_abroad: 'BE0203201340', siren: null }, mandate_offered: null } },
    });
    // What is unchanged is not asked about again: the screen sends what was changed.
    expect((await keepThere({ city: 'Ixelles', seen: { city: 'Bruxelles' } })).status).toBe(200);
    expect(await keepThere({ ...belgian, country: 'NL', number_abroad: 'NL123456789B01' })).toMatchObject({
      status: 409,
      body: { code: 'vat_number_unknown' },
    });
    // A register that fails holds nobody up.
    expect((await keepThere({ ...belgian, country: 'DE', number_abroad: 'DE123456789' })).status).toBe(200);
    expect((await keepThere({ ...belgian, country: 'CH', number_abroad: 'CHE-116.281.710' })).status).toBe(200);
    expect((await keepThere({ ...belgian, number_abroad: 'BE1' })).body).toMatchObject({ code: 'invalid_input' });
    expect(looked).toEqual(['/BE/vat/0203201340', '/NL/vat/123456789B01', '/DE/vat/123456789']);
    expect((await keep(who, who, { ...belgian, country: 'NL', number_abroad: 'NL123456789B01' })).status).toBe(200);
  } finally {
    await asking.close();
    register.close();
  }
});

test('[AC-02] the company says that it is in franchise in spite of its VAT number; who leaves it out changes nothing', async () => {
  const regime = async (form: object) =>
    (await papers(admin, 'update_company', { ...lumeo, vat_number: 'FR44732829320', ...form })).body.data;
  expect(await regime({})).toMatchObject({ vat_franchise: false });
  expect(await regime({ vat_franchise: true })).toMatchObject({ vat_number: 'FR44732829320', vat_franchise: true });
  expect(await regime({})).toMatchObject({ vat_franchise: true });
  expect(await papers(admin, 'update_company', { ...lumeo, vat_franchise: 'oui' })).toMatchObject({
    status: 400,
    body: { issues: [{ path: ['vat_franchise'], message: 'Dites si l’entreprise est en franchise en base de TVA.' }] },
  });
  expect(await regime({ vat_franchise: false })).toMatchObject({ vat_franchise: false });
  await company();
});

test('[AC-08] a company without VAT number is told why a business abroad is not paid, at the request too', async () => {
  await company({ vat_number: '' });
  const who = await aClient(server.database, { commercial });
  await aValidatedSale(server.database, { commercial, friendReferrer: who, admin });
  await keep(who, who, belgian);
  const request = () =>
    callAs(server, who, 'payment-request', { action: 'create', amount: '10', payment_method: 'remise_societe' });
  const refused = await request();
  expect([refused.status, refused.body.code]).toEqual([409, 'payee_abroad']);
  expect(refused.body.error).toContain('doit demander un numéro de TVA (article 286 ter du CGI)');
  expect((await papers(who, 'payee', { payee_id: who.id })).body.data).toMatchObject({
    reverse_charge_obstacle: 'no_vat_number',
    company_vat_number: null,
  });
  await company({ vat_number: 'FR44732829320' });
  expect((await request()).status).toBe(200);
  expect((await papers(who, 'payee', { payee_id: who.id })).body.data).toMatchObject({
    reverse_charge_obstacle: null,
    company_vat_number: 'FR44732829320',
  });
  // A client from before says no country: it is France.
  await keep(who, who, someone);
  expect((await papers(who, 'payee', { payee_id: who.id })).body.data).toMatchObject({
    details: { country: 'FR', number_abroad: null },
    company_vat_number: null,
  });
  await company();
});

test('[DF-23] an admin accepts the VAT that is declared; a number that the European register does not know is refused', async () => {
  const looked: string[] = [];
  const register = createServer((request, response) => {
    looked.push(request.url ?? '');
    if (request.url?.endsWith('/FR/vat/44732829320') === true) response.statusCode = 503;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ isValid: request.url?.endsWith('/FR/vat/96552100554') === true }));
  }).listen(0, '127.0.0.1');
  await once(register, 'listening');
  const { port } = register.address() as AddressInfo;
  const asking = await startTestServer({
    database: server.database,
    environment: { VIES_URL: `http://127.0.0.1:${port}/rest-api/` },
  });
  const acceptAt = (where: TestServer, by: Person, payee: Person, vat_number: string) =>
    callAs(where, by, 'papers', { action: 'accept_vat', payee_id: payee.id, vat_number });
  try {
    await company({ siren: '412345670' });
    const who = await aClient(server.database, { commercial });
    await keep(who, who, { ...micro, charges_vat: true, vat_number: 'FR96552100554' });
    for (const by of [who, commercial]) expect((await acceptAt(asking, by, who, 'FR96552100554')).status).toBe(403);
    expect((await acceptAt(asking, admin, who, 'FR44732829320')).body.code).toBe('vat_changed');
    expect(await acceptAt(asking, admin, who, 'FR96552100554')).toMatchObject({
      status: 200,
      body: { data: { details: { vat_accepted_at: expect.any(String), vat_register: 'confirmed' } } },
    });
    const other = await aClient(server.database, { commercial });
    await keep(other, other, { ...micro, siren: '542051180', charges_vat: true, vat_number: 'FR59542051180' });
    expect(await acceptAt(asking, admin, other, 'FR59542051180')).toMatchObject({
      status: 409,
      body: { code: 'vat_number_unknown' },
    });
    const third = await aClient(server.database, { commercial });
    await keep(third, third, { ...micro, siren: '732829320', charges_vat: true, vat_number: 'FR44732829320' });
    // A register that fails holds nobody up, and is not believed.
    expect((await acceptAt(asking, admin, third, 'FR44732829320')).body).toMatchObject({
      data: { details: { vat_register: 'unreachable' } },
    });
    // Nobody is asked where none is configured.
    const count = looked.length;
    expect((await acceptAt(server, admin, other, 'FR59542051180')).body).toMatchObject({
      data: { details: { vat_register: null } },
    });
    expect(looked).toHaveLength(count);
  } finally {
    await asking.close();
    register.close();
    await company();
  }
});
