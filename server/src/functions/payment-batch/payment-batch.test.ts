import { randomUUID } from 'node:crypto';

import { parseIban } from '@parrain/domain/iban';
import { idOfReference, isBankDay, sepaReference } from '@parrain/domain/sepa';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { XmlDocument, XmlElement } from 'libxml2-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, only, startTestServer } from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';
import { bankSchemaErrors } from '../../testing/schema-errors.ts';
import { creditTransfers } from './pain-001.ts';

const IBAN = 'FR7630006000011234567890189';
const SWISS = 'CH9300762011623852957';
const OTHER_IBAN = 'DE89370400440532013000';

let server: TestServer;
let admin: Person;
let other: Person;
let commercial: Person;
let scale: { readonly id: string };
let day: string;
beforeAll(async () => {
  server = await startTestServer();
  [admin, other] = [await anAdmin(server.database), await anAdmin(server.database)];
  commercial = await aCommercial(server.database);
  scale = await aScale(server.database, { clientType: 'fixed', clientAmount: '5000.00', isDefault: true });
  const days = await server.database.asOwner<{ day: string }>(
    `select (private.today() + n)::text as day from generate_series(1, 9) n`,
  );
  day = days.find((one) => isBankDay(one.day))?.day ?? '';
  await server.database.asOwner(`update public.company_settings set company_name = 'Lumeo & Œuvres'`);
  await callAs(server, admin, 'company-settings?action=update_account', {
    holder: 'Société Lumeo Été',
    iban: IBAN,
    bic: 'AGRIFRPP',
  });
});
afterAll(() => server.close());

const batch = (action: string, body: Record<string, unknown>, who = admin): Promise<Reply> =>
  callAs(server, who, `payment-batch?action=${action}`, body);

type Asked = { readonly id: string; readonly client: Person };

/** A client of this name with one approved transfer. */
async function approved(amount: string, name: string, iban = IBAN, abroad: object = {}): Promise<Asked> {
  const client = await aClient(server.database, { commercial });
  await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
  const asked = await callAs(server, client, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'virement',
    payment_details: { iban, beneficiary_name: name, ...abroad },
  });
  const { id, version } = asked.body.data as { id: string; version: number };
  await callAs(server, admin, 'payment-request?action=update_status', {
    request_id: id,
    status: 'approved',
    seen_version: version,
    expected_amount: amount,
  });
  return { id, client };
}

async function made(requests: readonly Asked[], total: string): Promise<string> {
  const reply = await batch('make', { request_ids: requests.map(({ id }) => id), expected_total: total });
  expect(reply.status).toBe(200);
  return reply.body.data.id as string;
}
const released = (batchId: string, total: string, format = '09', who = admin): Promise<Reply> =>
  batch('release', { batch_id: batchId, seen_version: 1, expected_total: total, execution_on: day, format }, who);
const fileOf = async (batchId: string, who = admin): Promise<string> => {
  const reply = await batch('file', { batch_id: batchId }, who);
  expect(reply.status).toBe(200);
  return reply.body.data.content as string;
};
const report = async (
  batchId: string | null,
  content: string | Uint8Array<ArrayBuffer>,
  who = admin,
): Promise<Reply> => {
  // Test reports must be valid bank files.
  if (typeof content === 'string' && content.startsWith('<?xml')) expect(bankSchemaErrors(content)).toEqual([]);
  const form = new FormData();
  if (batchId !== null) form.set('batch_id', batchId);
  form.set('file', new File([content], 'banque.xml'));
  return callAs(server, who, 'payment-batch?action=report', form);
};

const answer = (kind: string, content: string): string =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}">${content}</Document>`;
const HEADER = '<GrpHdr><MsgId>REPONSE-1</MsgId><CreDtTm>2026-11-24T08:00:00</CreDtTm></GrpHdr>';
/** A pain.002 on a batch: the status of its group, and of the transfers that it names. */
const statusReport = (batchId: string, transfers: string, group = 'PART'): string => {
  const reference = sepaReference(batchId);
  const payment = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${reference}</OrgnlPmtInfId>${transfers}</OrgnlPmtInfAndSts>`;
  return answer(
    'pain.002.001.10',
    `<CstmrPmtStsRpt>${HEADER}<OrgnlGrpInfAndSts><OrgnlMsgId>${reference}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>
      <GrpSts>${group}</GrpSts></OrgnlGrpInfAndSts>${transfers === '' ? '' : payment}</CstmrPmtStsRpt>`,
  );
};
const stated = (reference: string, status: string, code?: string): string =>
  `<TxInfAndSts><OrgnlEndToEndId>${reference}</OrgnlEndToEndId><TxSts>${status}</TxSts>${
    code === undefined ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`
  }</TxInfAndSts>`;
const ACCOUNT = `<Id>RELEVE-1</Id><CreDtTm>2026-11-24T08:00:00</CreDtTm><Acct><Id><IBAN>${IBAN}</IBAN></Id></Acct>`;
/** A camt.054: entries as they are booked. */
const notification = (entry: string): string =>
  answer(
    'camt.054.001.08',
    `<BkToCstmrDbtCdtNtfctn>${HEADER}<Ntfctn>${ACCOUNT}${entry}</Ntfctn></BkToCstmrDbtCdtNtfctn>`,
  );
/** A camt.053: the entries of a day, with its balance. */
const statementOf = (entry: string): string =>
  answer(
    'camt.053.001.08',
    `<BkToCstmrStmt>${HEADER}<Stmt>${ACCOUNT}<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0.00</Amt>
      <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>${entry}</Stmt></BkToCstmrStmt>`,
  );
const booked = (details: string, sign: 'DBIT' | 'CRDT' = 'DBIT', amount = '30.00'): string =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>2026-11-23</Dt></BookgDt><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
    <NtryDtls>${details}</NtryDtls></Ntry>`;
const transferred = (id: string, amount: string, returned?: string): string =>
  `<TxDtls><Refs><EndToEndId>${sepaReference(id)}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt>${
    returned === undefined ? '' : `<RtrInf><Rsn><Cd>${returned}</Cd></Rsn></RtrInf>`
  }</TxDtls>`;

const children = (element: XmlElement): XmlElement[] => element.find('*').filter((node) => node instanceof XmlElement);

/**
 * Subset of pain.001.001.09 (and .03) that SEPA banks accept, which is less than ISO's schema allows: these elements alone, with such a
 * text.
 */
const ID = /^[A-Za-z0-9/?:().,'+ -]{1,35}$/u;
const NAME = /^[A-Za-z0-9/?:().,'+ -]{1,70}$/u;
const schemaOf = (format: '03' | '09'): Readonly<Record<string, readonly string[] | RegExp>> => ({
  Document: ['CstmrCdtTrfInitn'],
  CstmrCdtTrfInitn: ['GrpHdr', 'PmtInf'],
  GrpHdr: ['MsgId', 'CreDtTm', 'NbOfTxs', 'CtrlSum', 'InitgPty'],
  InitgPty: ['Nm'],
  PmtInf: [
    'PmtInfId',
    'PmtMtd',
    'BtchBookg',
    'NbOfTxs',
    'CtrlSum',
    'PmtTpInf',
    'ReqdExctnDt',
    'Dbtr',
    'DbtrAcct',
    'DbtrAgt',
    'ChrgBr',
    'CdtTrfTxInf*',
  ],
  PmtTpInf: ['SvcLvl'],
  SvcLvl: ['Cd'],
  ReqdExctnDt: format === '09' ? ['Dt'] : /^\d{4}-\d\d-\d\d$/u,
  Dt: /^\d{4}-\d\d-\d\d$/u,
  Dbtr: ['Nm'],
  Cdtr: ['Nm'],
  DbtrAcct: ['Id'],
  CdtrAcct: ['Id'],
  Id: ['IBAN'],
  Othr: ['Id'],
  DbtrAgt: ['FinInstnId'],
  FinInstnId: [format === '09' ? 'BICFI' : 'BIC'],
  CdtTrfTxInf: ['PmtId', 'Amt', 'Cdtr', 'CdtrAcct', 'RmtInf'],
  PmtId: ['EndToEndId'],
  Amt: ['InstdAmt'],
  RmtInf: ['Ustrd'],
  MsgId: ID,
  PmtInfId: ID,
  EndToEndId: ID,
  CreDtTm: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u,
  NbOfTxs: /^[0-9]{1,15}$/u,
  CtrlSum: /^\d{1,16}\.\d\d$/u,
  PmtMtd: /^TRF$/u,
  BtchBookg: /^true$/u,
  Cd: /^SEPA$/u,
  ChrgBr: /^SLEV$/u,
  Nm: NAME,
  IBAN: /^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{1,30}$/u,
  BICFI: /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/u,
  BIC: /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/u,
  InstdAmt: /^\d{1,16}\.\d\d$/u,
  Ustrd: /^[A-Za-z0-9/?:().,'+ -]{1,140}$/u,
});

/** Every way in which a file is not of ISO's schema, or not what a SEPA bank takes: the sums, the keys, the addresses. */
function flawsOf(xml: string, format: '03' | '09'): string[] {
  return [...bankSchemaErrors(xml), ...rulesBroken(xml, format)];
}

function rulesBroken(xml: string, format: '03' | '09'): string[] {
  const flaws: string[] = [];
  const schema = schemaOf(format);
  const document = XmlDocument.fromString(xml);
  const walk = (element: XmlElement): void => {
    const names = children(element).map(({ name }) => name);
    // A bank without BIC is named by its kind, an account by its IBAN.
    const rule =
      names.join() === 'Othr' && element.name === 'FinInstnId'
        ? ['Othr']
        : element.parent?.name === 'Othr'
          ? /^NOTPROVIDED$/u
          : schema[element.name];
    const attributes = element.attrs.map(({ name, content }) => `${name}=${content}`).join();
    if (attributes !== (element.name === 'InstdAmt' ? 'Ccy=EUR' : '')) flaws.push(`${element.name} has ${attributes}`);
    if (rule === undefined) flaws.push(`${element.name} is not expected`);
    else if (rule instanceof RegExp) {
      if (names.length > 0 || !rule.test(element.content)) flaws.push(`${element.name}: ${element.content}`);
    } else {
      const expected = rule.flatMap((name) =>
        name.endsWith('*') ? names.filter((one) => one === name.slice(0, -1)) : [name],
      );
      if (expected.join() !== names.join()) flaws.push(`${element.name} holds ${names.join()}`);
    }
    for (const child of children(element)) walk(child);
  };
  walk(document.root);
  const texts = (name: string) =>
    document.find(`//*[local-name() = '${name}']`).map((node) => (node as XmlElement).content);
  const cents = texts('InstdAmt').reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n);
  for (const sum of texts('CtrlSum')) if (BigInt(sum.replace('.', '')) !== cents) flaws.push(`CtrlSum ${sum}`);
  for (const count of texts('NbOfTxs')) if (count !== String(texts('InstdAmt').length)) flaws.push(`NbOfTxs ${count}`);
  for (const iban of texts('IBAN')) if (parseIban(iban) !== iban) flaws.push(`IBAN ${iban}`);
  if (texts('CtrlSum').length !== 2 || texts('NbOfTxs').length !== 2) flaws.push('sums are said twice');
  for (const name of ['MsgId', 'EndToEndId', 'Ustrd']) {
    for (const text of texts(name)) if (/^\/|\/$|\/\//u.test(text)) flaws.push(`${name} ${text}`);
  }
  const references = texts('EndToEndId');
  if (new Set(references).size !== references.length) flaws.push('a reference is used twice');
  if (document.root.namespaceUri !== `urn:iso:std:iso:20022:tech:xsd:pain.001.001.${format}`) flaws.push('namespace');
  document.dispose();
  return flaws;
}

describe('a bank file', () => {
  test.each(['09', '03'] as const)('[PO-01] pain.001.001.%s holds the batch and what banks ask for', async (format) => {
    const requests = [
      await approved('1234.56', 'Éloïse d’Œuvre & Fils ‘Ñandú’'),
      await approved('1.01', 'Łukasz Straße'.padEnd(120, ' x'), OTHER_IBAN),
    ];
    const batchId = await made(requests, '1235.57');
    expect((await released(batchId, '1235.57', format)).status).toBe(200);
    const xml = await fileOf(batchId);
    expect(flawsOf(xml, format)).toEqual([]);
    expect(xml).toContain("<Nm>Eloise d'OEuvre + Fils 'Nandu'</Nm>");
    expect(xml).toContain(format === '09' ? '<BICFI>AGRIFRPP</BICFI>' : '<BIC>AGRIFRPP</BIC>');
    expect(xml).toContain(format === '09' ? `<ReqdExctnDt><Dt>${day}</Dt>` : `<ReqdExctnDt>${day}</ReqdExctnDt>`);
    expect(xml).toContain('<CtrlSum>1235.57</CtrlSum>');
    expect(xml).not.toMatch(/PstlAdr|AdrLine|CdtrAgt/u);
    // Each reference leads back to its request.
    const references = [...xml.matchAll(/<EndToEndId>([^<]+)</gu)].map((match) => idOfReference(match[1] ?? ''));
    expect(new Set(references)).toEqual(new Set(requests.map(({ id }) => id)));
    expect(references).toHaveLength(requests.length);
  });

  test.each(['09', '03'] as const)('[PO-01] pain.001.001.%s says so where the company gave no BIC', (format) => {
    const xml = creditTransfers({
      batchId: '0b7f6c1e-0d5f-4f0e-9a51-6d2a1f3c4b5d',
      format,
      madeAt: '2026-11-23T01:53:30',
      executionOn: '2026-11-24',
      debtor: { holder: 'Lumeo Habitat', iban: IBAN, bic: null },
      companyName: 'Lumeo',
      transfers: [{ requestId: '7d1c9d52-8f0f-4a0b-8a3e-2b6f5a4c3d2e', amount: 1n, name: 'Paul Martin', iban: IBAN }],
    });
    expect(flawsOf(xml, format)).toEqual([]);
    expect(xml).toContain('<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>');
    expect(xml).not.toMatch(/BIC/u);
  });

  test.each(['09', '03'] as const)(
    '[AC-09] pain.001.001.%s has the BIC and the address of who is paid outside the European Economic Area, of nobody else',
    async (format) => {
      const abroad = {
        bic: 'ubswchzh80a',
        street: '12, rue du Rhône',
        postal_code: '1204',
        city: 'Genève',
        country: 'CH',
      };
      const requests = [await approved('10.00', 'Paul Martin'), await approved('20.00', 'Zoé Blanc', SWISS, abroad)];
      const batchId = await made(requests, '30.00');
      expect((await released(batchId, '30.00', format)).status).toBe(200);
      const xml = await fileOf(batchId);
      expect(bankSchemaErrors(xml)).toEqual([]);
      const name = format === '09' ? 'BICFI' : 'BIC';
      expect([...xml.matchAll(/<CdtrAgt>.*?<\/CdtrAgt>/gu)].map(([found]) => found)).toEqual([
        `<CdtrAgt><FinInstnId><${name}>UBSWCHZH80A</${name}></FinInstnId></CdtrAgt>`,
      ]);
      expect([...xml.matchAll(/<PstlAdr>.*?<\/PstlAdr>/gu)].map(([found]) => found)).toEqual([
        '<PstlAdr><StrtNm>12, rue du Rhone</StrtNm><PstCd>1204</PstCd><TwnNm>Geneve</TwnNm><Ctry>CH</Ctry></PstlAdr>',
      ]);
    },
  );

  test('[AC-09] the address is sealed with the IBAN; a known account abroad is asked for again without them', async () => {
    const abroad = {
      bic: 'UBSWCHZH80A',
      street: '12 rue du Rhône',
      postal_code: '1204',
      city: 'Genève',
      country: 'CH',
    };
    const { id, client } = await approved('20.00', 'Zoé Blanc', SWISS, abroad);
    const kept = await server.database.asOwner('select payment_details from public.payment_requests where id = $1', [
      id,
    ]);
    expect(kept).toEqual([
      { payment_details: { iban: 'CH93 •••• •••• 2957', beneficiary_name: 'Zoé Blanc', bic: 'UBSWCHZH80A' } },
    ]);
    const again = await callAs(server, client, 'payment-request', {
      action: 'create',
      amount: '5.00',
      payment_method: 'virement',
      payment_details: { same_as: id, beneficiary_name: 'Zoé Blanc' },
    });
    const shown = await callAs(server, admin, 'payment-request?action=details', {
      request_id: (again.body.data as { id: string }).id,
    });
    expect(shown.body.data).toMatchObject({ payment_details: { iban: SWISS, ...abroad } });
    // Without them it is refused, field by field.
    const bare = await callAs(server, client, 'payment-request', {
      action: 'create',
      amount: '5.00',
      payment_method: 'virement',
      payment_details: { iban: SWISS, beneficiary_name: 'Zoé Blanc' },
    });
    expect(bare.status).toBe(400);
    expect(bare.body).toMatchObject({ code: 'invalid_input' });
  });

  test('[PO-01] a rule that is broken is seen', async () => {
    const batchId = await made([await approved('10.00', 'Paul Martin')], '10.00');
    await released(batchId, '10.00');
    const xml = await fileOf(batchId);
    expect(flawsOf(xml, '09')).toEqual([]);
    for (const [from, to] of [
      ['<CtrlSum>10.00', '<CtrlSum>10.01'],
      ['<Nm>Paul', '<Nm>Éloi'],
      [IBAN, IBAN.replace('189', '188')],
      ['</Nm></Cdtr>', '</Nm><PstlAdr><AdrLine>Rue</AdrLine></PstlAdr></Cdtr>'],
      ['<ChrgBr>SLEV</ChrgBr>', ''],
      [' Ccy="EUR"', ''],
      ['<Cdtr>', '<Cdtr lang="fr">'],
      ['<BICFI>AGRIFRPP</BICFI>', '<Othr><Id>AUTRE</Id></Othr>'],
      ['pain.001.001.09', 'pain.001.001.03'],
    ] as const) {
      const broken = xml.replaceAll(from, to);
      expect(broken).not.toBe(xml);
      expect(rulesBroken(broken, '09')).not.toEqual([]);
    }
  });

  test.each(['09', '03'] as const)(
    '[PO-01] the official schema of pain.001.001.%s names what is wrong',
    async (format) => {
      const batchId = await made([await approved('10.00', 'Paul Martin')], '10.00');
      await released(batchId, '10.00', format);
      const xml = await fileOf(batchId);
      expect(bankSchemaErrors(xml)).toEqual([]);
      for (const [from, to, said] of [
        ['<PmtMtd>TRF</PmtMtd>', '', 'PmtMtd'],
        ['<PmtMtd>TRF<', '<PmtMtd>VIR<', 'VIR'],
        [/(<ReqdExctnDt>.*?<\/ReqdExctnDt>)(<Dbtr>.*?<\/Dbtr>)/u, '$2$1', 'Dbtr'],
        [/<CreDtTm>[^<]+/u, '<CreDtTm>24/11/2026', 'CreDtTm'],
        ['AGRIFRPP', 'AGRI', 'AGRI'],
        ['<NbOfTxs>1<', '<NbOfTxs>un<', 'NbOfTxs'],
        ['>10.00</InstdAmt>', '>10,00</InstdAmt>', 'InstdAmt'],
        [' Ccy="EUR"', '', 'Ccy'],
        [/<MsgId>[^<]+/u, `<MsgId>${'A'.repeat(36)}`, 'MsgId'],
        ['<CdtrAcct>', '<CdtrAcct><Nom>Paul</Nom>', 'Nom'],
      ] as const) {
        expect([from, bankSchemaErrors(xml.replace(from, to)).join('\n')]).toEqual([
          from,
          expect.stringContaining(said),
        ]);
      }
    },
  );

  test('[PO-01] the same file comes again byte for byte, whoever asks, and each download is in the trail', async () => {
    const asked = await approved('10.00', 'Paul Martin');
    const batchId = await made([asked], '10.00');
    expect((await batch('file', { batch_id: batchId })).body).toMatchObject({ code: 'batch_not_found' });
    await released(batchId, '10.00');
    const first = await fileOf(batchId);
    await server.database.asOwner(`update public.profiles set full_name = 'Autre Nom' where id = $1`, [
      asked.client.id,
    ]);
    await callAs(server, admin, 'company-settings?action=update_account', {
      holder: 'Nouveau',
      iban: OTHER_IBAN,
      bic: '',
    });
    expect(await fileOf(batchId, other)).toBe(first);
    await callAs(server, admin, 'company-settings?action=update_account', {
      holder: 'Lumeo',
      iban: IBAN,
      bic: 'AGRIFRPP',
    });
    const readers = await server.database.asOwner<{ actor_id: string }>(
      `select actor_id from public.audit_entries where entity = 'payment_batches' and entity_id = $1 and action = 'export' order by id`,
      [batchId],
    );
    expect(readers.map(({ actor_id }) => actor_id)).toEqual([admin.id, other.id]);
    // The stored file is sealed.
    const kept = only(
      await server.database.asOwner<{ text: string }>(
        `select encode(sealed, 'escape') as text from private.batch_files where batch_id = $1`,
        [batchId],
      ),
    );
    expect(kept.text).not.toContain(IBAN);
  });

  test('[PO-01] a batch without the company’s account, or above its amount by one’s own hand, is not released', async () => {
    const batchId = await made([await approved('10.00', 'Paul Martin')], '10.00');
    const [account] = await server.database.asOwner(
      'delete from private.company_account returning holder, iban_shown, bic, sealed',
    );
    expect((await released(batchId, '10.00')).body).toMatchObject({ code: 'company_account_missing' });
    await server.database.asOwner(
      'insert into private.company_account (holder, iban_shown, bic, sealed) values ($1, $2, $3, $4)',
      [account?.['holder'], account?.['iban_shown'], account?.['bic'], account?.['sealed']],
    );
    await callAs(server, admin, 'company-settings?action=update_release_above', { release_above: '5' });
    expect((await released(batchId, '10.00')).body).toMatchObject({ code: 'second_admin_required' });
    expect((await released(batchId, '10.00', '09', other)).status).toBe(200);
    await server.database.asOwner('update public.company_settings set release_above = null');
  });

  test('[PO-01] a thousand lines: a valid file whose sum is that of the requests', { tags: 'long' }, async () => {
    const [asked] = [await approved('1.00', 'Paul Martin')];
    await server.database.asOwner(
      `insert into public.payment_requests (client_id, amount) select $1, 1.01 from generate_series(1, 999)`,
      [asked.client.id],
    );
    await server.database.asOwner(
      `update public.payment_requests set status = 'approved', approved_at = now() where client_id = $1 and status = 'pending'`,
      [asked.client.id],
    );
    await server.database.asOwner(
      `insert into private.payment_secrets select r.id, s.details_sealed from public.payment_requests r, private.payment_secrets s
       where r.client_id = $1 and r.id <> $2 and s.request_id = $2`,
      [asked.client.id, asked.id],
    );
    const rows = await server.database.asOwner<{ id: string }>(
      'select id from public.payment_requests where client_id = $1',
      [asked.client.id],
    );
    const batchId = await made(
      rows.map(({ id }) => ({ id, client: asked.client })),
      '1009.99',
    );
    expect((await released(batchId, '1009.99')).status).toBe(200);
    expect(flawsOf(await fileOf(batchId), '09')).toEqual([]);
    expect((await batch('settle', { batch_id: batchId, outcomes: null })).body.data).toEqual({
      paid: 1000,
      rejected: 0,
      returned: 0,
      already: 0,
    });
  });
});

describe('a bank’s answer', () => {
  /** A released batch of two transfers, 10 € and 20 €. */
  async function sentBatch() {
    const [ten, twenty] = [await approved('10.00', 'Paul Martin'), await approved('20.00', 'Anne Petit')];
    const batchId = await made([ten, twenty], '30.00');
    await released(batchId, '30.00');
    return { batchId, ten, twenty };
  }
  const lines = (reply: Reply): { request_id: string; status: string; code: string | null; reason: string | null }[] =>
    reply.body.data.lines;

  test('[PO-02] a pain.002 rejects a line, or all lines of a rejected group, and proves no payment', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const one = await report(
      batchId,
      statusReport(
        batchId,
        stated(sepaReference(ten.id), 'RJCT', 'AC04') +
          stated(sepaReference(twenty.id), 'ACSC') +
          stated(sepaReference(twenty.id), 'ACSC') +
          stated('INCONNU', 'RJCT'),
      ),
    );
    expect(lines(one)).toMatchObject([
      {
        request_id: ten.id,
        status: 'rejected',
        code: 'AC04',
        reason: 'Virement rejeté par la banque : le compte est clos (AC04).',
      },
    ]);
    expect(one.body.data).toMatchObject({
      unknown: 1,
      remarks: [
        {
          client_name: expect.any(String),
          text: 'Accepté et réglé : le relevé de votre compte le confirme.',
        },
      ],
    });
    const whole = await report(batchId, statusReport(batchId, '', 'RJCT'));
    expect(lines(whole).map((line) => line.status)).toEqual(['rejected', 'rejected']);
    const later = { batch_id: batchId, outcomes: null, paid_on: '2999-01-01' };
    expect((await batch('settle', later)).body.code).toBe('payment_day_refused');
    // Read only: nothing has changed.
    const { body } = await batch('settle', {
      batch_id: batchId,
      outcomes: lines(one).map(({ request_id, status: to, code, reason }) => ({
        request_id,
        status: to,
        code,
        reason,
      })),
    });
    expect(body.data).toEqual({ paid: 0, rejected: 1, returned: 0, already: 0 });
    const refused = await server.database.asOwner<{ status: string; reason: string }>(
      'select status, rejection_reason as reason from public.payment_requests where id = $1',
      [ten.id],
    );
    expect(refused).toEqual([
      { status: 'rejected', reason: 'Virement rejeté par la banque : le compte est clos (AC04).' },
    ]);
  });

  test('[AC-09] the same account, typed otherwise or known from before, is refused once the bank said that it is closed', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const ask = (payment_details: object) =>
      callAs(server, ten.client, 'payment-request', {
        action: 'create',
        amount: '5.00',
        payment_method: 'virement',
        payment_details: { beneficiary_name: 'Paul Martin', ...payment_details },
      });
    const known = (await ask({ iban: IBAN })).body.data as { id: string };
    // By hand, with the code that ends the reason as the example has it.
    await batch('settle', {
      batch_id: batchId,
      outcomes: [{ request_id: ten.id, status: 'rejected', reason: 'Virement rejeté : le compte est clos (AC04).' }],
    });
    for (const details of [{ iban: 'fr76 3000 6000 0112 3456 7890 189' }, { same_as: known.id }]) {
      const { status, body } = await ask(details);
      expect([status, body]).toEqual([
        409,
        expect.objectContaining({
          code: 'iban_refused_by_bank',
          error: 'La banque a refusé ce compte : donnez l’IBAN d’un autre.',
        }),
      ]);
    }
    expect((await ask({ iban: OTHER_IBAN })).status).toBe(200);
    expect(twenty.client.id).not.toBe(ten.client.id);
  });

  test('[AC-09] what refuses the whole file is said, and is no payee’s: their accounts stay', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const refusal = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>';
    const whole = statusReport(batchId, '', 'RJCT').replace('</GrpSts>', `</GrpSts>${refusal}`);
    const { body } = await report(batchId, whole);
    const told = {
      status: 'rejected',
      code: null,
      reason: 'Virement rejeté par la banque avec tous ceux de son fichier.',
    };
    expect(
      body.data.lines.toSorted((a: { amount: string }, b: { amount: string }) => (a.amount < b.amount ? -1 : 1)),
    ).toMatchObject([
      { request_id: ten.id, ...told },
      { request_id: twenty.id, ...told },
    ]);
    expect(body.data.remarks).toMatchObject([
      { client_name: expect.stringMatching(/^Virement n° \d+ entier$/u), text: expect.stringContaining('(AC04)') },
    ]);
    const outcomes = [ten, twenty].map(({ id }) => ({ request_id: id, ...told }));
    expect((await batch('settle', { batch_id: batchId, outcomes })).body.data).toMatchObject({ rejected: 2 });
    expect(
      await server.database.asOwner(
        `select from public.payment_requests r join public.payee_ibans i on i.id = r.iban_id
         where r.id = any ($1) and i.usable_from = private.never()`,
        [[ten.id, twenty.id]],
      ),
    ).toEqual([]);
  });

  test('[PO-02] [AC-09] a camt.054 tells what was paid, matched by reference and amount, and what came back', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const reply = await report(
      batchId,
      notification(booked(transferred(ten.id, '10.00') + transferred(twenty.id, '20.01'))),
    );
    expect(lines(reply)).toMatchObject([
      { request_id: ten.id, status: 'paid', code: null, reason: null, day: '2026-11-23' },
    ]);
    expect(reply.body.data).toMatchObject({
      unknown: 0,
      remarks: [
        {
          client_name: expect.any(String),
          text: expect.stringMatching(/^Le fichier dit 20,01\s€ au lieu de 20,00\s€ : demandez à votre banque/u),
        },
      ],
    });
    const returned = await report(batchId, notification(booked(transferred(twenty.id, '20.00', 'AC01'), 'CRDT')));
    expect(lines(returned)).toMatchObject([{ request_id: twenty.id, status: 'rejected', code: 'AC01' }]);
    // The bank books what is left once it has rejected a line; any other sum is told, and pays nobody.
    const asLeft = (sum: string) =>
      report(
        batchId,
        notification(
          booked(`<Btch><MsgId>${sepaReference(batchId)}</MsgId></Btch>`, 'DBIT', sum) +
            booked(transferred(twenty.id, '20.00', 'AC01'), 'CRDT'),
        ),
      );
    expect(lines(await asLeft('10.00')).toSorted((a, b) => (a.status < b.status ? -1 : 1))).toMatchObject([
      { request_id: ten.id, status: 'paid' },
      { request_id: twenty.id, status: 'rejected' },
    ]);
    expect((await asLeft('11.00')).body.data).toMatchObject({
      lines: [{ request_id: twenty.id }],
      remarks: [
        {
          client_name: expect.stringMatching(/^Virement n° \d+ entier$/u),
          text: expect.stringMatching(/^Le fichier dit 11,00\s€ au lieu de 30,00/u),
        },
      ],
      unknown: 0,
    });
    // A return that names the batch alone, of another sum than the batch's, says of whom it is by no reference: nobody's.
    const unnamed = transferred(ten.id, '8.50', 'AC04')
      .replace('EndToEndId>', 'PmtInfId>')
      .replace('/EndToEndId', '/PmtInfId');
    expect(
      (
        await report(
          batchId,
          notification(booked(unnamed.replace(sepaReference(ten.id), sepaReference(batchId)), 'CRDT', '8.50')),
        )
      ).body.data,
    ).toMatchObject({
      lines: [],
      remarks: [{ id: batchId, text: expect.stringMatching(/^Le fichier dit 8,50\s€ au lieu de 30,00/u) }],
    });
    const asOne = await report(
      batchId,
      notification(booked(`<Btch><PmtInfId>${sepaReference(batchId)}</PmtInfId></Btch>`)),
    );
    expect(lines(asOne).map((line) => line.status)).toEqual(['paid', 'paid']);
    expect((await batch('settle', { batch_id: batchId, outcomes: null })).body.data.paid).toBe(2);
    expect(
      (await batch('settle', { batch_id: batchId, outcomes: [{ request_id: ten.id, status: 'paid' }] })).body.data,
    ).toEqual({
      paid: 0,
      rejected: 0,
      returned: 0,
      already: 1,
    });
    // The same file after the payment says that the money came back, and is kept as that.
    const after = await report(batchId, notification(booked(transferred(twenty.id, '20.00', 'AC01'), 'CRDT')));
    expect(lines(after)).toMatchObject([{ request_id: twenty.id, status: 'returned', code: 'AC01' }]);
    const outcomes = lines(after).map(({ request_id, status: to, code, reason }) => ({
      request_id,
      status: to,
      code,
      reason,
    }));
    expect((await batch('settle', { batch_id: batchId, outcomes: [...outcomes, ...outcomes] })).body).toMatchObject({
      code: 'batch_line_twice',
      error: 'Une ligne figure deux fois dans cet envoi : indiquez un seul résultat pour chacune.',
    });
    const kept = [1, 2].map(() => batch('settle', { batch_id: batchId, outcomes }));
    expect((await Promise.all(kept)).map(({ body }) => body.data).toSorted((a, b) => a.already - b.already)).toEqual([
      { paid: 0, rejected: 0, returned: 1, already: 0 },
      { paid: 0, rejected: 0, returned: 0, already: 1 },
    ]);
    expect(
      await server.database.asOwner(
        'select status, return_reason as reason from public.payment_requests where id = $1',
        [twenty.id],
      ),
    ).toEqual([{ status: 'returned', reason: lines(after)[0]?.reason }]);
  });

  test('[AC-09] one file is read for every batch that it names, each to be settled by itself; a draft is at no bank', async () => {
    const [first, second] = [await sentBatch(), await sentBatch()];
    const third = await approved('30.00', 'Zoé Durand');
    const draft = await made([third], '30.00');
    const whole = `<Btch><PmtInfId>${sepaReference(second.batchId)}</PmtInfId></Btch>`;
    const { body } = await report(
      null,
      statementOf(
        [
          booked(transferred(first.ten.id, '10.00'), 'DBIT', '10.00'),
          booked(whole),
          booked(transferred(third.id, '30.00')),
          booked(`<Btch><PmtInfId>${sepaReference(draft)}</PmtInfId></Btch>`),
        ].join(''),
      ),
    );
    const told = body.data as { lines: { request_id: string; batch_id: string; batch_number: number }[] };
    expect(body.data).toMatchObject({ remarks: [], unknown: 2 });
    const found = { status: 'paid', execution_on: day, day: '2026-11-23', stands: 'queued' };
    expect(told.lines).toHaveLength(3);
    expect(told.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...found, batch_id: first.batchId, request_id: first.ten.id }),
        expect.objectContaining({ ...found, batch_id: second.batchId, request_id: second.ten.id }),
        expect.objectContaining({ ...found, batch_id: second.batchId, request_id: second.twenty.id }),
      ]),
    );
    expect(told.lines.map((line) => line.batch_number)).toEqual(
      told.lines.map((line) => line.batch_number).toSorted((a, b) => a - b),
    );
    // A line of another batch than the one that is settled is refused, and nothing of it is kept.
    const outcomes = told.lines.map(({ request_id }) => ({ request_id, status: 'paid', code: null, reason: null }));
    expect((await batch('settle', { batch_id: first.batchId, outcomes })).body.code).toBe('batch_line_unknown');
    expect((await batch('settle', { batch_id: first.batchId, outcomes: outcomes.slice(0, 1) })).body.data.paid).toBe(1);
    expect((await batch('settle', { batch_id: second.batchId, outcomes: outcomes.slice(1) })).body.data.paid).toBe(2);
    const otherwise = await report(null, statementOf(booked(transferred(randomUUID(), '10.00'))));
    expect(otherwise.body.data).toEqual({ lines: [], remarks: [], unknown: 1 });
    expect((await report(null, statementOf(booked(whole)), commercial)).status).toBe(403);
  });

  test('[DF-28] a debit, or a whole batch, in another money is that of no transfer of ours, whatever its figure', async () => {
    const ten = await approved('10.00', 'Paul Martin');
    const batchId = await made([ten], '10.00');
    expect((await released(batchId, '10.00')).status).toBe(200);
    const inFrancs = (text: string): string => text.replaceAll('Ccy="EUR"', 'Ccy="CHF"');
    const transfer = booked(transferred(ten.id, '10.00'), 'DBIT', '10.00');
    const unsaid = booked(transferred(ten.id, '10.00').replace(/<Amt.*<\/Amt>/u, ''), 'DBIT', '10.00');
    const whole = booked(`<Btch><PmtInfId>${sepaReference(batchId)}</PmtInfId></Btch>`, 'DBIT', '10.00');
    for (const entry of [transfer, unsaid, whole]) {
      const { lines: changed, remarks, unknown } = (await report(batchId, notification(inFrancs(entry)))).body.data;
      expect(changed).toEqual([]);
      expect([remarks.length, unknown]).toEqual([1, 0]);
      expect((await report(batchId, notification(entry))).body.data.lines).toMatchObject([{ status: 'paid' }]);
    }
  });

  test('[PO-02] a CSV of ours with its results is read; anything else, or a DOCTYPE, is refused', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const csv = `\uFEFF"Référence";"Montant";"Résultat";"Motif"\r\n${sepaReference(ten.id)};10,00;Payé;\r\n${sepaReference(twenty.id)};20,00;Rejeté;"Titulaire inconnu"\r\n`;
    expect(lines(await report(batchId, csv))).toMatchObject(
      [
        { request_id: ten.id, status: 'paid', reason: null },
        { request_id: twenty.id, status: 'rejected', reason: 'Titulaire inconnu' },
      ].toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1)),
    );
    for (const wrong of [
      '',
      'a;b\n1;2\n',
      '<html/>',
      '<Document><broken>',
      `<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/passwd">]>${statusReport(batchId, '').slice(21)}`,
    ])
      expect((await report(batchId, wrong)).body).toMatchObject({ code: 'bank_file_unknown' });
    expect((await report(batchId, csv, ten.client)).status).toBe(403);
  });

  test('[DF-33] the export filled in by any spreadsheet is read: its alphabet, its separator, its workbook', async () => {
    const { batchId, ten, twenty } = await sentBatch();
    const text = [
      'Référence;Montant;Résultat;Motif',
      `${sepaReference(ten.id)};10,00;Payé;`,
      `${sepaReference(twenty.id)};20,00;Rejeté;Titulaire décédé`,
    ].join('\r\n');
    const files: readonly [string, Uint8Array][] = [
      ['Windows', Buffer.from(text, 'latin1')],
      ['UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le')],
      ['sep=', Buffer.from(`sep=,\r\n${text.replaceAll(',', '.').replaceAll(';', ',')}`)],
      ['a title above', Buffer.from(`Retour de la banque;;;\r\n\r\n${text}`)],
    ];
    const expected = [
      { request_id: ten.id, status: 'paid', reason: null },
      { request_id: twenty.id, status: 'rejected', reason: 'Titulaire décédé' },
    ].toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1));
    for (const [name, file] of files) {
      expect([name, lines(await report(batchId, Uint8Array.from(file)))]).toMatchObject([name, expected]);
    }
    // Our own workbook, filled in and saved.
    const response = await server.fetch(`/exports/v1/batch-lines.xlsx?batch_id=eq.${batchId}`, {}, admin);
    const book = await readXlsx(new Uint8Array(await response.arrayBuffer()));
    const rows = book.sheets[0]?.rows ?? [];
    const [reference, result, reason] = ['Référence', 'Résultat', 'Motif'].map(
      (title) => rows[0]?.indexOf(title) ?? -1,
    );
    const filled = rows.map((row) => {
      const isTen = row[reference ?? -1] === sepaReference(ten.id);
      if (!isTen && row[reference ?? -1] !== sepaReference(twenty.id)) return row;
      return row.map((cell, place) => {
        if (place === result) return isTen ? 'Payé' : 'Rejeté';
        return place === reason && !isTen ? 'Titulaire décédé' : cell;
      });
    });
    const saved = Uint8Array.from(await writeXlsx({ sheets: [{ name: 'Virement', rows: filled }] }));
    expect(lines(await report(batchId, saved))).toMatchObject(expected);
  });

  test('[DF-33] a file that is no table is refused as what it is', async () => {
    const { batchId } = await sentBatch();
    expect((await report(batchId, '%PDF-1.7')).body).toMatchObject({
      code: 'bank_file_unknown',
      error: expect.stringMatching(/^Ce fichier est un PDF\. Donnez un pain\.002/u),
    });
  });
});

describe('[PO-05] a month of commercials', () => {
  /** Somebody with a commission of last month, and that month. */
  const withCommission = async (name: string) => {
    const payee = await aCommercial(server.database, { fullName: name });
    await server.database.asOwner('select private.lock_balances(array[$1::uuid])', [payee.id]);
    await server.database.asOwner(
      `insert into public.ledger_entries (at, act, source_id, payee_id, debit, credit, amount, detail, is_test)
       values (private.month_start(private.month_of(now())) - interval '3 days', 'validation', gen_random_uuid(), $1, 'charged', 'available',
         120.50, 'commercial', false)`,
      [payee.id],
    );
    const { month } = only(
      await server.database.asOwner<{ month: string }>(
        `select (private.month_of(now()) - interval '1 month')::date::text as month`,
      ),
    );
    return { payee, month };
  };

  test('is paid once, with what was seen; what is not said in full is refused in French', async () => {
    const { payee, month } = await withCommission('Paul Payé');
    const lines = [{ payee_id: payee.id, amount: '120.50' }];
    expect((await batch('pay_month', { month, lines }, payee)).status).toBe(403);
    for (const [body, code] of [
      [{ month: '2026-13-01', lines }, 'invalid_input'],
      [{ month, lines: [] }, 'invalid_input'],
      [{ month, lines: [{ payee_id: payee.id, amount: null }] }, 'seen_required'],
      [{ month: '2999-01-01', lines }, 'period_not_over'],
      [{ month, lines, paid_on: '2999-01-01' }, 'payment_day_refused'],
      [{ month, lines: [{ payee_id: payee.id, amount: '120.51' }] }, 'period_changed'],
    ] as const)
      expect([body, (await batch('pay_month', body)).body]).toMatchObject([body, { code }]);
    const said = await Promise.all([1, 2].map(() => batch('pay_month', { month, lines })));
    expect(said.map(({ body }) => body.data).toSorted((a, b) => a.already - b.already)).toEqual([
      { paid: 1, already: 0 },
      { paid: 0, already: 1 },
    ]);
  });

  test('[PO-01] [PO-02] of an agent is a line of the bank’s file beside a request, and the bank’s answer leads back to it', async () => {
    const { payee, month } = await withCommission('Aline Agent');
    await server.database.asOwner(
      `insert into private.payee_details (payee_id, status, legal_name, street, postal_code, city, siren, charges_vat)
       values ($1, 'agent', 'Aline Agent', '1 rue des Lilas', '35000', 'Rennes', '732829320', false)`,
      [payee.id],
    );
    const give = (holder: string, iban: string, who = payee) =>
      callAs(server, who, 'own-account', { action: 'set_bank_account', holder, iban });
    expect((await give('Aline Agent', 'FR7630006000011234567890188')).body).toMatchObject({ code: 'invalid_input' });
    expect((await give('Алина', OTHER_IBAN)).status).toBe(400);
    expect((await give('Aline Agent', OTHER_IBAN, admin)).status).toBe(403);
    // AC-09: outside the European Economic Area the BIC and the address too.
    expect((await give('Aline Agent', SWISS)).body).toMatchObject({ code: 'invalid_input' });
    expect((await give('Aline Agent', OTHER_IBAN)).body.data).toEqual({
      holder: 'Aline Agent',
      iban: 'DE89 •••• •••• 3000',
    });
    const request = await approved('10.00', 'Claire Client');
    const gather = (amount: string | null) =>
      batch('make', {
        request_ids: [request.id],
        months: [{ payee_id: payee.id, month, amount }],
        expected_total: '130.50',
      });
    expect((await gather(null)).body).toMatchObject({ code: 'seen_required' });
    expect((await gather('120.49')).body).toMatchObject({ code: 'period_changed' });
    const { id: batchId } = (await gather('120.50')).body.data as { id: string };
    expect((await batch('pay_month', { month, lines: [{ payee_id: payee.id, amount: '120.50' }] })).body).toMatchObject(
      {
        code: 'period_in_batch',
      },
    );
    expect((await released(batchId, '130.50')).status).toBe(200);
    const file = await fileOf(batchId);
    expect(flawsOf(file, '09')).toEqual([]);
    expect(file).toContain('<NbOfTxs>2</NbOfTxs><CtrlSum>130.50</CtrlSum>');
    expect(file).toContain(`<IBAN>${OTHER_IBAN}</IBAN>`);
    expect(await fileOf(batchId)).toBe(file);
    const line = only(
      await server.database.asOwner<{ id: string }>(
        'select id from public.payment_batch_lines where batch_id = $1 and month is not null',
        [batchId],
      ),
    );
    expect(file).toContain(`<EndToEndId>${sepaReference(line.id)}</EndToEndId>`);
    const exported = await server.fetch(`/exports/v1/batch-lines.csv?batch_id=eq.${batchId}`, {}, admin);
    expect(await exported.text()).toMatch(new RegExp(`${sepaReference(line.id)}.*Aline Agent.*120,50`, 'u'));
    const told = await report(batchId, statusReport(batchId, stated(sepaReference(line.id), 'RJCT', 'MS03')));
    const [answered] = told.body.data.lines as { request_id: string; status: string; code: string; reason: string }[];
    expect(answered).toMatchObject({
      request_id: line.id,
      client_name: 'Aline Agent',
      status: 'rejected',
      code: 'MS03',
    });
    const { request_id, status, code, reason } = answered ?? {};
    expect(
      (await batch('settle', { batch_id: batchId, outcomes: [{ request_id, status, code, reason }] })).body.data,
    ).toEqual({
      paid: 0,
      rejected: 1,
      returned: 0,
      already: 0,
    });
    expect((await batch('settle', { batch_id: batchId, outcomes: null })).body.data).toMatchObject({ paid: 1 });
    // Due again, told why, and paid with the next batch.
    const months = await server.fetch(
      `/rest/v1/commission_periods?month=eq.${month}&select=status,rejection`,
      {},
      payee,
    );
    expect(await months.json()).toEqual([{ status: 'due', rejection: reason }]);
    const next = await batch('make', {
      request_ids: [],
      months: [{ payee_id: payee.id, month, amount: '120.50' }],
      expected_total: '120.50',
    });
    expect((await released(next.body.data.id as string, '120.50')).status).toBe(200);
    expect((await batch('settle', { batch_id: next.body.data.id, outcomes: null })).body.data).toMatchObject({
      paid: 1,
    });
    expect(
      await server.database.asOwner('select amount, method from public.paid_periods where payee_id = $1', [payee.id]),
    ).toEqual([{ amount: '120.50', method: 'virement' }]);
    // The bank sends it back: a statement of the day (camt.053) says so, or a late pain.002. Read twice at once, it comes back once.
    const paidBy = next.body.data.id as string;
    const second = only(
      await server.database.asOwner<{ id: string }>(`select id from public.payment_batch_lines where batch_id = $1`, [
        paidBy,
      ]),
    );
    const statement = (amount: string) => statementOf(booked(transferred(second.id, amount, 'MS03'), 'CRDT', amount));
    const late = statusReport(paidBy, stated(sepaReference(second.id), 'RJCT', 'MS03'));
    // Its bank kept a fee (AC-09).
    expect((await report(paidBy, statement('118.50'))).body.data).toMatchObject({
      lines: [{ request_id: second.id, status: 'returned', code: 'MS03' }],
      unknown: 0,
    });
    const [byStatement, byStatus] = [await report(paidBy, statement('120.50')), await report(paidBy, late)];
    // The pain.002 has no day (AC-01).
    const dayless = byStatement.body.data.lines.map((entry: object) => ({ ...entry, day: null }));
    expect(byStatus.body.data).toEqual({ ...byStatement.body.data, lines: dayless });
    const [back] = byStatement.body.data.lines as {
      request_id: string;
      status: string;
      code: string;
      reason: string;
    }[];
    expect(back).toMatchObject({ request_id: second.id, status: 'returned', stands: 'paid', code: 'MS03' });
    const outcomes = [{ request_id: back?.request_id, status: back?.status, code: back?.code, reason: back?.reason }];
    const kept = [1, 2].map(() => batch('settle', { batch_id: paidBy, outcomes }));
    expect((await Promise.all(kept)).map(({ body }) => body.data).toSorted((a, b) => a.already - b.already)).toEqual([
      { paid: 0, rejected: 0, returned: 1, already: 0 },
      { paid: 0, rejected: 0, returned: 0, already: 1 },
    ]);
    const seen = await server.fetch(
      `/rest/v1/commission_periods?month=eq.${month}&select=status,rejection,paid_at`,
      {},
      payee,
    );
    expect(await seen.json()).toEqual([{ status: 'due', rejection: back?.reason, paid_at: null }]);
    expect(
      await server.database.asOwner(
        `select a.actor_id, a.reason from public.audit_entries a join public.paid_periods q on q.id = a.entity_id
         where q.payee_id = $1 and a.entity = 'paid_periods' and a.action = 'update'`,
        [payee.id],
      ),
    ).toEqual([{ actor_id: admin.id, reason: back?.reason }]);
    // The next batch has it again.
    const third = await batch('make', {
      request_ids: [],
      months: [{ payee_id: payee.id, month, amount: '120.50' }],
      expected_total: '120.50',
    });
    expect((await released(third.body.data.id as string, '120.50')).status).toBe(200);
    expect((await batch('settle', { batch_id: third.body.data.id, outcomes: null })).body.data).toMatchObject({
      paid: 1,
    });
  });

  test('is exported for the payroll, with no formula in it', async () => {
    const { payee, month } = await withCommission('Zoé Export');
    await server.database.asOwner(`update public.profiles set full_name = '=Zoé' where id = $1`, [payee.id]);
    const file = `/exports/v1/commission-periods.csv?month=eq.${month}&payee_id=eq.${payee.id}`;
    const reply = await server.fetch(file, {}, admin);
    const text = await reply.text();
    expect(text).toContain('Mois;Commercial;E-mail;Report des mois précédents;');
    expect(text).toMatch(/;"?'=Zoé"?;/u);
    expect(text).toContain('120,50');
  });
});

test('[DF-21] reading, paying and accepting at the same instant leave the chains of the trail whole', async () => {
  const one = await approved('30', 'Inès Duval');
  const id = await made([one], '30.00');
  await released(id, '30.00');
  for (let round = 0; round < 5; round += 1) {
    const rules = { body: `Règles ${round}`, seen_version: round };
    expect((await callAs(server, admin, 'programme-rules?action=publish', rules)).status).toBe(200);
    const payee = {
      payee_id: one.client.id,
      status: 'particulier',
      legal_name: `Inès Duval ${round}`,
      street: '3 rue des Lilas',
      postal_code: '44000',
      city: 'Nantes',
    };
    const replies = await Promise.all([
      batch('file', { batch_id: id }),
      batch('file', { batch_id: id }),
      callAs(server, admin, 'payment-request', { action: 'details', request_id: one.id }),
      callAs(server, admin, 'payment-request', { action: 'details', request_id: one.id }),
      callAs(server, one.client, 'papers?action=update_payee', payee),
      callAs(server, one.client, 'programme-rules?action=accept', { version: round + 1 }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  }
  expect(await server.database.asOwner('select * from figures.audit_breaks')).toEqual([]);
});
