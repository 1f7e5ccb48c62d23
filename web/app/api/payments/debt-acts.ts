import type { DebtActKind, RepaymentMethod } from '@parrain/domain/debt';
import { fromWire, toWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { downloadExport } from '../company/export-list.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { queryClient } from '../transport/query-client.ts';
import { refresh } from '../transport/refresh.ts';

/** A repayment or a waiver of a payee's debt (AC-05). */
export interface DebtAct {
  id: string;
  kind: DebtActKind;
  amount: Cents;
  /** Its day in the account; null while a waiver waits for another admin. */
  at: string | null;
  reason: string | null;
  decidedBy: string;
  annulledAt: string | null;
}

/** The last acts on one payee's debt, without those that were given up. */
export function debtActsQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['figures', 'debt-acts', payeeId],
    queryFn: async (): Promise<readonly DebtAct[]> => {
      const client = await supabase();
      return rowsOf(
        await client
          .from('debt_acts')
          .select('id,kind,amount,at,reason,decided_by,annulled_at')
          .eq('payee_id', payeeId)
          .is('given_up_at', null)
          .order('created_at', { ascending: false })
          .order('id')
          .limit(20)
          .overrideTypes<Row[], { merge: false }>(),
      ).map((row) => ({
        id: row.id,
        kind: row.kind,
        amount: fromWire(row.amount),
        at: row.at,
        reason: row.reason,
        decidedBy: row.decided_by,
        annulledAt: row.annulled_at,
      }));
    },
    ...live,
  });
}

interface Row {
  id: string;
  kind: DebtActKind;
  amount: number | string;
  at: string | null;
  reason: string | null;
  decided_by: string;
  annulled_at: string | null;
}

/** An adjustment of a payee's account: a dispute's last word, or one that an admin started (LG-06, AC-05). */
export interface Adjustment {
  /** Its thread. */
  id: string;
  /** Below zero where it took. */
  amount: Cents;
  /** Null while it waits for another admin. */
  at: string | null;
  reason: string | null;
  annulledAt: string | null;
}

/** The last adjustments of one payee's account. */
export function adjustmentsOfQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['notices', 'disputes', 'adjustments', payeeId],
    queryFn: async (): Promise<readonly Adjustment[]> => {
      const client = await supabase();
      return rowsOf(
        await client
          .from('disputes')
          .select('id,adjustment,proposed,closed_at,adjustment_annulled_at,messages:dispute_messages(body,created_at)')
          .eq('payee_id', payeeId)
          .or('adjustment.not.is.null,and(opened_by.not.is.null,closed_at.is.null)')
          .order('created_at', { ascending: false })
          .order('id')
          .limit(20)
          .overrideTypes<AdjustmentRow[], { merge: false }>(),
      ).map((row) => ({
        id: row.id,
        amount: fromWire(row.adjustment ?? row.proposed ?? 0),
        at: row.closed_at,
        reason: row.messages.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.body ?? null,
        annulledAt: row.adjustment_annulled_at,
      }));
    },
    ...live,
  });
}

interface AdjustmentRow {
  id: string;
  adjustment: number | string | null;
  proposed: number | string | null;
  closed_at: string | null;
  adjustment_annulled_at: string | null;
  messages: { body: string; created_at: string }[];
}

/** A payee, with the balance and the debt that are on screen. */
export interface SeenAccount {
  payeeId: string;
  /** Below zero where more was paid or asked for than is left. */
  available: Cents;
  debt: Cents;
}

/** Money that a payee paid back. Gives what became of it, in words. */
export function repayDebt(
  { payeeId, debt }: SeenAccount,
  paid: { amount: Cents; method: RepaymentMethod; reference: string | null; paidOn: string | null },
): Promise<string> {
  return decide('debts', {
    action: 'repay',
    payee_id: payeeId,
    amount: toWire(paid.amount),
    method: paid.method,
    reference: paid.reference,
    paid_on: paid.paidOn,
    seen_debt: toWire(debt),
  });
}

/** A debt that is asked for no more. */
export function waiveDebt({ payeeId, debt }: SeenAccount, amount: Cents, reason: string): Promise<string> {
  return decide('debts', {
    action: 'waive',
    payee_id: payeeId,
    amount: toWire(amount),
    reason,
    seen_debt: toWire(debt),
  });
}

/** The other admin's word on a waiver that waits. */
export function decideWaiver(actId: string, confirms: boolean): Promise<string> {
  return decide('debts', { action: confirms ? 'confirm_waiver' : 'give_up_waiver', act_id: actId });
}

/** The opposite of a repayment or a waiver. */
export function annulDebtAct(actId: string, reason: string): Promise<string> {
  return decide('debts', { action: 'annul', act_id: actId, reason });
}

/** An adjustment of an account that an admin starts, below zero where it takes. */
export function startAdjustment(
  { payeeId, available }: SeenAccount,
  adjustment: Cents,
  reason: string,
): Promise<string> {
  return decide('disputes', {
    action: 'adjust',
    payee_id: payeeId,
    direction: adjustment > 0n ? 'more' : 'less',
    amount: toWire(adjustment > 0n ? adjustment : -adjustment),
    reason,
    seen_available: toWire(available),
  });
}

async function decide(name: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const { message } = await callFunction<{ message: string }>(name, { body });
  // The next act is on the balance that this one left.
  await queryClient.invalidateQueries({ queryKey: ['figures', 'payee-account'] });
  refresh();
  return message;
}

/** The receipt of a repayment, as PDF. */
export function downloadReceipt(actId: string, signal: AbortSignal): Promise<File> {
  return downloadExport(`repayments/${actId}.pdf`, { onProgress: () => undefined, signal });
}
