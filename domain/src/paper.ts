/** What a numbered paper is (PP-02): a receipt or an invoice of a payment, what takes one of them back, or an agent's quarter. */
export type PaperKind = 'receipt' | 'annulment' | 'invoice' | 'credit' | 'quarter';

export const paperKindLabels: Readonly<Record<PaperKind, string>> = {
  receipt: 'Reçu',
  annulment: 'Annulation de reçu',
  invoice: 'Autofacture',
  credit: 'Avoir',
  quarter: 'Relevé trimestriel',
};

const KINDS: Readonly<Record<string, PaperKind>> = {
  R: 'receipt',
  AR: 'annulment',
  F: 'invoice',
  A: 'credit',
  RT: 'quarter',
};

/** What the papers of a series are: « R », « AR », « RT », « F552100554 », « A552100554 »; a T before it is of test data. */
export function paperKindOf(series: string): PaperKind {
  const kind = KINDS[/^T?([A-Z]+)\d*$/u.exec(series)?.[1] ?? ''];
  if (kind === undefined) throw new Error(`No paper has the series ${series}`);
  return kind;
}

/** Whether it takes back what another paper said: its amount counts against the payee. */
export function isTakingBack(kind: PaperKind): boolean {
  return kind === 'annulment' || kind === 'credit';
}
