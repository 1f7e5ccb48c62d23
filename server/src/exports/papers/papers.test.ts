import { formatEuros } from '@parrain/domain/money';
import { isBankDay } from '@parrain/domain/sepa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHash } from 'node:crypto';

import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';
import { readPdf } from '../../testing/read-pdf.ts';

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = { issues_papers: true, legal_name: 'Lumeo Habitat', ...address, siren: '732829320', vat_number: '' };

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
let other: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const { database } = server;
  admin = await anAdmin(database);
  commercial = await aCommercial(database);
  const scale = await aScale(database, { isDefault: true, clientType: 'fixed', clientAmount: '500.00' });
  [client, other] = [await aClient(database, { commercial }), await aClient(database, { commercial })];
  for (const friendReferrer of [client, other]) {
    await aValidatedSale(database, { commercial, friendReferrer, admin, scale });
    await callAs(server, friendReferrer, 'papers?action=update_payee', {
      payee_id: friendReferrer.id,
      status: 'particulier',
      legal_name: 'Éloïse Lefèvre',
      ...address,
    });
  }
});
afterAll(async () => {
  expect((await brokenInvariants(server.database.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await server.close();
});

type Paper = { readonly id: string; readonly label: string; readonly series: string; readonly number: number };
const papersOf = (who: Person) =>
  server.database.become(who, (run) =>
    run<Paper>('select id, label, series, number from public.papers order by series, number'),
  );
const take = (who: Person, file: string) => server.fetch(`/exports/v1/papers/${file}`, {}, who);
const bytesOf = async (who: Person, id: string): Promise<Buffer> =>
  Buffer.from(await (await take(who, `${id}.pdf`)).arrayBuffer());

async function asked(who: Person, amount: string): Promise<string> {
  const reply = await callAs(server, who, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'remise_societe',
  });
  return (reply.body.data as { id: string }).id;
}
async function decide(id: string, status: string): Promise<number> {
  const { version, amount } = only(
    await server.database.asOwner<{ version: number; amount: string }>(
      'select version, amount from public.payment_requests where id = $1',
      [id],
    ),
  );
  const reply = await callAs(server, admin, 'payment-request?action=update_status', {
    request_id: id,
    status,
    seen_version: version,
    expected_amount: amount,
  });
  return reply.status;
}
async function paid(who: Person, amount: string): Promise<string> {
  const id = await asked(who, amount);
  await decide(id, 'approved');
  expect(await decide(id, 'paid')).toBe(200);
  return id;
}

test('[PP-02] a payment makes no paper until the company has them made; then a receipt, of what was known at that moment', async () => {
  await paid(client, '10');
  expect(await papersOf(client)).toEqual([]);
  expect((await callAs(server, admin, 'papers?action=update_company', lumeo)).status).toBe(200);
  const request = await paid(client, '12.34');
  const receipt = only(await papersOf(client));
  expect(receipt).toMatchObject({ series: 'R', number: 1, label: expect.stringMatching(/^R-2\d{3}-0001$/u) });
  // What the company and the payee are called later is of later papers.
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, legal_name: 'Autre nom' });
  const first = await bytesOf(client, receipt.id);
  const pdf = await readPdf(first);
  const text = pdf.text.replaceAll(/[\u00a0\u202f]/gu, ' ');
  for (const said of [
    `Reçu de commission n° ${receipt.label}`,
    'Lumeo Habitat',
    '732 829 320',
    'Éloïse Lefèvre',
    '12 rue des Lilas, 35000 Rennes',
    'Total payé',
    formatEuros(1234n).replaceAll(/[\u00a0\u202f]/gu, ' '),
  ]) {
    expect(text).toContain(said);
  }
  expect(text).not.toContain('Autre nom');
  expect(await bytesOf(admin, receipt.id)).toEqual(first);
  const trail = await server.database.asOwner<{ after: object }>(
    `select after from public.audit_entries where entity_id = $1 and after ? 'paper'`,
    [request],
  );
  expect(only(trail).after).toEqual({
    paper: receipt.label,
    paper_hash: createHash('sha256').update(first).digest('hex'),
  });
});

test('[PP-02] the same data are the same bytes, and once made they are never made again', async () => {
  await paid(client, '5');
  const { id } = (await papersOf(client)).at(-1) as Paper;
  const all = await Promise.all([admin, admin, client, client].map((who) => bytesOf(who, id)));
  for (const bytes of all) expect(bytes).toEqual(all[0]);
  const kept = await server.database.asOwner<{ bytes: Buffer }>(
    'select bytes from private.paper_files where paper_id = $1',
    [id],
  );
  expect(only(kept).bytes).toEqual(all[0]);
  for (const change of [
    `update public.papers set amount = 1`,
    'delete from private.paper_files',
    `update private.paper_files set bytes = '\\x255044462d00'`,
    'truncate public.papers cascade',
  ]) {
    await expect(server.database.asOwner(change)).rejects.toThrow('forbidden');
  }
});

test('[PP-02] [F-96] numbers follow each other without a hole, though payments come at once and some are given up', async () => {
  const { database } = server;
  const before = (await papersOf(admin)).length;
  const requests = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => asked(n % 2 === 0 ? client : other, '2')),
  );
  for (const id of requests) expect(await decide(id, 'approved')).toBe(200);
  await Promise.all(
    requests.map(async (id, n) => {
      const pay = `update public.payment_requests set status = 'paid', paid_at = now() where id = '${id}';`;
      // One in three is taken back after its number was given.
      if (n % 3 === 0)
        await database
          .asOwner(`begin; ${pay} set constraints all immediate; select 1 / 0; commit`)
          .catch((error: unknown) => expect(String(error)).toContain('division by zero'));
      else await database.asOwner(pay);
    }),
  );
  const numbers = (await papersOf(admin)).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: before + 16 }, (_, n) => n + 1));
});

test('[PP-02] what the bank sends back has a paper of its own, which names the receipt', async () => {
  const [iban, holder] = ['FR7630006000011234567890189', 'Lumeo Habitat'];
  await callAs(server, admin, 'company-settings?action=update_account', { holder, iban, bic: 'AGRIFRPP' });
  const reply = await callAs(server, other, 'payment-request', {
    action: 'create',
    amount: '3',
    payment_method: 'virement',
    payment_details: { iban, beneficiary_name: 'Éloïse Lefèvre' },
  });
  const { id } = reply.body.data as { id: string };
  await decide(id, 'approved');
  const batch = (action: string, body: Record<string, unknown>): Promise<Reply> =>
    callAs(server, admin, `payment-batch?action=${action}`, body);
  const made = await batch('make', { request_ids: [id], expected_total: '3.00' });
  const { id: batchId } = made.body.data as { id: string };
  const days = await server.database.asOwner<{ day: string }>(
    `select (private.today() + n)::text as day from generate_series(1, 9) n`,
  );
  const day = days.find((one) => isBankDay(one.day))?.day;
  await batch('release', {
    batch_id: batchId,
    seen_version: 1,
    expected_total: '3.00',
    execution_on: day,
    format: '09',
  });
  await batch('file', { batch_id: batchId });
  await batch('settle', { batch_id: batchId, outcomes: null });
  const outcomes = [{ request_id: id, status: 'returned', reason: 'Compte clos' }];
  expect((await batch('settle', { batch_id: batchId, outcomes })).body.data).toMatchObject({ returned: 1 });
  const all = await papersOf(other);
  const taken = all.find(({ series }) => series === 'AR') as Paper;
  expect(taken).toMatchObject({ number: 1, label: expect.stringMatching(/^AR-2\d{3}-0001$/u) });
  const { text } = await readPdf(await bytesOf(other, taken.id));
  const receipt = all.findLast(({ series }) => series === 'R');
  expect(text).toContain(`Annulation de reçu n° ${taken.label}`);
  expect(text.replaceAll(/\s/gu, '')).toContain(`selonlereçun°${receipt?.label}`);
});

test('[PP-02] [P-03] a payee reads their own papers, an admin all, and takes a year as one archive', async () => {
  const theirs = (await papersOf(other))[0] as Paper;
  expect((await take(client, `${theirs.id}.pdf`)).status).toBe(404);
  expect((await take(commercial, `${theirs.id}.pdf`)).status).toBe(404);
  expect(await papersOf(commercial)).toEqual([]);
  const [year = ''] = /\d{4}/u.exec(theirs.label) ?? [];
  expect((await take(client, `${year}.zip`)).status).toBe(403);
  expect((await take(admin, '2001.zip')).status).toBe(404);
  const archive = Buffer.from(await (await take(admin, `${year}.zip`)).arrayBuffer());
  expect(archive.subarray(0, 2).toString()).toBe('PK');
  expect(archive.toString('latin1').split('PK\u0001\u0002')).toHaveLength((await papersOf(admin)).length + 1);
});
