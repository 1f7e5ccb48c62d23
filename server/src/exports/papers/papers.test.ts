import { formatDate } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import { isBankDay } from '@parrain/domain/sepa';
import { monthName } from '@parrain/domain/statement';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHash } from 'node:crypto';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';
import { taggedPdf } from '../pdf/tagged-pdf.ts';
import { paperDocument } from './paper-document.ts';
import { PAPER_COLUMNS } from './paper-files.ts';
import type { Paper as PaperRow } from './paper.ts';
import { brokenInvoiceRules } from '../../testing/check-invoice.ts';
import { readPdf, rowHeads } from '../../testing/read-pdf.ts';
import type { ReadPdf } from '../../testing/read-pdf.ts';
import { bankSchemaErrors, invoiceSchemaErrors } from '../../testing/schema-errors.ts';
import { unzipped } from '../../testing/unzipped.ts';

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = {
  issues_papers: true,
  contest_days: 15,
  legal_name: 'Lumeo Habitat',
  ...address,
  siren: '732829320',
  vat_number: '',
};

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

const siren = '552100554';
const micro = { status: 'micro', legal_name: 'Noé Petit & fils', ...address, siren, charges_vat: false };

/** A client with money, a business without VAT, who gave the mandate or not. */
async function aSeller(form: object = micro, hasMandate = true): Promise<Person> {
  const seller = await aClient(server.database, { commercial });
  await aValidatedSale(server.database, { commercial, friendReferrer: seller, admin });
  await callAs(server, seller, 'papers?action=update_payee', { payee_id: seller.id, ...form });
  if (hasMandate) await accepted(seller);
  return seller;
}

async function accepted(seller: Person): Promise<void> {
  const shown = await callAs(server, seller, 'papers?action=payee', { payee_id: seller.id });
  const { mandate_offered: text } = shown.body.data as { mandate_offered: string };
  expect((await callAs(server, seller, 'papers?action=accept_mandate', { seen_text: text })).status).toBe(200);
  const { details } = shown.body.data as { details: { vat_number: string | null } };
  if (details.vat_number === null) return;
  const vat = { payee_id: seller.id, vat_number: details.vat_number };
  expect((await callAs(server, admin, 'papers?action=accept_vat', vat)).status).toBe(200);
}

/** Their commissions of this month, marked paid as if it were over. */
async function monthPaid(payee: Person, amount: string, vatAmount?: string): Promise<void> {
  await server.database.become(admin, async (run) => {
    const month = only(await run<{ day: string }>('select private.month_of(now())::text as day')).day;
    await run(
      `select set_config('app.at', (($1::date + interval '1 month 1 day') at time zone 'Europe/Paris')::text, true)`,
      [month],
    );
    await run('select private.pay_periods($1, $2::jsonb)', [
      month,
      JSON.stringify([{ payee_id: payee.id, amount, vat_amount: vatAmount }]),
    ]);
  });
}

/** A commercial who earned 10 % of 1 234,56 €. */
async function anEarner(form: object | null, hasMandate = false): Promise<Person> {
  const { database } = server;
  const earner = await aCommercial(database);
  if (form !== null) await callAs(server, earner, 'papers?action=update_payee', { payee_id: earner.id, ...form });
  if (hasMandate) await accepted(earner);
  const scale = await aScale(database, { commercialType: 'percentage', commercialAmount: '10' });
  await aValidatedSale(database, { admin, commercial: earner, scale, contractAmount: '1234.56' });
  return earner;
}

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
      'select version, amount + coalesce(vat_amount, 0) as amount from public.payment_requests where id = $1',
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
  // Later names of the company and the payee appear on later papers only.
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

test('[PP-05] a paper says until which day it may be contested, as the company had it that day', async () => {
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, contest_days: 7 });
  await paid(client, '4');
  const { id } = (await papersOf(client)).at(-1) as Paper;
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, contest_days: 60 });
  const { text } = await readPdf(await bytesOf(client, id));
  const until = await server.database.asOwner<{ day: string }>(
    `select (issued_on + 7)::text as day from public.papers where id = $1`,
    [id],
  );
  expect(text.replaceAll(/\s/gu, ' ')).toContain(
    `contestée auprès de l’entreprise jusqu’au ${formatDate(`${only(until).day}T12:00:00Z`).replaceAll(/\s/gu, ' ')}`,
  );
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
    'truncate private.paper_files',
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

/** Asks for a transfer and has it approved. */
async function transferAsked(who: Person, amount: string): Promise<string> {
  const reply = await callAs(server, who, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'virement',
    payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Éloïse Lefèvre' },
  });
  const { id } = reply.body.data as { id: string };
  expect(await decide(id, 'approved')).toBe(200);
  return id;
}

/** Pays 3 € by a transfer that the bank then sends back; the bank's file, and what it was of in all. */
async function sentBack(who: Person, meanwhile?: () => Promise<unknown>, total = '3.00'): Promise<string> {
  const [iban, holder] = ['FR7630006000011234567890189', 'Lumeo Habitat'];
  await callAs(server, admin, 'company-settings?action=update_account', { holder, iban, bic: 'AGRIFRPP' });
  const id = await transferAsked(who, '3');
  const batch = (action: string, body: Record<string, unknown>): Promise<Reply> =>
    callAs(server, admin, `payment-batch?action=${action}`, body);
  const made = await batch('make', { request_ids: [id], expected_total: total });
  const { id: batchId } = made.body.data as { id: string };
  const days = await server.database.asOwner<{ day: string }>(
    `select (private.today() + n)::text as day from generate_series(1, 9) n`,
  );
  const day = days.find((one) => isBankDay(one.day))?.day;
  await batch('release', {
    batch_id: batchId,
    seen_version: 1,
    expected_total: total,
    execution_on: day,
    format: '09',
  });
  const { body: file } = await batch('file', { batch_id: batchId });
  expect(bankSchemaErrors(file.data.content as string)).toEqual([]);
  await batch('settle', { batch_id: batchId, outcomes: null });
  await meanwhile?.();
  const outcomes = [{ request_id: id, status: 'returned', reason: 'Compte clos' }];
  expect((await batch('settle', { batch_id: batchId, outcomes })).body.data).toMatchObject({ returned: 1 });
  return JSON.stringify(file);
}

test('[PP-02] what the bank sends back has a paper of its own, which names the receipt', async () => {
  await sentBack(other);
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

test('[UI-12] [PP-02] the accountant’s dossier of a year has every paper of it, in the bytes that were made first', async () => {
  const all = await papersOf(admin);
  const [year = ''] = /\d{4}/u.exec(all[0]?.label ?? '') ?? [];
  const response = await server.fetch(`/exports/v1/dossier/${year}.zip`, {}, admin);
  const files = unzipped(Buffer.from(await response.arrayBuffer()));
  const papers = [...files].filter(([name]) => name.startsWith('Pièces/'));
  expect(papers).toHaveLength(all.length);
  for (const { id, label } of all) {
    const bytes = papers.find(([name]) => name.endsWith(` ${label}.pdf`))?.[1];
    expect(bytes?.equals(await bytesOf(admin, id))).toBe(true);
  }
  expect(files.get('LISEZ-MOI.txt')?.toString()).toContain(`\r\nPièces : ${all.length}\r\n`);
});

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ');
function invoiceIn(pdf: ReadPdf): string {
  expect(pdf).toMatchObject({ pdfaPart: '3', pdfaConformance: 'A', lang: 'fr-FR', isMarked: true, outputIntents: 1 });
  expect(pdf.fonts.every(({ isEmbedded, hasUnicode }) => isEmbedded && hasUnicode)).toBe(true);
  for (const property of [
    '<fx:ConformanceLevel>EN 16931<',
    '<fx:DocumentFileName>factur-x.xml<',
    '<fx:DocumentType>INVOICE<',
    '<pdfaSchema:prefix>fx<',
  ]) {
    expect(pdf.xmp).toContain(property);
  }
  const file = only(pdf.attachments);
  expect(file).toMatchObject({ name: 'factur-x.xml', relationship: 'Alternative', type: 'text/xml' });
  expect(invoiceSchemaErrors(file.content)).toEqual([]);
  return file.content;
}

test('[PP-02] who gave the mandate gets a self-billed invoice: on paper, and as Factur-X that keeps the rules of EN 16931', async () => {
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, vat_number: 'FR44732829320' });
  const seller = await aSeller();
  await paid(seller, '12.34');
  const { id, label, series } = only(await papersOf(seller));
  expect([series, label]).toEqual([`F${siren}`, expect.stringMatching(/^F552100554-2\d{3}-0001$/u)]);
  const bytes = await bytesOf(seller, id);
  const pdf = await readPdf(bytes);
  const text = plain(pdf.text);
  for (const said of [
    `Autofacture n° ${label}`,
    'Établie le :',
    'Autofacturation : facture établie par Lumeo Habitat au nom et pour le compte de Noé Petit & fils EI, selon le mandat accepté le',
    'SIREN : 552 100 554',
    'Numéro de TVA : FR44732829320',
    `Total HT ${plain(formatEuros(1234n))}`,
    `TVA non applicable, art. 293 B du CGI ${plain(formatEuros(0n))}`,
    `Total à payer ${plain(formatEuros(1234n))}`,
    `Reste à payer ${plain(formatEuros(0n))}`,
    'Cette pièce peut être contestée auprès de Lumeo Habitat jusqu’au',
    '40 €',
  ]) {
    expect(text).toContain(said);
  }
  expect(pdf.tags).toEqual(expect.arrayContaining(['H1', 'H2', 'P', 'Table', 'THead', 'TR', 'TH', 'TBody', 'TD']));
  expect(pdf.headScopes).toEqual(['Column', 'Column', 'Column', 'Column', ...rowHeads(pdf)]);
  const xml = invoiceIn(pdf);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  expect(xml).toContain('<ram:TypeCode>389<');
  expect(xml).toContain('<ram:Name>Noé Petit &amp; fils EI<');
  expect(xml).toContain('<ram:GrandTotalAmount>12.34<');
  expect(xml).not.toMatch(/FR76|IBAN/u);
  // The same data are the same bytes, however often and by whomever.
  const kept = only(
    await server.database.asOwner<PaperRow>(`select ${PAPER_COLUMNS} from public.papers p where p.id = $1`, [id]),
  );
  expect(await taggedPdf(paperDocument(kept))).toEqual(bytes);
  expect(await bytesOf(admin, id)).toEqual(bytes);
});

test('[PP-02] a transfer that comes back makes the credit note of its invoice, which names its parties as they were', async () => {
  const form = { ...micro, siren: '404833048' };
  const seller = await aSeller(form);
  await sentBack(seller, () =>
    callAs(server, seller, 'papers?action=update_payee', { payee_id: seller.id, ...form, legal_name: 'Autre nom' }),
  );
  const [credit, invoice] = (await papersOf(seller)) as [Paper, Paper];
  expect([invoice.series, credit.series, credit.number]).toEqual(['F404833048', 'A404833048', 1]);
  const pdf = await readPdf(await bytesOf(seller, credit.id));
  const text = plain(pdf.text);
  expect(text).toContain(`Avoir n° ${credit.label}`);
  expect(text).not.toContain('Autre nom');
  expect(text).toContain(`Annule : autofacture n° ${invoice.label} du`);
  const xml = invoiceIn(pdf);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  expect(xml).toContain('<ram:TypeCode>261<');
  expect(xml).toContain(`<ram:IssuerAssignedID>${invoice.label}<`);
  expect(xml).toContain('<ram:GrandTotalAmount>3.00<');
});

test('[PP-02] without a mandate, once it is revoked, or with VAT, a payment makes a receipt that says who invoices', async () => {
  const [without, revoked, taxed] = [await aSeller(micro, false), await aSeller(), await aSeller()];
  await callAs(server, revoked, 'papers?action=revoke_mandate', {});
  const vat = { payee_id: taxed.id, ...micro, charges_vat: true, vat_number: 'FR96552100554' };
  await callAs(server, taxed, 'papers?action=update_payee', vat);
  for (const seller of [without, revoked, taxed]) {
    await paid(seller, '6');
    const receipt = only(await papersOf(seller));
    expect(receipt.series).toBe('R');
    const { text, attachments } = await readPdf(await bytesOf(seller, receipt.id));
    expect(attachments).toEqual([]);
    expect(plain(text)).toContain(
      `Il ne remplace pas la facture du bénéficiaire${seller === taxed ? ', qui porte la TVA' : ''}.`,
    );
  }
});

const withVat = { ...micro, siren: '412345670', charges_vat: true, vat_number: 'FR96412345670' };

test('[PP-02] [PP-05] who charges VAT and gave the mandate is paid it beside their commission, by an invoice that says it', async () => {
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, vat_number: 'FR44732829320' });
  const seller = await aSeller(withVat);
  const id = await transferAsked(seller, '123.43');
  // The terms that the request was made with hold, whatever its payee declares since.
  await callAs(server, seller, 'papers?action=update_payee', { payee_id: seller.id, ...micro });
  expect(await decide(id, 'paid')).toBe(200);
  const paper = only(await papersOf(seller));
  expect(paper.series).toBe('F412345670');
  const bytes = await bytesOf(seller, paper.id);
  expect(await bytesOf(admin, paper.id)).toEqual(bytes);
  const pdf = await readPdf(bytes);
  const text = plain(pdf.text);
  for (const said of [
    'SIREN : 412 345 670',
    'Numéro de TVA : FR96412345670',
    'Numéro de TVA : FR44732829320',
    `Total HT ${plain(formatEuros(12_343n))}`,
    `TVA 20 % ${plain(formatEuros(2_469n))}`,
    `Total à payer TTC ${plain(formatEuros(14_812n))}`,
    `−${plain(formatEuros(14_812n))}`,
    `Reste à payer ${plain(formatEuros(0n))}`,
  ]) {
    expect(text).toContain(said);
  }
  expect(text).not.toContain('293 B');
  const xml = invoiceIn(pdf);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  for (const said of [
    '<ram:TypeCode>389<',
    '<ram:CategoryCode>S<',
    '<ram:RateApplicablePercent>20.00<',
    '<ram:BasisAmount>123.43<',
    '<ram:CalculatedAmount>24.69<',
    '<ram:GrandTotalAmount>148.12<',
    '<ram:TotalPrepaidAmount>148.12<',
    '<ram:ID schemeID="VA">FR96412345670<',
    '<ram:ID schemeID="VA">FR44732829320<',
  ]) {
    expect(xml).toContain(said);
  }
  for (const [from, to, rule] of [
    [/(<ram:CalculatedAmount>)[\d.]+/u, '$124.68', 'BR-S-09'],
    ['schemeID="VA">FR96', 'schemeID="FC">FR96', 'BR-S-02'],
    ['<ram:CategoryCode>S<', '<ram:CategoryCode>E<', 'BR-S-01'],
    [/(<ram:RateApplicablePercent>)[\d.]+/u, '$110.00', 'BR-S-05'],
    ['<ram:BasisAmount>', '<ram:ExemptionReason>non</ram:ExemptionReason><ram:BasisAmount>', 'BR-S-10'],
  ] as const) {
    expect(brokenInvoiceRules(xml.replace(from, to))).toContain(rule);
  }
});

test('[PP-02] [PO-01] a transfer with VAT is of the total at the bank, and its credit note takes the VAT back', async () => {
  const seller = await aSeller(withVat);
  const file = await sentBack(seller, undefined, '3.60');
  expect(file).toContain('>3.60</InstdAmt>');
  expect(file).toContain('<CtrlSum>3.60</CtrlSum>');
  const [credit] = (await papersOf(seller)) as [Paper, Paper];
  expect(credit.series).toBe('A412345670');
  const pdf = await readPdf(await bytesOf(seller, credit.id));
  expect(plain(pdf.text)).toContain(`Total de l’avoir TTC ${plain(formatEuros(360n))}`);
  const xml = invoiceIn(pdf);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  for (const said of ['<ram:TypeCode>261<', '<ram:CalculatedAmount>0.60<', '<ram:GrandTotalAmount>3.60<']) {
    expect(xml).toContain(said);
  }
  const accounts = await server.database.asOwner(
    `select side.account, sum(side.amount)::text as amount from public.ledger_entries e
     cross join lateral (values (e.debit, e.amount), (e.credit, -e.amount)) side (account, amount)
     where e.payee_id = $1 and side.account like 'vat%' group by 1 order by 1`,
    [seller.id],
  );
  expect(accounts).toEqual([
    { account: 'vat', amount: '0.00' },
    { account: 'vat_paid', amount: '0.00' },
  ]);
});

test('[PP-02] each seller’s invoices are numbered without a hole, though those of several are paid at once', async () => {
  const sellers = [await aSeller({ ...micro, siren: '443061841' }), await aSeller({ ...micro, siren: '542051180' })];
  const requests = (
    await Promise.all(sellers.flatMap((seller) => Array.from({ length: 6 }, () => asked(seller, '2'))))
  ).toSorted();
  for (const id of requests) expect(await decide(id, 'approved')).toBe(200);
  expect(await Promise.all(requests.map((id) => decide(id, 'paid')))).toEqual(requests.map(() => 200));
  for (const seller of sellers) {
    expect((await papersOf(seller)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  }
});

test('[PP-02] the checker of invoices finds what is wrong', async () => {
  const [invoice] = await server.database.asOwner<PaperRow>(
    `select ${PAPER_COLUMNS} from public.papers p where p.series like 'F%' limit 1`,
  );
  const xml = paperDocument(invoice as PaperRow).facturX ?? '';
  for (const [from, to, rule] of [
    [/(<ram:GrandTotalAmount>)[\d.]+/u, '$1999.99', 'BR-CO-15'],
    [/(<ram:DuePayableAmount>)[\d.]+/u, '$11.00', 'BR-CO-16'],
    [/(<ram:BasisAmount>)[\d.]+/u, '$10.01', 'BR-E-08'],
    ['schemeID="FC"', 'schemeID="VA"', 'BR-E-02'],
    ['VATEX-FR-FRANCHISE', '', 'BR-E-10'],
    ['<ram:TypeCode>389<', '<ram:TypeCode>380<', 'BR-04'],
    ['<ram:SubjectCode>PMT<', '<ram:SubjectCode>AAI<', 'BR-FR-05'],
  ] as const) {
    expect(brokenInvoiceRules(xml.replace(from, to))).toContain(rule);
  }
  for (const [from, to, said] of [
    ['<ram:LineID>1</ram:LineID>', '', 'LineID'],
    ['schemeID="0002"', 'scheme="0002"', 'scheme'],
    [/(<ram:GrandTotalAmount>)[\d.]+/u, '$1douze', 'douze'],
    [/<ram:InvoiceCurrencyCode>EUR<\/ram:InvoiceCurrencyCode>/u, '', 'InvoiceCurrencyCode'],
  ] as const) {
    expect(invoiceSchemaErrors(xml.replace(from, to)).join('\n')).toContain(said);
  }
  expect(invoiceSchemaErrors(xml)).toEqual([]);
});

test('[PP-02] an agent commercial gets the statement of a quarter that is over, once, with every element of computation', async () => {
  const { database } = server;
  const [agent, employee] = [await aCommercial(database), await aCommercial(database)];
  await callAs(server, agent, 'papers?action=update_payee', { payee_id: agent.id, ...micro, status: 'agent' });
  await callAs(server, employee, 'papers?action=update_payee', { payee_id: employee.id, status: 'salarie' });
  const scale = await aScale(database, { commercialType: 'percentage', commercialAmount: '10' });
  const contract = { admin, scale, contractAmount: '1234.56' };
  const kept = await aValidatedSale(database, { ...contract, commercial: agent });
  const taken = await aValidatedSale(database, { ...contract, commercial: agent });
  await aValidatedSale(database, { ...contract, commercial: employee });
  await database.become(admin, (run) => run(asSeen.cancel, [taken.id, 'Erreur']));
  /** The job, as if so many months of this quarter were to come: at the first hours of the month after them. */
  const make = async (months: number): Promise<number> =>
    only(
      await database.asOwner<{ made: number }>(
        `with later as materialized (
           select set_config('app.at', (private.month_start((date_trunc('quarter', private.today()::timestamp)
             + make_interval(months => $1))::date) + interval '2 hours')::text, true) as at)
         select private.make_quarterly_statements(case when at <> '' then 10 end) as made from later`,
        [months],
      ),
    ).made;
  expect([await make(2), await make(3), await make(3)]).toEqual([0, 1, 0]);
  expect(await papersOf(employee)).toEqual([]);
  const { id, label, series } = only(await papersOf(agent));
  expect([series, label]).toEqual(['RT', expect.stringMatching(/^RT-2\d{3}-0001$/u)]);
  const listed = await server.fetch(`/rest/v1/papers?select=quarter&id=eq.${id}`, {}, agent);
  expect(await listed.json()).toEqual([{ quarter: expect.stringMatching(/^2\d{3}-(?:01|04|07|10)-01$/u) }]);
  expect((await take(client, `${id}.pdf`)).status).toBe(404);
  const bytes = await bytesOf(agent, id);
  const pdf = await readPdf(bytes);
  // A line may break after the hyphen of a reference.
  const text = plain(pdf.text).replaceAll('CTR- ', 'CTR-');
  const euros = (cents: bigint): string => plain(formatEuros(cents));
  for (const said of [
    `Relevé de commissions n° ${label}`,
    'Agent commercial',
    'R134-3',
    `Reporté du trimestre d’avant ${euros(0n)}`,
    `Commissions du trimestre ${euros(24_692n)}`,
    `Commissions reprises (contrats annulés ou réduits) ${euros(-12_346n)}`,
    `Reste dû à la fin du trimestre ${euros(12_346n)}`,
    `Commission, contrat CTR-${kept.id.slice(0, 8).toUpperCase()} 10 % de ${euros(123_456n)} ${euros(12_346n)}`,
    `Total du trimestre ${euros(12_346n)}`,
  ]) {
    expect(text).toContain(said);
  }
  expect(pdf).toMatchObject({ pdfaPart: '3', pdfaConformance: 'A', attachments: [] });
  const heads = (columns: number, rows: number) => [
    ...Array.from({ length: columns }, () => 'Column'),
    ...Array.from({ length: rows }, () => 'Row'),
  ];
  expect(pdf.headScopes).toEqual([...heads(2, 6), ...heads(4, 4)]);
  expect(await bytesOf(admin, id)).toEqual(bytes);
});

const society = { ...micro, status: 'societe', legal_name: 'Mercier Conseil SAS', siren: '784671695' };

test('[PP-02] [PO-05] a commercial who is a company or an agent gets the self-billed invoice of a paid month, by their mandate', async () => {
  for (const [form, number, seller] of [
    [society, 'F784671695', 'Mercier Conseil SAS'],
    [{ ...micro, status: 'agent', siren: '443061841', legal_name: 'Léa Roux' }, 'F443061841', 'Léa Roux EI'],
  ] as const) {
    const earner = await anEarner(form, true);
    await monthPaid(earner, '123.46');
    const { id, label } = (await papersOf(earner)).find(({ series }) => series === number) as Paper;
    const bytes = await bytesOf(earner, id);
    expect(await bytesOf(admin, id)).toEqual(bytes);
    const pdf = await readPdf(bytes);
    const text = plain(pdf.text);
    const { month, last } = only(
      await server.database.asOwner<{ month: string; last: string }>(
        `select month::text, (month + interval '1 month - 1 day')::date::text as last from public.paid_periods where payee_id = $1`,
        [earner.id],
      ),
    );
    const name = monthName(month.slice(0, 7));
    for (const said of [
      `Autofacture n° ${label}`,
      `au nom et pour le compte de ${seller}, selon le mandat accepté le`,
      'Commission, contrat CTR-',
      `Total à payer ${plain(formatEuros(12_346n))}`,
      `Prestations rendues jusqu’au : ${plain(formatDate(`${last}T12:00:00Z`))}`,
      `Mois payé : ${name}`,
    ]) {
      expect(text).toContain(said);
    }
    const xml = invoiceIn(pdf);
    expect(brokenInvoiceRules(xml)).toEqual([]);
    expect(xml).toContain('<ram:TypeCode>389<');
    expect(xml).toContain('<ram:GrandTotalAmount>123.46<');
    const trail = await server.database.asOwner<{ after: object }>(
      `select after from public.audit_entries where entity = 'paid_periods' and after ->> 'paper' = $1`,
      [label],
    );
    expect(only(trail).after).toMatchObject({ paper_hash: createHash('sha256').update(bytes).digest('hex') });
  }
});

test('[PP-02] [PO-05] a commercial who charges VAT and gave the mandate is paid their month with it, as it was seen', async () => {
  const earner = await anEarner(
    { ...society, siren: '410034607', charges_vat: true, vat_number: 'FR79410034607' },
    true,
  );
  await expect(monthPaid(earner, '123.46')).rejects.toThrow('period_changed');
  await expect(monthPaid(earner, '123.46', '24.70')).rejects.toThrow('period_changed');
  await monthPaid(earner, '123.46', '24.69');
  const paper = only(await papersOf(earner));
  expect(paper.series).toBe('F410034607');
  const pdf = await readPdf(await bytesOf(earner, paper.id));
  expect(plain(pdf.text)).toContain(`Total à payer TTC ${plain(formatEuros(14_815n))}`);
  const xml = invoiceIn(pdf);
  expect(brokenInvoiceRules(xml)).toEqual([]);
  expect(xml).toContain('<ram:GrandTotalAmount>148.15<');
  const balance = await server.database.asOwner('select paid from public.balances where profile_id = $1', [earner.id]);
  expect(balance).toEqual([{ paid: '123.46' }]);
});

test('[PP-02] [PO-05] a month that the bank sends back has the paper of its own: a credit note of its invoice, an annulment of its receipt', async () => {
  const { database } = server;
  const taxed = { ...society, siren: '421215070', charges_vat: true, vat_number: 'FR32421215070' };
  for (const [form, hasMandate, total, series] of [
    [taxed, true, '148.15', 'A421215070'],
    [{ ...society, siren: '391838042' }, false, '123.46', 'AR'],
  ] as const) {
    const earner = await anEarner(form, hasMandate);
    await database.become(earner, (run) =>
      run(`select id from private.set_bank_account('Titulaire', 'FR76 •••• •••• 0189', '\\x01', sha256($1))`, [
        form.siren,
      ]),
    );
    await database.asOwner(
      `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', '\\x01') on conflict do nothing`,
    );
    /** In the first days of next month. */
    const act = (sql: string, values: readonly unknown[] = []) =>
      database.become(admin, async (run) => {
        await run(
          `select set_config('app.at', (min(d) + interval '10 hours')::text, true) from generate_series(
             private.month_of(now()) + interval '1 month 1 day', private.month_of(now()) + interval '1 month 6 days', interval '1 day') d
           where extract(isodow from d) <= 5`,
        );
        return run<{ id: string }>(sql, values);
      });
    const { id: batch } = only(
      await act(
        `select private.make_batch('{}', $1::numeric, jsonb_build_array(jsonb_build_object('payee_id', t.id, 'month', t.month, 'amount', t.amount))) as id
         from public.transfers_to_make t where t.id = $2`,
        [total, earner.id],
      ),
    );
    await act(
      `select private.release_batch($1, 1, $2, (current_setting('app.at')::timestamptz at time zone 'Europe/Paris')::date, '09', '\\x01', sha256('x')) as id`,
      [batch, total],
    );
    const settle = (status: string) =>
      act(
        `select l.id from public.payment_batch_lines l cross join lateral private.settle_batch(l.batch_id,
           jsonb_build_array(jsonb_build_object('request_id', l.id, 'status', $2::text, 'reason', 'Compte clos'))) s where l.batch_id = $1`,
        [batch, status],
      );
    await settle('paid');
    await settle('returned');
    const all = await papersOf(earner);
    expect(all).toHaveLength(2);
    const taken = all.find((paper) => paper.series === series) as Paper;
    const former = all.find((paper) => paper.series !== series) as Paper;
    const pdf = await readPdf(await bytesOf(earner, taken.id));
    const text = plain(pdf.text);
    const sum = plain(formatEuros(hasMandate ? 14_815n : 12_346n));
    for (const said of hasMandate
      ? [`Avoir n° ${taken.label}`, `Annule : autofacture n° ${former.label} du`, `Total de l’avoir TTC ${sum}`]
      : [`Annulation de reçu n° ${taken.label}`, `Total repris −${sum}`, 'Revenu le']) {
      expect(text).toContain(said);
    }
    if (!hasMandate) {
      expect(text.replaceAll(/\s/gu, '')).toContain(`selonlereçun°${former.label}`);
      continue;
    }
    const xml = invoiceIn(pdf);
    expect(brokenInvoiceRules(xml)).toEqual([]);
    expect(xml).toContain('<ram:TypeCode>261<');
    expect(xml).toContain('<ram:GrandTotalAmount>148.15<');
  }
});

test('[PP-02] [PO-05] a month paid without a mandate, or with VAT, makes a receipt; to who is employed, nothing', async () => {
  const taxed = { ...society, siren: '542051180', charges_vat: true, vat_number: 'FR59542051180' };
  for (const form of [society, taxed]) {
    const earner = await anEarner(form);
    await monthPaid(earner, '123.46');
    const receipt = only(await papersOf(earner));
    expect(receipt.series).toBe('R');
    const { text, attachments } = await readPdf(await bytesOf(earner, receipt.id));
    expect(attachments).toEqual([]);
    expect(plain(text)).toContain(`Total payé ${plain(formatEuros(12_346n))}`);
    expect(plain(text)).toMatch(/Payé le : .*Il ne remplace pas la facture du bénéficiaire/u);
  }
  const employee = await anEarner({ status: 'salarie' });
  await monthPaid(employee, '123.46');
  expect(await papersOf(employee)).toEqual([]);
});

test('[PP-01] [PO-05] a month waits for what papers say of its commercial: all who wait are named, and nothing is paid', async () => {
  const { database } = server;
  const [one, two] = [await anEarner(null), await anEarner(null)];
  const names = await database.asOwner<{ name: string }>(
    'select full_name as name from public.profiles where id = any($1) order by full_name',
    [[one.id, two.id]],
  );
  const failure = await monthPaid(one, '123.46').catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'payee_incomplete' });
  const { detail } = failure as { detail: string };
  for (const { name } of names) expect(detail).toContain(name);
  expect(await database.asOwner('select from public.paid_periods where payee_id = $1', [one.id])).toEqual([]);
  await callAs(server, one, 'papers?action=update_payee', { payee_id: one.id, status: 'salarie' });
  await monthPaid(one, '123.46');
});
