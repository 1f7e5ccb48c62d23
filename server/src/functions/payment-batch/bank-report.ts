import { fromWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { isDay } from '@parrain/domain/period';
import { bankRejection, bankRemark } from '@parrain/domain/sepa';
import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm';

import { readFileAside } from '#platform/tables/read-thread';
import { textOfFile } from '#platform/tables/text-of-file';
import { titled } from '#platform/tables/titled';

import { filesOfReport } from './report-files.ts';

/** Status that a bank reports of one transfer, or of a whole batch. */
export type ReportLine = {
  /** The end-to-end reference; that of the batch where all its lines share one fate. */
  readonly reference: string;
  readonly isWholeBatch: boolean;
  /** `said` ends nothing: an acceptance, or what the bank found of the payee's name. */
  readonly status: 'paid' | 'rejected' | 'said';
  readonly code: string | null;
  /** A sentence, for a rejection and for what is said. */
  readonly reason: string | null;
  /** Null where the file does not say. */
  readonly amount: Cents | null;
  /** Day on which the bank booked it (AC-01), « 2026-11-26 »; null where the file does not say. */
  readonly day: string | null;
};

/** Of a sentence that a payee reads, in characters. */
const REASON_LENGTH_MAX = 400;
/** Lines of a table: more than any batch has. */
const LINES_MAX = 20_000;

/** Messages that are read, by the element that holds them, each version alike. */
const MESSAGES: Readonly<Record<string, (message: XmlElement) => readonly ReportLine[]>> = {
  CstmrPmtStsRpt: statusReport,
  BkToCstmrAcctRpt: (message) => entriesOf(message, 'Rpt'),
  BkToCstmrStmt: (message) => entriesOf(message, 'Stmt'),
  BkToCstmrDbtCdtNtfctn: (message) => entriesOf(message, 'Ntfctn'),
};
const ANYWHERE = `//*[${Object.keys(MESSAGES)
  .map((name) => `local-name()="${name}"`)
  .join(' or ')}]`;
/** Enough of a file to tell XML from a table, which is decoded in a thread of its own. */
const START_BYTES = 4096;

/**
 * Reads what a bank sends back (PO-02, AC-09): a pain.002 (rejections), a camt.052, 053 or 054 (debits and returns), alone or several in
 * an envelope or a ZIP, in whatever encoding; or a table of our own columns, which whatever program filled it in (DF-33).
 * Null where the file is none of them. @throws Failure `bank_file_unknown` with what else it is
 */
export async function readBankReport(file: Buffer, personId: string): Promise<readonly ReportLine[] | null> {
  const files = await filesOfReport(file);
  const [only = file] = files;
  if (files.length === 1 && !isXml(only)) return readTable(only, personId);
  // A letter may lie beside the answer.
  const answers = files.filter(isXml).map((one) => readXml(decoded(one)));
  return answers.length === 0 || answers.includes(null) ? null : answers.flatMap((lines) => lines ?? []);
}

function isXml(file: Buffer): boolean {
  return decoded(file.subarray(0, START_BYTES)).startsWith('<');
}

/** Banks declare UTF-8 and write Windows' letters: the bytes tell, not the declaration. */
function decoded(file: Buffer): string {
  const { text } = textOfFile(file);
  return text.replace(/^\uFEFF/u, '').trimStart();
}

function readXml(text: string): readonly ReportLine[] | null {
  // No bank's message has one, and every bomb does.
  if (/<!(?:DOCTYPE|ENTITY)/iu.test(text)) return null;
  // Some banks put one document after the other.
  const documents = text
    .split(/<\?xml[^>]*\?>/u)
    .filter((part) => part.trim() !== '')
    .map(messagesOf);
  return documents.length === 0 || documents.some((lines) => lines === null)
    ? null
    : documents.flatMap((lines) => lines ?? []);
}

/** The lines of a document; null where it is no XML, or has none of the messages. */
function messagesOf(text: string): readonly ReportLine[] | null {
  let document: XmlDocument;
  try {
    document = XmlDocument.fromString(text, { option: ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET });
  } catch {
    return null;
  }
  try {
    const messages = document.root.find(ANYWHERE).filter((node) => node instanceof XmlElement);
    if (messages.length === 0) return null;
    return messages.flatMap((message) => MESSAGES[message.name]?.(message) ?? []);
  } finally {
    document.dispose();
  }
}

/** pain.002: only a rejection is final there; an acceptance is no proof of payment. */
function statusReport(report: XmlElement): readonly ReportLine[] {
  const lines: ReportLine[] = [];
  for (const group of all(report, ['OrgnlGrpInfAndSts'])) {
    if (first(group, ['GrpSts']) === 'RJCT') lines.push(rejection(first(group, ['OrgnlMsgId']), group, true));
  }
  for (const payment of all(report, ['OrgnlPmtInfAndSts'])) {
    if (first(payment, ['PmtInfSts']) === 'RJCT')
      lines.push(rejection(first(payment, ['OrgnlPmtInfId']), payment, true));
    for (const transfer of all(payment, ['TxInfAndSts'])) {
      const status = first(transfer, ['TxSts']);
      const reference = first(transfer, ['OrgnlEndToEndId']);
      const said = bankRemark(status);
      if (status === 'RJCT') {
        const line = rejection(reference, transfer, false);
        lines.push({ ...line, amount: amountOf(all(transfer, ['OrgnlTxRef', 'Amt', 'InstdAmt'])[0]) });
      } else if (said !== null)
        lines.push({
          reference,
          isWholeBatch: false,
          status: 'said',
          code: status,
          reason: said,
          amount: null,
          day: null,
        });
    }
  }
  return lines;
}

function rejection(reference: string, stated: XmlElement, isWholeBatch: boolean): ReportLine {
  return {
    reference,
    isWholeBatch,
    status: 'rejected',
    ...reasonOf(all(stated, ['StsRsnInf'])[0]),
    amount: null,
    day: null,
  };
}

/** The code of a refusal and its sentence; in the bank's own words where it gives no code. */
function reasonOf(stated: XmlElement | undefined): Pick<ReportLine, 'code' | 'reason'> {
  if (stated === undefined) return { code: null, reason: bankRejection(null) };
  const code = codeOf(first(stated, ['Rsn', 'Cd']));
  const words = first(stated, ['AddtlInf']) || first(stated, ['Rsn', 'Prtry']);
  return { code, reason: bankRejection(code, words.slice(0, REASON_LENGTH_MAX)) };
}

/** camt.052, 053, 054: a booked debit is paid, a credit that reverses it, or names a return, has come back. */
function entriesOf(report: XmlElement, account: string): readonly ReportLine[] {
  return all(report, [account, 'Ntry']).flatMap((entry) => {
    // « BOOK » stands in the element itself (02), or in its code (08).
    const isBooked = (first(entry, ['Sts', 'Cd']) || first(entry, ['Sts'])) === 'BOOK';
    return isBooked ? linesOfEntry(entry) : [];
  });
}

function linesOfEntry(entry: XmlElement): readonly ReportLine[] {
  const isDebit = first(entry, ['CdtDbtInd']) === 'DBIT';
  const isReversed = first(entry, ['RvslInd']) === 'true' || isReturn(entry);
  const booked = all(entry, ['Amt'])[0];
  const day = dayOfEntry(entry);
  const transfers = all(entry, ['NtryDtls', 'TxDtls']);
  const lines = transfers.flatMap((transfer): ReportLine[] => {
    const said = all(transfer, ['AmtDtls', 'TxAmt', 'Amt'])[0] ?? all(transfer, ['Amt'])[0];
    // A transfer without an amount of its own is booked in the currency of its entry.
    const amount = said === undefined && isForeign(booked) ? FOREIGN : amountOf(said);
    const [returned] = all(transfer, ['RtrInf']);
    const reference = referenceOf(all(transfer, ['Refs'])[0]);
    if (returned !== undefined || (!isDebit && (isReversed || isReturn(transfer))))
      return [{ ...reference, status: 'rejected', ...reasonOf(returned), amount, day }];
    return isDebit ? [{ ...reference, status: 'paid', code: null, reason: null, amount, day }] : [];
  });
  const whole = referenceOf(all(entry, ['NtryDtls', 'Btch'])[0]);
  return isDebit && transfers.length === 0 && whole.reference !== ''
    ? [{ ...whole, status: 'paid', code: null, reason: null, amount: amountOf(booked), day }]
    : lines;
}

/** The day on which an entry is booked, else that of its value; ISO 20022 has either, as a day or as an instant. */
function dayOfEntry(entry: XmlElement): string | null {
  const said = ['BookgDt', 'ValDt'].flatMap((name) => [first(entry, [name, 'Dt']), first(entry, [name, 'DtTm'])]);
  return said.map((text) => text.slice(0, 10)).find(isDay) ?? null;
}

/** A transfer by its own reference; one booked with its batch, by that of the payment information, or of the message. */
function referenceOf(references: XmlElement | undefined): Pick<ReportLine, 'reference' | 'isWholeBatch'> {
  const of = (name: string) => (references === undefined ? '' : first(references, [name]));
  const own = of('EndToEndId');
  if (own !== '' && own !== 'NOTPROVIDED') return { reference: own, isWholeBatch: false };
  return { reference: of('PmtInfId') || of('MsgId'), isWholeBatch: true };
}

/** A transaction code of ISO 20022 that means « returned ». */
function isReturn(booked: XmlElement): boolean {
  return first(booked, ['BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd']) === 'RRTN';
}

const titleOf = { reference: /^reference/u, result: /^(?:resultat|statut)/u, reason: /^(?:motif|raison)/u } as const;

/** The columns of our own export, « Résultat » and « Motif » filled in; a line without a result says nothing. */
async function readTable(file: Buffer, personId: string): Promise<readonly ReportLine[] | null> {
  const { lines: found } = await readFileAside({ personId, file, linesMax: LINES_MAX, unknown: 'bank_file_unknown' });
  const isKnown = (title: string): boolean => Object.values(titleOf).some((pattern) => pattern.test(plain(title)));
  const { titles, lines: body } = titled(found, isKnown);
  const column = (name: RegExp) => titles.findIndex((cell) => name.test(plain(cell)));
  const [reference, result, reason] = [column(titleOf.reference), column(titleOf.result), column(titleOf.reason)];
  if (reference < 0 || result < 0) return null;
  const lines: ReportLine[] = [];
  for (const { cells: row } of body) {
    const word = plain(row[result] ?? '');
    const status = /^(?:paye|execute)/u.test(word)
      ? 'paid'
      : /^(?:rejet|refus|reven|retour)/u.test(word)
        ? 'rejected'
        : null;
    if (status === null) continue;
    const why = row[reason]?.trim() || bankRejection(null);
    lines.push({
      reference: row[reference] ?? '',
      isWholeBatch: false,
      status,
      code: null,
      reason: status === 'rejected' ? why.slice(0, 500) : null,
      amount: null,
      day: null,
    });
  }
  return lines;
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();
}

function codeOf(text: string): string | null {
  return /^[0-9A-Z]{4}$/u.test(text) ? text : null;
}

/** A sum in another money is that of no transfer of ours, whatever its figure (DF-28). */
export const FOREIGN: Cents = -1n;

function isForeign(amount: XmlElement | undefined): boolean {
  const currency = amount?.attr('Ccy')?.value ?? '';
  return currency !== '' && currency !== 'EUR';
}

function amountOf(amount: XmlElement | undefined): Cents | null {
  if (isForeign(amount)) return FOREIGN;
  const text = amount?.content.trim() ?? '';
  return /^\d{1,13}(?:\.\d{1,2})?$/u.test(text) ? fromWire(text) : null;
}

/** The elements at the end of a path of names, whatever the namespace: each version of a message has its own. */
function all(from: XmlElement, path: readonly string[]): readonly XmlElement[] {
  return path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap((element) => childrenOf(element).filter((child) => child.name === name)),
    [from],
  );
}

function first(from: XmlElement, path: readonly string[]): string {
  return all(from, path)[0]?.content.trim() ?? '';
}

function childrenOf(element: XmlElement): readonly XmlElement[] {
  return element.find('*').filter((node) => node instanceof XmlElement);
}
