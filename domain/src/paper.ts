/** Kinds of numbered papers (PP-02): a receipt or an invoice of a payment, the cancellation of either, or an agent's quarter. */
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

/** Kind of the papers of a series: « R », « AR », « RT », « F552100554 », « A552100554 »; a leading T marks test data. */
export function paperKindOf(series: string): PaperKind {
  const kind = KINDS[/^T?([A-Z]+)\d*$/u.exec(series)?.[1] ?? ''];
  if (kind === undefined) throw new Error(`No paper has the series ${series}`);
  return kind;
}

/** True when the paper cancels another one: its amount counts against the payee. */
export function isTakingBack(kind: PaperKind): boolean {
  return kind === 'annulment' || kind === 'credit';
}
