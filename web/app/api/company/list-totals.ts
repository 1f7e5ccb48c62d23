import type { ExportedListName, ListTotals } from '@parrain/domain/exports';
import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { apiErrorFrom } from '../transport/api-error.ts';
import { live } from '../transport/live.ts';
import { ask } from './export-list.ts';

export interface TotalsOfList {
  rowCount: number;
  /** The sums of the list's amounts over all its rows, by the label of the column in its export. */
  sums: ReadonlyMap<string, Cents>;
}

/** NV-05: what a list adds up to, whole; `query` is `Page.query` of the list on screen. */
export function listTotalsQuery(list: ExportedListName, query: string) {
  return queryOptions({
    queryKey: [tables[list] ?? 'sales', 'totals', list, query],
    queryFn: ({ signal }) => readTotals(list, query, signal),
    ...live,
  });
}

/** The word by which the list's changes are told; those of sales unless said otherwise. */
const tables: Partial<Readonly<Record<ExportedListName, string>>> = {
  'payment-requests': 'payment-requests',
  'own-payment-requests': 'payment_requests',
  'payments-made': 'payment-requests',
  'commission-payments': 'commission-payments',
  'own-commissions': 'commission_payments',
};

async function readTotals(list: ExportedListName, query: string, signal: AbortSignal): Promise<TotalsOfList> {
  const reply = await ask(`/exports/v1/${list}.totals?${query}`, signal);
  const text = await reply.text();
  if (!reply.ok) throw apiErrorFrom(reply.status, text);
  const { row_count: rowCount, sums } = JSON.parse(text) as ListTotals;
  return { rowCount, sums: new Map(Object.entries(sums).map(([label, sum]) => [label, fromWire(sum)])) };
}
