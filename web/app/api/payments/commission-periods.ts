import type { CommissionPeriodStatus } from '@parrain/domain/commission-period';
import { fromWire, toWire, type Cents } from '@parrain/domain/money';
import type { MonthInvoice } from '@parrain/domain/payee-invoice';
import { vatFromWire, type Vat } from '@parrain/domain/vat';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { countOf, rowsOf } from '../transport/read.ts';
import { refresh } from '../transport/refresh.ts';

/** A month of a commercial (PO-05). */
export interface CommissionPeriod {
  payeeId: string;
  fullName: string;
  /** « 2026-11-01 ». */
  month: string;
  /** Balance that the months before left, or owe. */
  carried: Cents;
  /** Amount that the month itself brought. */
  moved: Cents;
  /** Both: what is to be paid at its end, or was. */
  due: Cents;
  status: CommissionPeriodStatus;
  paidAt: string | null;
  /** The batch that it is in, or was. */
  batchId: string | null;
  /** Why the bank rejected its last transfer, or sent it back. */
  rejection: string | null;
  /** Since when its last transfer is back from the bank. */
  returnedAt: string | null;
  /** Paid with it, or to be paid with it; null where there is none (PP-02). */
  vat: Vat | null;
  /** Of who writes their own invoices (AC-04): that of this month; null where none is asked for. */
  invoice: MonthInvoice | null;
}

const columns =
  'payee_id,full_name,month,carried,moved,due,status,paid_at,batch_id,rejection,returned_at,vat_rate,vat_amount,invoice';

/** One page of the commercials of a month, by name. */
export function periodsOfMonthQuery(asked: { month: string; page: PageMark }) {
  return queryOptions({
    queryKey: ['figures', 'commission-periods', 'month', asked],
    queryFn: async (): Promise<Page<CommissionPeriod>> => {
      const client = await supabase();
      return readPage(
        (options) => client.from('commission_periods').select(columns, options).eq('month', asked.month),
        { mark: asked.page, pageSize: 20, order: [{ column: 'full_name' }, { column: 'payee_id' }] },
        toPeriod,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

/** Everybody to whom something is to be paid for a month. */
export function duePeriodsQuery(month: string) {
  return queryOptions({
    queryKey: ['figures', 'commission-periods', 'due', month],
    queryFn: async (): Promise<readonly CommissionPeriod[]> => {
      const client = await supabase();
      const periods = client.from('commission_periods').select(columns).eq('month', month).eq('status', 'due');
      return rowsOf<Row[]>(await periods.order('full_name')).map(toPeriod);
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** Number of commercials who wait to be paid for the last month that is over, and are in no batch. */
export const dueCountQuery = queryOptions({
  queryKey: ['figures', 'commission-periods', 'due-count'],
  queryFn: async (): Promise<number> => {
    const client = await supabase();
    const months = client.from('months_to_pay').select('payee_id', { count: 'exact', head: true });
    return countOf(await months.eq('is_in_batch', false));
  },
  ...live,
});

/** One's own months, the latest first. */
export function ownPeriodsQuery(payeeId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['figures', 'commission-periods', 'own', payeeId, page],
    queryFn: async (): Promise<Page<CommissionPeriod>> => {
      const client = await supabase();
      return readPage(
        (options) => client.from('commission_periods').select(columns, options).eq('payee_id', payeeId),
        { mark: page, pageSize: 12, order: [{ column: 'month', desc: true }] },
        toPeriod,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

/** PO-05: marks a month paid to some commercials, as it was seen, on a day (AC-01); to all of them, or to none. */
export async function payMonth(
  month: string,
  periods: readonly CommissionPeriod[],
  paidOn: string | null,
): Promise<void> {
  await callFunction('payment-batch', {
    body: {
      action: 'pay_month',
      month,
      lines: periods.map(({ payeeId, due, vat }) => ({
        payee_id: payeeId,
        amount: toWire(due),
        vat_amount: vat && toWire(vat.amount),
      })),
      paid_on: paidOn,
    },
  });
  refresh();
}

function toPeriod(found: unknown): CommissionPeriod {
  const row = found as Row;
  return {
    payeeId: row.payee_id,
    fullName: row.full_name,
    month: row.month,
    carried: fromWire(row.carried),
    moved: fromWire(row.moved),
    due: fromWire(row.due),
    status: row.status,
    paidAt: row.paid_at,
    batchId: row.batch_id,
    rejection: row.rejection,
    returnedAt: row.returned_at,
    vat: vatFromWire(row.vat_rate, row.vat_amount),
    invoice: row.invoice,
  };
}

interface Row {
  payee_id: string;
  full_name: string;
  month: string;
  carried: number | string;
  moved: number | string;
  due: number | string;
  status: CommissionPeriodStatus;
  paid_at: string | null;
  batch_id: string | null;
  rejection: string | null;
  returned_at: string | null;
  vat_rate: number | string | null;
  vat_amount: number | string | null;
  invoice: MonthInvoice | null;
}
