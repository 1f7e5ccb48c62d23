import { fromWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { bankRejection } from '@parrain/domain/sepa';
import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm';

import { readFileAside } from '#platform/tables/read-thread';
import { titled } from '#platform/tables/titled';

/** Status that a bank reports of one transfer, or of a whole batch. */
export type ReportLine = {
  /** The end-to-end reference; that of the batch where all its lines share one fate. */
  readonly reference: string;
  readonly isWholeBatch: boolean;
  readonly status: 'paid' | 'rejected';
  readonly code: string | null;
  readonly reason: string | null;
  /** Null where the file does not say. */
  readonly amount: Cents | null;
};

/** Lines of a table: more than any batch has. */
const LINES_MAX = 20_000;

/**
 * Reads what a bank sends back (PO-02): a pain.002 (rejections), a camt.054 or camt.053 (debits and returns), or a table of our own
 * columns, which whatever program filled it in (DF-33).
 * Null where the file is none of them. @throws Failure `bank_file_unknown` with what else it is
 */
export async function readBankReport(file: Buffer, personId: string): Promise<readonly ReportLine[] | null> {
  const text = file.toString('utf8').replace(/^\uFEFF/u, '');
  return text.trimStart().startsWith('<') ? readXml(file, text) : readTable(file, personId);
}

function readXml(file: Buffer, text: string): readonly ReportLine[] | null {
  // No bank's message has one, and every bomb does.
  if (/<!(?:DOCTYPE|ENTITY)/iu.test(text)) return null;
  let document: XmlDocument;
  try {
    document = XmlDocument.fromBuffer(file, { option: ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET });
  } catch {
    return null;
  }
  try {
    const [report] = childrenOf(document.root);
    if (report?.name === 'CstmrPmtStsRpt') return statusReport(report);
    if (report?.name === 'BkToCstmrDbtCdtNtfctn') return entriesOf(report, 'Ntfctn');
    // A statement of the day's end has the same entries.
    if (report?.name === 'BkToCstmrStmt') return entriesOf(report, 'Stmt');
    return null;
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
      if (first(transfer, ['TxSts']) !== 'RJCT') continue;
      const line = rejection(first(transfer, ['OrgnlEndToEndId']), transfer, false);
      lines.push({ ...line, amount: amountOf(all(transfer, ['OrgnlTxRef', 'Amt', 'InstdAmt'])[0]) });
    }
  }
  return lines;
}

function rejection(reference: string, stated: XmlElement, isWholeBatch: boolean): ReportLine {
  const code = codeOf(first(stated, ['StsRsnInf', 'Rsn', 'Cd']));
  return { reference, isWholeBatch, status: 'rejected', code, reason: bankRejection(code), amount: null };
}

/** camt.054, camt.053: a booked debit is paid, a credit with the reason of a return has come back. */
function entriesOf(report: XmlElement, account: 'Ntfctn' | 'Stmt'): readonly ReportLine[] {
  const lines: ReportLine[] = [];
  for (const entry of all(report, [account, 'Ntry'])) {
    const isDebit = first(entry, ['CdtDbtInd']) === 'DBIT';
    // « BOOK » stands in the element itself (02), or in its code (08).
    const isBooked = (first(entry, ['Sts', 'Cd']) || first(entry, ['Sts'])) === 'BOOK';
    if (!isBooked) continue;
    const transfers = all(entry, ['NtryDtls', 'TxDtls']);
    for (const transfer of transfers) {
      const reference = first(transfer, ['Refs', 'EndToEndId']);
      const said = all(transfer, ['AmtDtls', 'TxAmt', 'Amt'])[0] ?? all(transfer, ['Amt'])[0];
      // A transfer without an amount of its own is booked in the currency of its entry.
      const amount = said === undefined && isForeign(all(entry, ['Amt'])[0]) ? FOREIGN : amountOf(said);
      const [returned] = all(transfer, ['RtrInf']);
      if (returned !== undefined) {
        const code = codeOf(first(returned, ['Rsn', 'Cd']));
        lines.push({ reference, isWholeBatch: false, status: 'rejected', code, reason: bankRejection(code), amount });
      } else if (isDebit) {
        lines.push({ reference, isWholeBatch: false, status: 'paid', code: null, reason: null, amount });
      }
    }
    const batch = first(entry, ['NtryDtls', 'Btch', 'PmtInfId']);
    if (isDebit && transfers.length === 0 && batch !== '')
      lines.push({
        reference: batch,
        isWholeBatch: true,
        status: 'paid',
        code: null,
        reason: null,
        amount: amountOf(all(entry, ['Amt'])[0]),
      });
  }
  return lines;
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
const FOREIGN: Cents = -1n;

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
