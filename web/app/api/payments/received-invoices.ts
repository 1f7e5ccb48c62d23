import { fromWire, type Cents } from '@parrain/domain/money';
import type { Invoiced } from '@parrain/domain/payee-invoice';
import {
  isReceivedReason,
  receivedToDomain,
  type ReceivedInvoice,
  type ReceivedInvoiceRow,
  type ReceivedInvoiceState,
  type ReceivedReason,
} from '@parrain/domain/received-invoice';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';
import { fileOf, type WireFile } from './payee-invoices.ts';

/** Flows come in every few minutes, and one that is of nobody's request tells of itself nowhere else. */
const POLL_MS = 60_000;

/** EI-02: an invoice that the platform brought. */
export interface ReceivedRow {
  id: string;
  state: ReceivedInvoiceState;
  notedAt: string;
  /** Null where the file could not be read. */
  said: ReceivedInvoice | null;
  isCredit: boolean;
  reason: ReceivedReason | null;
  refusalReason: string | null;
  hasFile: boolean;
  payeeName: string | null;
  requestId: string | null;
  /** First day of the commercial's month that it is of. */
  month: string | null;
  /** The answer to its seller, and how it left. */
  told: Told | null;
  /** SIREN of a seller who is no payee, and may be set aside once for all. */
  supplier: string | null;
  /** Open requests, or months by their first day, that it may be of. */
  candidates: readonly Candidate[];
}

/** « accepted » and « refused » are the platform's words on it. */
interface Told {
  code: string;
  state: 'waiting' | 'deposited' | 'accepted' | 'refused';
  words: string | null;
}

/** A supplier whose invoices are set aside by themselves. */
export interface AsideSupplier {
  siren: string;
  name: string | null;
  /** Invoices of theirs that were, and the last time. */
  invoices: number;
  lastAt: string | null;
}

export interface ReceivedInvoices {
  invoices: readonly ReceivedRow[];
  suppliers: readonly AsideSupplier[];
}

export interface Candidate {
  of: Invoiced;
  id: string;
  payeeId: string;
  amount: Cents;
  createdAt: string;
  name: string;
}

export const receivedInvoicesQuery = queryOptions({
  queryKey: ['notices', 'received-invoices'],
  queryFn: async (): Promise<ReceivedInvoices> => {
    const { data } = await callFunction<{ data: { invoices: Row[]; suppliers: SupplierRow[] } }>('e-invoicing', {
      method: 'GET',
      query: { action: 'received' },
    });
    const invoices = data.invoices.map((row) => ({
      id: row.id,
      state: row.state,
      notedAt: row.noted_at,
      said: row.data && receivedToDomain(row.data),
      isCredit: row.is_credit,
      reason: row.reason !== null && isReceivedReason(row.reason) ? row.reason : null,
      refusalReason: row.refusal_reason,
      hasFile: row.has_file,
      payeeName: row.payee_name,
      requestId: row.request_id,
      month: row.month,
      told: row.told,
      supplier: row.supplier,
      candidates: row.candidates.map(({ of, id, payee_id: payeeId, amount, created_at: createdAt, name }) => ({
        of,
        id,
        payeeId,
        amount: fromWire(amount),
        createdAt,
        name,
      })),
    }));
    const suppliers = data.suppliers.map(({ last_at: lastAt, ...supplier }) => ({ ...supplier, lastAt }));
    return { invoices, suppliers };
  },
  refetchInterval: POLL_MS,
  refetchOnWindowFocus: 'always',
});

export async function readReceivedFile(id: string): Promise<File> {
  const { data } = await callFunction<{ data: WireFile }>('e-invoicing', {
    body: { action: 'received_file', received_id: id },
  });
  return fileOf(data);
}

/** Says which request or month it is of. Gives what became of it, in words. */
export async function matchReceived(id: string, { of, id: due, payeeId }: Candidate): Promise<string> {
  return decide({
    action: 'match_received',
    received_id: id,
    ...(of === 'month' ? { payee_id: payeeId, month: due } : { request_id: due }),
  });
}

/** Its sender reads the reason. */
export async function refuseReceived(id: string, reason: string): Promise<string> {
  return decide({ action: 'refuse_received', received_id: id, reason });
}

/** Not of the programme: nothing is said to its sender. */
export async function setAsideReceived(id: string): Promise<string> {
  return decide({ action: 'set_aside_received', received_id: id });
}

/** The same of all that this supplier sent and will send. */
export async function setAsideSupplier(id: string): Promise<string> {
  return decide({ action: 'set_aside_supplier', received_id: id });
}

export async function restoreSupplier(siren: string): Promise<string> {
  return decide({ action: 'restore_supplier', siren });
}

/** Gives the seller's platform the answer that ours would not take. */
export async function answerReceivedAgain(id: string): Promise<string> {
  return decide({ action: 'answer_received_again', received_id: id });
}

async function decide(body: Readonly<Record<string, string>>): Promise<string> {
  try {
    const { message } = await callFunction<{ message: string }>('e-invoicing', { body });
    return message;
  } finally {
    refresh();
  }
}

interface Row {
  id: string;
  state: ReceivedInvoiceState;
  noted_at: string;
  data: ReceivedInvoiceRow | null;
  is_credit: boolean;
  reason: string | null;
  refusal_reason: string | null;
  has_file: boolean;
  payee_name: string | null;
  request_id: string | null;
  month: string | null;
  told: Told | null;
  supplier: string | null;
  candidates: readonly {
    of: Invoiced;
    id: string;
    payee_id: string;
    amount: string;
    created_at: string;
    name: string;
  }[];
}

interface SupplierRow {
  siren: string;
  name: string | null;
  invoices: number;
  last_at: string | null;
}
