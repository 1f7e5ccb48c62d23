import type { CommissionPaymentType } from '@parrain/domain/commission';
import type { LedgerAccount, LedgerAct } from '@parrain/domain/ledger';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { PaymentMethod, PaymentRequestStatus } from '@parrain/domain/payment-request';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';

/** A transfer of a payee's account, as the ledger has it (LG-02). */
export interface AccountLine {
  id: string;
  at: string;
  act: LedgerAct;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: Cents;
  /** Change of the available balance, below zero where it falls; zero where money moves elsewhere. */
  change: Cents;
  /** Available balance after it, owed where it is below zero (M-08, S-11). */
  available: Cents;
  /** The commission or the request that it comes from. */
  sourceId: string;
  /** The sale of a commission; null on a request. */
  saleId: string | null;
  /** Side of that sale that the line belongs to. */
  side: CommissionPaymentType;
  /** Null where the sale is not the reader's (CL-10), and on a request. */
  contactName: string | null;
  /** Means of a debt that was paid back (AC-05). */
  repaymentMethod: string | null;
  /** Of a request only. */
  paymentMethod: PaymentMethod | null;
  requestStatus: PaymentRequestStatus | null;
  /** Why a commission was taken back or a request refused. */
  reason: string | null;
}

export interface AccountLinesAsked {
  payeeId: string;
  /** Only lines that change what is available: a payee's own statement. */
  isStatement: boolean;
  page: PageMark;
}

const pageSize = 20;
const columns =
  'entry_id,at,act,debit,credit,amount,detail,change,available,source_id,sale_id,contact_name,payment_method,request_status,reason,repayment_method';

/** One payee's account, the latest line first. */
export function accountLinesQuery(asked: AccountLinesAsked) {
  return queryOptions({
    queryKey: ['figures', 'account-lines', asked],
    queryFn: () => readAccountLines(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One line of an account. */
export function accountLineQuery(payeeId: string, entryId: string) {
  return queryOptions({
    queryKey: ['figures', 'account-line', payeeId, entryId],
    queryFn: async (): Promise<AccountLine> => {
      const client = await supabase();
      return toLine(
        rowsOf(
          await client.from('account_lines').select(columns).eq('payee_id', payeeId).eq('entry_id', entryId).single(),
        ),
      );
    },
    ...live,
  });
}

/** The line with which a request set its amount aside. */
export function requestLineQuery(payeeId: string, requestId: string) {
  return queryOptions({
    queryKey: ['figures', 'request-line', requestId],
    queryFn: async (): Promise<AccountLine> => {
      const client = await supabase();
      const lines = client.from('account_lines').select(columns).eq('payee_id', payeeId).eq('source_id', requestId);
      return toLine(rowsOf(await lines.eq('act', 'request').single()));
    },
    ...live,
  });
}

async function readAccountLines({ payeeId, isStatement, page }: AccountLinesAsked): Promise<Page<AccountLine>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client.from('account_lines').select(columns, options).eq('payee_id', payeeId);
      return isStatement ? query.neq('change', 0) : query;
    },
    { mark: page, pageSize, order: [{ column: 'entry_id', desc: true }] },
    toLine,
  );
}

function toLine(found: unknown): AccountLine {
  const row = found as Row;
  return {
    id: String(row.entry_id),
    at: row.at,
    act: row.act,
    debit: row.debit,
    credit: row.credit,
    amount: fromWire(row.amount),
    change: fromWire(row.change),
    available: fromWire(row.available),
    sourceId: row.source_id,
    saleId: row.sale_id,
    // Only a client's commission is kept for some days: its end names no side.
    side: row.detail === 'commercial' ? 'commercial' : 'client',
    contactName: row.contact_name,
    repaymentMethod: row.repayment_method,
    paymentMethod: row.payment_method,
    requestStatus: row.request_status,
    reason: row.reason,
  };
}

interface Row {
  entry_id: number | string;
  at: string;
  act: LedgerAct;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number | string;
  change: number | string;
  available: number | string;
  detail: string | null;
  source_id: string;
  sale_id: string | null;
  contact_name: string | null;
  repayment_method: string | null;
  payment_method: PaymentMethod | null;
  request_status: PaymentRequestStatus | null;
  reason: string | null;
}
