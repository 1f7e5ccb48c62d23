import type { BatchLineStatus, BatchStatus } from '@parrain/domain/payment-batch';
import { standingFromWire, type Standing } from '@parrain/domain/standing';
import { vatFromWire, type Vat } from '@parrain/domain/vat';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { Days } from '@parrain/domain/period';
import type { SepaFormat } from '@parrain/domain/sepa';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { countOf, rowsOf } from '../transport/read.ts';
import { within } from '../transport/within.ts';

/** A batch of transfers with its sums (PO-01, PO-02). */
export interface Batch {
  id: string;
  number: number;
  status: BatchStatus;
  version: number;
  createdAt: string;
  /** « 2026-11-24 ». */
  executionOn: string | null;
  format: SepaFormat | null;
  releasedAt: string | null;
  sentAt: string | null;
  settledAt: string | null;
  madeBy: string | null;
  madeByName: string | null;
  releasedByName: string | null;
  lineCount: number;
  paidCount: number;
  rejectedCount: number;
  returnedCount: number;
  total: Cents;
}

export interface BatchLine {
  /** Of the request, or of the line where it pays a month. */
  id: string;
  status: BatchLineStatus;
  reason: string | null;
  amount: Cents;
  clientId: string;
  clientName: string;
  beneficiary: string | null;
  /** Masked. */
  iban: string | null;
  ibanUsableFrom: string | null;
  /** Names of the others who are paid on this account. */
  ibanSharedWith: string | null;
  reference: string;
  /** Of a commercial (PO-05), « 2026-10-01 »; null of a request. */
  month: string | null;
  /** Held by the amount; null where there is none (PP-02). */
  vat: Vat | null;
}

/** An approved transfer, or a month of a commercial (PO-05), that no batch has. */
export interface Transfer {
  id: string;
  /** « 2026-10-01 »; null of a request. */
  month: string | null;
  clientId: string;
  clientName: string;
  amount: Cents;
  beneficiary: string | null;
  iban: string | null;
  createdAt: string;
  isTest: boolean;
  obstacle: string | null;
  ibanUsableFrom: string | null;
  ibanSharedWith: string | null;
  /** Reasons against paying it (DF-40). */
  standing: readonly Standing[];
}

const pageSize = 25;
const batchColumns =
  'id,number,status,version,created_at,execution_on,format,released_at,sent_at,settled_at,made_by,made_by_name,released_by_name,lines,paid,rejected,returned,total';

/** The columns that the server sorts by. */
export const batchSorts = ['created_at', 'lines', 'total', 'status', 'rejected', 'execution_on'] as const;

export interface BatchesAsked {
  status: BatchStatus | 'all';
  /** On which they were made. */
  days: Days | null;
  sort: (typeof batchSorts)[number];
  desc: boolean;
  page: PageMark;
}

/** One page of batches. What changes of requests changes them: they are read anew together. */
export function batchesQuery(asked: BatchesAsked) {
  return queryOptions({
    queryKey: ['payment-requests', 'batches', asked],
    queryFn: async (): Promise<Page<Batch>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          const query = client.from('batch_summaries').select(batchColumns, options);
          return within(asked.status === 'all' ? query : query.eq('status', asked.status), 'created_at', asked.days);
        },
        {
          mark: asked.page,
          pageSize,
          order: [
            // A draft has no day of execution yet.
            { column: asked.sort, desc: asked.desc, ...(asked.sort === 'execution_on' ? { nulls: 'last' } : {}) },
            { column: 'id' },
          ],
        },
        toBatch,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

export function batchQuery(id: string) {
  return queryOptions({
    queryKey: ['payment-requests', 'batch', id],
    queryFn: async (): Promise<Batch> => {
      const client = await supabase();
      return toBatch(rowsOf(await client.from('batch_summaries').select(batchColumns).eq('id', id).single()));
    },
    ...live,
  });
}

/** One page of a batch's lines, by name; those that the search finds. */
export function batchLinesQuery(asked: { batchId: string; search: string; page: PageMark }) {
  return queryOptions({
    queryKey: ['payment-requests', 'batch-lines', asked],
    queryFn: async (): Promise<Page<BatchLine>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          const query = client
            .from('batch_lines')
            .select(
              'id,status,reason,amount,vat_rate,vat_amount,client_id,client_name,beneficiary,iban,reference,iban_usable_from,iban_shared_with,month',
              options,
            )
            .eq('batch_id', asked.batchId);
          return asked.search.trim() === '' ? query : query.or(inTerms(asked.search));
        },
        { mark: asked.page, pageSize, order: [{ column: 'client_name' }, { column: 'id' }] },
        toLine,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

/** Transfers that may be gathered now, by name: the first thousand. */
export const transfersQuery = queryOptions({
  queryKey: ['payment-requests', 'transfers'],
  queryFn: async (): Promise<readonly Transfer[]> => {
    const client = await supabase();
    const rows = rowsOf(
      await client
        .from('transfers_to_make')
        .select(
          'id,client_id,client_name,amount,beneficiary,iban,created_at,is_test,obstacle,iban_usable_from,iban_shared_with,month,standing',
        )
        .order('client_name')
        .order('id')
        .limit(1000),
    ) as readonly TransferRow[];
    return rows.map((row) => ({
      id: row.id,
      month: row.month,
      clientId: row.client_id,
      clientName: row.client_name,
      amount: fromWire(row.amount),
      beneficiary: row.beneficiary,
      iban: row.iban,
      createdAt: row.created_at,
      isTest: row.is_test,
      obstacle: row.obstacle,
      ibanUsableFrom: row.iban_usable_from,
      ibanSharedWith: row.iban_shared_with,
      standing: standingFromWire(row.standing),
    }));
  },
  ...live,
});

/** Number of transfers that no batch has yet. */
export const transfersCountQuery = queryOptions({
  queryKey: ['payment-requests', 'transfers-count'],
  queryFn: async (): Promise<number> => {
    const client = await supabase();
    return countOf(
      await client
        .from('transfers_to_make')
        .select('id', { count: 'exact', head: true })
        // Paid otherwise (DF-43).
        .or('obstacle.is.null,obstacle.not.in.(payroll,no_status)'),
    );
  },
  ...live,
});

interface TransferRow {
  id: string;
  month: string | null;
  client_id: string;
  client_name: string;
  amount: number | string;
  beneficiary: string | null;
  iban: string | null;
  created_at: string;
  is_test: boolean;
  obstacle: string | null;
  iban_usable_from: string | null;
  iban_shared_with: string | null;
  standing: unknown;
}

interface BatchRow {
  id: string;
  number: number;
  status: BatchStatus;
  version: number;
  created_at: string;
  execution_on: string | null;
  format: SepaFormat | null;
  released_at: string | null;
  sent_at: string | null;
  settled_at: string | null;
  made_by: string | null;
  made_by_name: string | null;
  released_by_name: string | null;
  lines: number;
  paid: number;
  rejected: number;
  returned: number;
  total: number | string;
}

function toBatch(found: unknown): Batch {
  const row = found as BatchRow;
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    version: row.version,
    createdAt: row.created_at,
    executionOn: row.execution_on,
    format: row.format,
    releasedAt: row.released_at,
    sentAt: row.sent_at,
    settledAt: row.settled_at,
    madeBy: row.made_by,
    madeByName: row.made_by_name,
    releasedByName: row.released_by_name,
    lineCount: row.lines,
    paidCount: row.paid,
    rejectedCount: row.rejected,
    returnedCount: row.returned,
    total: fromWire(row.total),
  };
}

interface LineRow {
  id: string;
  status: BatchLineStatus;
  reason: string | null;
  amount: number | string;
  client_id: string;
  client_name: string;
  beneficiary: string | null;
  iban: string | null;
  iban_usable_from: string | null;
  iban_shared_with: string | null;
  reference: string;
  month: string | null;
  vat_rate: number | string | null;
  vat_amount: number | string | null;
}

function toLine(found: unknown): BatchLine {
  const row = found as LineRow;
  return {
    id: row.id,
    status: row.status,
    reason: row.reason,
    amount: fromWire(row.amount),
    clientId: row.client_id,
    clientName: row.client_name,
    beneficiary: row.beneficiary,
    iban: row.iban,
    ibanUsableFrom: row.iban_usable_from,
    ibanSharedWith: row.iban_shared_with,
    reference: row.reference,
    month: row.month,
    vat: vatFromWire(row.vat_rate, row.vat_amount),
  };
}
