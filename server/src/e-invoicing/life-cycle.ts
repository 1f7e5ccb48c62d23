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
