import { fromWire, type Cents } from '@parrain/domain/money';
import type { PaidBy, PaymentAct } from '@parrain/domain/payment-made';
import type { Days } from '@parrain/domain/period';
import type { Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';

/** Money that left the company, or came back to it, less than zero. */
export interface PaymentMade {
  id: string;
  at: string;
  act: PaymentAct;
  payeeId: string;
  payeeName: string;
  payeeRole: Role;
  paidBy: string;
  /** Of commissions, before tax. */
  amount: Cents;
  /** Paid with it, or come back with it; null where there is none (PP-02). */
  vatAmount: Cents | null;
  /** The request that was paid, or the commercial's month. */
  sourceId: string;
  reference: string | null;
  /** Why it came back. */
  reason: string | null;
  /** « 2026-10-01 », of a commercial's month. */
  month: string | null;
  batchId: string | null;
  batchNumber: number | null;
}

/** The columns that the server sorts by. */
export const paymentMadeSorts = ['at', 'amount'] as const;

export interface PaymentsMadeAsked {
  /** The payee's name, or a part of the payment's reference. */
  search: string;
  paidBy: PaidBy | null;
  days: Days | null;
  sort: (typeof paymentMadeSorts)[number];
  desc: boolean;
  page: PageMark;
}

/** One page of what was paid. What changes of requests changes it: they are read anew together. */
export function paymentsMadeQuery(asked: PaymentsMadeAsked) {
  return queryOptions({
    queryKey: ['payment-requests', 'made', asked],
    queryFn: async (): Promise<Page<PaymentMade>> => {
      const client = await supabase();
      return readPage(
        (options) => {
          let query = client
            .from('payments_made')
            .select(
              'entry_id,at,act,payee_id,payee_name,payee_role,method,amount,source_id,reference,reason,month,batch_id,batch_number,vat_amount',
              options,
            );
          if (asked.paidBy !== null) query = query.eq('method', asked.paidBy);
          if (asked.search.trim() !== '') query = query.or(inTerms(asked.search));
          return within(query, 'at', asked.days);
        },
        {
          mark: asked.page,
          pageSize: 25,
          order: [
            { column: asked.sort, desc: asked.desc },
            { column: 'entry_id', desc: asked.desc },
          ],
        },
        toPayment,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

function toPayment(found: unknown): PaymentMade {
  const row = found as Row;
  return {
    id: String(row.entry_id),
    at: row.at,
    act: row.act,
    payeeId: row.payee_id,
    payeeName: row.payee_name,
    payeeRole: row.payee_role,
    paidBy: row.method,
    amount: fromWire(row.amount),
    vatAmount: row.vat_amount === null ? null : fromWire(row.vat_amount),
    sourceId: row.source_id,
    reference: row.reference,
    reason: row.reason,
    month: row.month,
    batchId: row.batch_id,
    batchNumber: row.batch_number,
  };
}

interface Row {
  entry_id: number;
  at: string;
  act: PaymentAct;
  payee_id: string;
  payee_name: string;
  payee_role: Role;
  method: string;
  amount: number | string;
  vat_amount: number | string | null;
  source_id: string;
  reference: string | null;
  reason: string | null;
  month: string | null;
  batch_id: string | null;
  batch_number: number | null;
}
