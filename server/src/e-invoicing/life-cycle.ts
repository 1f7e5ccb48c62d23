import { escaped } from '#platform/html';

import { shortWords } from './platform-client.ts';

/** A step of an invoice's life, as a CDAR message says it. */
export type LifeCycleStep = {
  /** The invoice's number. */
  readonly invoice: string;
  /** « 205 ». */
  readonly code: string;
  /** Reasons that it gives; empty where it gives none. */
  readonly words: string;
};

/** Steps in a CDAR message (UN/CEFACT CrossDomainAcknowledgementAndResponse): each invoice that it refers to, with what it says of it. */
export function lifeCycleSteps(xml: string): readonly LifeCycleStep[] {
  return blocksOf(xml, 'ReferenceReferencedDocument').flatMap((document) => {
    const invoice = textOf(document, 'IssuerAssignedID');
    const code = textOf(document, 'ProcessConditionCode');
    if (invoice === null || code === null || !/^\d{3}$/u.test(code)) return [];
    const reasons = blocksOf(document, 'SpecifiedDocumentStatus').map((status) =>
      ['ReasonCode', 'Reason']
        .map((name) => textOf(status, name))
        .filter((text) => text !== null)
        .join(' : '),
    );
    return [{ invoice, code, words: shortWords(reasons.filter((words) => words !== '').join(' ; ')) }];
  });
}

function blocksOf(xml: string, name: string): readonly string[] {
  const block = new RegExp(String.raw`<(?:[\w-]+:)?${name}(?:\s[^>]*)?>([\s\S]*?)</(?:[\w-]+:)?${name}>`, 'gu');
  return [...xml.matchAll(block)].map(([, content = '']) => content);
}

function textOf(xml: string, name: string): string | null {
  const text = blocksOf(xml, name)[0]
    ?.replaceAll(/<[^>]*>/gu, '')
    .trim();
  return text === undefined || text === '' ? null : unescaped(text);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/gu, (_, name: string) => ENTITIES[name] ?? '');
}

/** Word of the buyer on an invoice that came in. */
export type BuyerStatus = {
  /** « 205 » (approved) or « 210 » (refused). */
  readonly code: string;
  readonly words: string;
  /** Why it is refused. */
  readonly reason: string | null;
  readonly at: Date;
  readonly id: string;
  readonly buyerSiren: string;
  readonly sellerSiren: string | null;
  readonly invoice: { readonly number: string; readonly day: string | null; readonly type: string };
};

/** A CDAR message that says a step of the life of an invoice of a seller's (decision 0103 says what is assumed of it). */
export function lifeCycleMessage(status: BuyerStatus): Buffer {
  const { code, words, reason, at, id, buyerSiren, sellerSiren, invoice } = status;
  const tag = (name: string, content: string, attributes = ''): string =>
    `<ram:${name}${attributes}>${content}</ram:${name}>`;
  const day = (name: string, space: 'udt' | 'qdt', digits: string, format: '102' | '204'): string =>
    tag(name, `<${space}:DateTimeString format="${format}">${digits}</${space}:DateTimeString>`);
  const party = (name: string, siren: string, role: 'BY' | 'SE'): string =>
    tag(name, tag('GlobalID', siren, ' schemeID="0002"') + tag('RoleCode', role));
  const instant = at.toISOString().replaceAll(/\D/gu, '').slice(0, 14);
  const why =
    reason === null
      ? ''
      : tag('SpecifiedDocumentStatus', tag('ReasonCode', 'AUTRE') + tag('Reason', escaped(shortWords(reason))));
  const document =
    tag('IssuerAssignedID', escaped(invoice.number)) +
    tag('TypeCode', escaped(invoice.type)) +
    (invoice.day === null ? '' : day('FormattedIssueDateTime', 'qdt', invoice.day.replaceAll('-', ''), '102')) +
    tag('ProcessConditionCode', code) +
    tag('ProcessCondition', escaped(words)) +
    (sellerSiren === null ? '' : party('IssuerTradeParty', sellerSiren, 'SE')) +
    why;
  return Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<rsm:CrossDomainAcknowledgementAndResponse xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100" ' +
      'xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" ' +
      'xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100" ' +
      'xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100">' +
      `<rsm:ExchangedDocument>${tag('ID', id)}${day('IssueDateTime', 'udt', instant, '204')}` +
      `${party('SenderTradeParty', buyerSiren, 'BY')}${party('IssuerTradeParty', buyerSiren, 'BY')}` +
      `${sellerSiren === null ? '' : party('RecipientTradeParty', sellerSiren, 'SE')}</rsm:ExchangedDocument>` +
      `<rsm:AcknowledgementDocument>${tag('TypeCode', '23')}${day('IssueDateTime', 'udt', instant, '204')}` +
      `${tag('ReferenceReferencedDocument', document)}</rsm:AcknowledgementDocument>` +
      '</rsm:CrossDomainAcknowledgementAndResponse>\n',
  );
}
