import { sepaReference } from '@parrain/domain/sepa';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';

import { bankSchemaErrors } from '../../testing/schema-errors.ts';

import { readBankReport } from './bank-report.ts';

const TEN = 'aaaaaaaa-0000-4000-8000-000000000010';
const TWENTY = 'aaaaaaaa-0000-4000-8000-000000000020';
const BATCH = 'bbbbbbbb-0000-4000-8000-000000000001';

const read = (file: string | Buffer) =>
  readBankReport(typeof file === 'string' ? Buffer.from(file) : file, 'cccccccc-0000-4000-8000-000000000001');
const document = (kind: string, content: string): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}">${content}</Document>`;
const HEADER = '<GrpHdr><MsgId>BANQUE-1</MsgId><CreDtTm>2026-11-24T08:00:00</CreDtTm></GrpHdr>';
const ACCOUNT =
  '<Id>RELEVE-1</Id><CreDtTm>2026-11-24T08:00:00</CreDtTm><Acct><Id><IBAN>FR7630004008210001018765450</IBAN></Id></Acct>';

/** A message of entries, in a version of it: 02 and 04 write the status bare, 08 and later in a code. */
function entries(kind: string, entry: string): string {
  const [holder, account] = {
    'camt.052': ['BkToCstmrAcctRpt', 'Rpt'],
    'camt.053': ['BkToCstmrStmt', 'Stmt'],
    'camt.054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
  }[kind.slice(0, 8)] as [string, string];
  return document(kind, `<${holder}>${HEADER}<${account}>${ACCOUNT}${entry}</${account}></${holder}>`);
}
type Booking = {
  readonly amount?: string;
  readonly sign?: 'DBIT' | 'CRDT';
  readonly status?: string;
  readonly family?: string;
  readonly isReversal?: boolean;
  /** Its days, as the message writes them. */
  readonly days?: string;
};
const entry = (
  details: string,
  { amount = '10.00', sign = 'DBIT', status, family = 'ESCT', isReversal, days = '' }: Booking = {},
) =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>${
    isReversal === undefined ? '' : `<RvslInd>${isReversal}</RvslInd>`
  }<Sts>${status ?? '<Cd>BOOK</Cd>'}</Sts>${days}<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${family}</SubFmlyCd></Fmly></Domn></BkTxCd>
   <NtryDtls>${details}</NtryDtls></Ntry>`;
const transfer = (references: string, more = '', amount = '10.00') =>
  `<TxDtls><Refs>${references}</Refs><Amt Ccy="EUR">${amount}</Amt>${more}</TxDtls>`;
const own = (id: string) => `<EndToEndId>${sepaReference(id)}</EndToEndId>`;
const statuses = (transfers: string, version = '10') =>
  document(
    `pain.002.001.${version}`,
    `<CstmrPmtStsRpt>${HEADER}<OrgnlGrpInfAndSts><OrgnlMsgId>${sepaReference(BATCH)}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
     <OrgnlPmtInfAndSts><OrgnlPmtInfId>${sepaReference(BATCH)}</OrgnlPmtInfId>${transfers}</OrgnlPmtInfAndSts></CstmrPmtStsRpt>`,
  );
const status = (id: string, word: string, reason = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${sepaReference(id)}</OrgnlEndToEndId><TxSts>${word}</TxSts>${reason}</TxInfAndSts>`;

const paid = { reference: sepaReference(TEN), isWholeBatch: false, status: 'paid', amount: 1000n };

describe('a bank’s answer is read as banks write it', () => {
  test.each([
    'camt.052.001.02',
    'camt.052.001.08',
    'camt.053.001.02',
    'camt.053.001.04',
    'camt.053.001.08',
    'camt.054.001.02',
    'camt.054.001.08',
  ])('[AC-09] %s: a booked debit is paid, a pending one says nothing', async (kind) => {
    const isBare = !kind.endsWith('08');
    const of = (word: string) => (isBare ? word : `<Cd>${word}</Cd>`);
    const file = entries(kind, entry(transfer(own(TEN)), { status: of('BOOK') }));
    if (kind === 'camt.052.001.08' || kind === 'camt.054.001.08') expect(bankSchemaErrors(file)).toEqual([]);
    expect(await read(file)).toMatchObject([paid]);
    expect(await read(entries(kind, entry(transfer(own(TEN)), { status: of('PDNG') })))).toEqual([]);
  });

  test.each([
    ['<BookgDt><Dt>2026-11-23</Dt></BookgDt><ValDt><Dt>2026-11-24</Dt></ValDt>', '2026-11-23'],
    ['<BookgDt><DtTm>2026-11-23T23:30:00+01:00</DtTm></BookgDt>', '2026-11-23'],
    ['<ValDt><Dt>2026-11-24</Dt></ValDt>', '2026-11-24'],
    ['<BookgDt><Dt>2026-02-30</Dt></BookgDt>', null],
    ['', null],
  ])('[AC-01] booked %s: a debit, a return and a whole batch are of that day', async (days, day) => {
    const of = (details: string, booking: Booking = {}) =>
      entries('camt.054.001.08', entry(details, { days, ...booking }));
    if (day !== null) expect(bankSchemaErrors(of(transfer(own(TEN))))).toEqual([]);
    expect(await read(of(transfer(own(TEN))))).toMatchObject([{ status: 'paid', day }]);
    expect(await read(of(transfer(own(TEN)), { sign: 'CRDT', family: 'RRTN' }))).toMatchObject([
      { status: 'rejected', day },
    ]);
    const whole = `<Btch><PmtInfId>${sepaReference(BATCH)}</PmtInfId></Btch>`;
    expect(await read(of(whole))).toMatchObject([{ isWholeBatch: true, day }]);
  });

  test('[AC-09] a return is one by its reason, by the code of its kind, or as a reversal; another credit is none', async () => {
    const came = async (details: string, booking: Booking) =>
      read(entries('camt.054.001.08', entry(details, { sign: 'CRDT', ...booking })));
    const back = { reference: sepaReference(TEN), status: 'rejected' };
    const reasoned = transfer(own(TEN), '<RtrInf><Rsn><Cd>MD07</Cd></Rsn></RtrInf>', '8.50');
    expect(await came(reasoned, { amount: '8.50' })).toMatchObject([{ ...back, code: 'MD07', amount: 850n }]);
    expect(await came(transfer(own(TEN)), { family: 'RRTN' })).toMatchObject([{ ...back, code: null }]);
    expect(await came(transfer(own(TEN)), { isReversal: true })).toMatchObject([back]);
    expect(await came(transfer(own(TEN)), { isReversal: false })).toEqual([]);
    const named = `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>`;
    expect(await came(transfer(own(TEN), named), {})).toMatchObject([back]);
  });

  test('[AC-09] a batch is known by its payment information, or by its message alone', async () => {
    const whole = { reference: sepaReference(BATCH), isWholeBatch: true, status: 'paid', amount: 1000n };
    for (const details of [
      `<Btch><PmtInfId>${sepaReference(BATCH)}</PmtInfId></Btch>`,
      `<Btch><MsgId>${sepaReference(BATCH)}</MsgId></Btch>`,
      transfer(`<PmtInfId>${sepaReference(BATCH)}</PmtInfId>`),
      transfer(`<MsgId>${sepaReference(BATCH)}</MsgId>`),
      transfer(`<MsgId>${sepaReference(BATCH)}</MsgId><EndToEndId>NOTPROVIDED</EndToEndId>`),
    ])
      expect([details, await read(entries('camt.053.001.08', entry(details)))]).toMatchObject([details, [whole]]);
  });

  test('[AC-09] several documents, in an envelope with a header or one after the other, are all read', async () => {
    const [one, other] = [TEN, TWENTY].map((id) => entries('camt.054.001.08', entry(transfer(own(id)))));
    const header =
      '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><MsgDefIdr>camt.054.001.08</MsgDefIdr></AppHdr>';
    const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
    for (const file of [
      `${declaration}<Envelope>${header}${one}${header}${other}</Envelope>`,
      `${declaration}\n${one}\n${declaration}\n${other}\n`,
    ])
      expect((await read(file))?.map(({ reference }) => reference)).toEqual([TEN, TWENTY].map(sepaReference));
  });

  test('[AC-09] a ZIP is the files in it: every answer is read, a letter beside it is not; a bomb is refused', async () => {
    const [one, other] = [TEN, TWENTY].map((id) => strToU8(entries('camt.054.001.08', entry(transfer(own(id))))));
    if (one === undefined || other === undefined) throw new Error('no file');
    const zip = zipSync({ 'un.xml': one, dossier: { 'autre.xml': other }, 'lettre.pdf': strToU8('%PDF-1.7') });
    expect((await read(Buffer.from(zip)))?.map(({ reference }) => reference)).toEqual([TEN, TWENTY].map(sepaReference));
    expect(await read(Buffer.from(zipSync({ 'a.pdf': strToU8('%PDF'), 'b.txt': strToU8('b') })))).toBeNull();
    // An office document is refused as one (DF-33).
    const letter = Buffer.from(zipSync({ 'word/document.xml': strToU8('<w:document/>') }));
    await expect(read(letter)).rejects.toMatchObject({ code: 'bank_file_unknown', params: { cause: 'document' } });
    const bomb = Buffer.from(zipSync({ 'un.xml': new Uint8Array(17 * 1024 * 1024) }));
    for (const [file, cause] of [
      [bomb, 'unpacked'],
      [Buffer.from(zip).subarray(0, zip.length - 10), 'damaged'],
    ] as const)
      await expect(read(file)).rejects.toMatchObject({ code: 'bank_file_unknown', params: { cause } });
  });

  test('[AC-09] a file is read in the letters that it is written in, whatever it declares', async () => {
    const text = `<?xml version="1.0" encoding="UTF-8"?>${statuses(
      status(
        TEN,
        'RJCT',
        '<StsRsnInf><Rsn><Prtry>9</Prtry></Rsn><AddtlInf>Opération refusée par l’agence.</AddtlInf></StsRsnInf>',
      ),
    )}`;
    const windows = Buffer.from(text.replaceAll('’', "'"), 'latin1');
    const said = { reference: sepaReference(TEN), status: 'rejected', code: null };
    expect(await read(windows)).toMatchObject([
      { ...said, reason: "Virement rejeté par la banque : Opération refusée par l'agence." },
    ]);
    const wide = Buffer.from(`\uFEFF${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    expect(await read(wide)).toMatchObject([
      { ...said, reason: 'Virement rejeté par la banque : Opération refusée par l’agence.' },
    ]);
  });

  test('[AC-09] what a bank found of the payee’s name, and an acceptance, are said and end nothing', async () => {
    for (const version of ['03', '10'])
      expect(
        await read(statuses(status(TEN, 'RVNM') + status(TWENTY, 'ACCC') + status(BATCH, 'UNKN'), version)),
      ).toEqual([
        {
          reference: sepaReference(TEN),
          isWholeBatch: false,
          status: 'said',
          code: 'RVNM',
          reason:
            'Le nom ne correspond pas au titulaire du compte : vérifiez l’IBAN avec le bénéficiaire avant de confirmer.',
          amount: null,
          day: null,
        },
        {
          reference: sepaReference(TWENTY),
          isWholeBatch: false,
          status: 'said',
          code: 'ACCC',
          reason: 'Accepté, et porté au compte du bénéficiaire : le relevé de votre compte le confirme.',
          amount: null,
          day: null,
        },
      ]);
  });

  test('[AC-09] a document that is none of these is refused, though one beside it is', async () => {
    const good = entries('camt.054.001.08', entry(transfer(own(TEN))));
    expect(await read(document('camt.029.001.09', '<RsltnOfInvstgtn/>'))).toBeNull();
    expect(await read(`<?xml version="1.0"?>${good}<?xml version="1.0"?><broken>`)).toBeNull();
    expect(await read(`<!DOCTYPE Document [<!ENTITY x "y">]>${good}`)).toBeNull();
  });
});
