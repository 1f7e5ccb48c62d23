import { isDay } from '@parrain/domain/period';
import { fromWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import type { ReceivedInvoice } from '@parrain/domain/received-invoice';
import { parseSiren } from '@parrain/domain/siren';
import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm';
import { inflateSync } from 'node:zlib';

import { DOCUMENT_BYTES, shortWords } from './platform-client.ts';

/** Words of an invoice, and the accounts that it asks to be paid on. */
export type ReadInvoice = { readonly invoice: ReceivedInvoice; readonly ibans: readonly string[] };

/** Files within a PDF that are looked into: an invoice has one or two. */
const EMBEDDED_MAX = 10;
const WORDS_MAX = 120;

/** Reads an invoice of EN 16931: a Factur-X PDF, or XML of CII or UBL. Null where the file is none of them. */
export function readInvoice(file: Buffer): ReadInvoice | null {
  const xmls = file.subarray(0, 5).toString('latin1') === '%PDF-' ? filesInPdf(file) : [file];
  for (const xml of xmls) {
    const found = readXml(xml);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Files that a PDF has within it. Their streams stand in the file itself, whatever else is in streams of objects: each is found by its own
 * dictionary, as it is stored or deflated, up to a size.
 */
function filesInPdf(pdf: Buffer): readonly Buffer[] {
  const text = pdf.toString('latin1');
  const files: Buffer[] = [];
  for (const { index } of text.matchAll(/\/EmbeddedFile(?![A-Za-z])/gu)) {
    if (files.length >= EMBEDDED_MAX) break;
    const from = text.lastIndexOf('obj', index);
    const mark = /stream\r?\n/gu;
    mark.lastIndex = index;
    const start = mark.exec(text);
    if (from < 0 || start === null || text.slice(index, start.index).includes('endobj')) continue;
    const [begin, head] = [start.index + start[0].length, text.slice(from, start.index)];
    const end = text.indexOf('endstream', begin);
    const stored = pdf.subarray(begin, end < 0 ? undefined : end);
    const file = /\/Filter\s*(?:\[\s*)?\/FlateDecode/u.test(head) ? inflated(pdf.subarray(begin)) : stored;
    if (file !== null) files.push(file);
  }
  return files;
}

function inflated(bytes: Buffer): Buffer | null {
  try {
    return inflateSync(bytes, { maxOutputLength: DOCUMENT_BYTES });
  } catch {
    return null;
  }
}

function readXml(bytes: Buffer): ReadInvoice | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  // No invoice has one, and every bomb does; a zero, or a declaration of other letters, would hide it.
  if (/<!(?:DOCTYPE|ENTITY)|\0/iu.test(text)) return null;
  text = text.replace(/^\s*<\?xml[^>]*\?>/u, '');
  let document: XmlDocument;
  try {
    document = XmlDocument.fromString(text, { option: ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET });
  } catch {
    return null;
  }
  try {
    const { root } = document;
    if (root.name === 'CrossIndustryInvoice') return readCii(root);
    return root.name === 'Invoice' || root.name === 'CreditNote' ? readUbl(root) : null;
  } finally {
    document.dispose();
  }
}

/** UN/CEFACT Cross Industry Invoice, in any profile of Factur-X. */
function readCii(root: XmlElement): ReadInvoice {
  const trade = 'SupplyChainTradeTransaction';
  const settlement = [trade, 'ApplicableHeaderTradeSettlement'];
  const sums = [...settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation'];
  const currency = first(root, [...settlement, 'InvoiceCurrencyCode']);
  const party = (name: string): Party => {
    const path = [trade, 'ApplicableHeaderTradeAgreement', name];
    return {
      name: first(root, [...path, 'Name']),
      siren: sirenIn([
        ...all(root, [...path, 'SpecifiedLegalOrganization', 'ID']),
        ...all(root, [...path, 'GlobalID']),
        ...all(root, [...path, 'SpecifiedTaxRegistration', 'ID']).filter((id) => schemeOf(id) === 'FC'),
      ]),
      vat: vatIn(all(root, [...path, 'SpecifiedTaxRegistration', 'ID']).filter((id) => schemeOf(id) !== 'FC')),
    };
  };
  const day = first(root, ['ExchangedDocument', 'IssueDateTime', 'DateTimeString']);
  return read(party('SellerTradeParty'), party('BuyerTradeParty'), {
    number: first(root, ['ExchangedDocument', 'ID']),
    day: day.replace(/^(\d{4})(\d\d)(\d\d)$/u, '$1-$2-$3'),
    type: first(root, ['ExchangedDocument', 'TypeCode']),
    currency,
    amount: first(root, [...sums, 'TaxBasisTotalAmount']),
    vat: ofCurrency(all(root, [...sums, 'TaxTotalAmount']), currency),
    total: first(root, [...sums, 'GrandTotalAmount']),
    due: first(root, [...sums, 'DuePayableAmount']),
    ibans: all(root, [
      ...settlement,
      'SpecifiedTradeSettlementPaymentMeans',
      'PayeePartyCreditorFinancialAccount',
      'IBANID',
    ]),
  });
}

/** UBL 2.1, an invoice or a credit note. */
function readUbl(root: XmlElement): ReadInvoice {
  const currency = first(root, ['DocumentCurrencyCode']);
  const party = (name: string): Party => {
    const path = [name, 'Party'];
    const taxes = all(root, [...path, 'PartyTaxScheme']).filter((tax) => first(tax, ['TaxScheme', 'ID']) !== 'FC');
    return {
      name:
        first(root, [...path, 'PartyLegalEntity', 'RegistrationName']) || first(root, [...path, 'PartyName', 'Name']),
      siren: sirenIn([
        ...all(root, [...path, 'PartyLegalEntity', 'CompanyID']),
        ...all(root, [...path, 'PartyIdentification', 'ID']),
      ]),
      vat: vatIn(taxes.flatMap((tax) => all(tax, ['CompanyID']))),
    };
  };
  return read(party('AccountingSupplierParty'), party('AccountingCustomerParty'), {
    number: first(root, ['ID']),
    day: first(root, ['IssueDate']),
    // Without a type it says by its name what it is.
    type:
      first(root, ['InvoiceTypeCode']) ||
      first(root, ['CreditNoteTypeCode']) ||
      (root.name === 'CreditNote' ? '381' : ''),
    currency,
    amount: first(root, ['LegalMonetaryTotal', 'TaxExclusiveAmount']),
    vat: ofCurrency(all(root, ['TaxTotal', 'TaxAmount']), currency),
    total: first(root, ['LegalMonetaryTotal', 'TaxInclusiveAmount']),
    due: first(root, ['LegalMonetaryTotal', 'PayableAmount']),
    ibans: all(root, ['PaymentMeans', 'PayeeFinancialAccount', 'ID']),
  });
}

type Party = { readonly name: string; readonly siren: string | null; readonly vat: string | null };
type Texts = Record<'number' | 'day' | 'type' | 'currency' | 'amount' | 'vat' | 'total' | 'due', string> & {
  readonly ibans: readonly XmlElement[];
};

function read(seller: Party, buyer: Party, texts: Texts): ReadInvoice {
  return {
    invoice: {
      number: wordsOf(texts.number),
      day: isDay(texts.day) ? texts.day : null,
      type: wordsOf(texts.type),
      currency: wordsOf(texts.currency),
      amount: amountOf(texts.amount),
      vat: amountOf(texts.vat),
      total: amountOf(texts.total),
      due: amountOf(texts.due),
      sellerName: wordsOf(seller.name),
      sellerSiren: seller.siren,
      sellerVat: seller.vat,
      buyerSiren: buyer.siren,
      buyerVat: buyer.vat,
    },
    ibans: texts.ibans.map(({ content }) => content.replaceAll(/\s/gu, '').toUpperCase()).slice(0, EMBEDDED_MAX),
  };
}

function wordsOf(text: string): string | null {
  const words = shortWords(text).slice(0, WORDS_MAX).trim();
  return words === '' ? null : words;
}

/** In cents; null where it says none, or more than the books can have. */
function amountOf(text: string): Cents | null {
  const [, euros] = /^(-?\d{1,9}(?:\.\d{1,2})?)0*$/u.exec(text) ?? [];
  return euros === undefined ? null : fromWire(euros);
}

/** The amount in the invoice's own money: the same tax may be said in another too. */
function ofCurrency(found: readonly XmlElement[], currency: string): string {
  return found.find((one) => [currency, ''].includes(one.attr('currencyID')?.value ?? ''))?.content.trim() ?? '';
}

/** SIREN of a party: its own, or the beginning of its SIRET. */
function sirenIn(ids: readonly XmlElement[]): string | null {
  for (const { content } of ids) {
    const [, digits] = /^(\d{9})(?:\d{5})?$/u.exec(content.replaceAll(/\s/gu, '')) ?? [];
    if (digits !== undefined && parseSiren(digits) !== null) return digits;
  }
  return null;
}

function vatIn(ids: readonly XmlElement[]): string | null {
  const numbers = ids.map(({ content }) => content.replaceAll(/\s/gu, '').toUpperCase());
  return numbers.find((number) => /^[A-Z]{2}[0-9A-Z+*]{2,13}$/u.test(number)) ?? null;
}

function schemeOf(id: XmlElement): string {
  return id.attr('schemeID')?.value ?? '';
}

/** The elements at the end of a path of names, whatever their prefixes. */
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
