import { fromWire, toWire } from '@parrain/domain/money';
import { companySettings } from '../company/company-settings.ts';
import { supabase } from '../transport/client.ts';
import { queryClient } from '../transport/query-client.ts';
import { rowsOf } from '../transport/read.ts';
import type { SecondDecision } from './second-decisions.ts';

/** Waivers, adjustments and batches that wait, as their tables have them. */
export async function readSecondDecisions(): Promise<readonly SecondDecision[]> {
  const client = await supabase();
  const { releaseAbove } = await queryClient.ensureQueryData(companySettings);
  const of = (kind: SecondDecision['kind']) => (row: Row) => ({
    id: row.id,
    kind,
    askedBy: row.asked_by,
    payeeId: row.payee_id ?? null,
    name: row.payee?.full_name ?? '',
    amount: fromWire(row.amount),
    createdAt: row.created_at,
  });
  const payee = 'payee_id,payee:profiles!payee_id(full_name)';
  const [waivers, adjustments, batches] = await Promise.all([
    client
      .from('debt_acts')
      .select(`id,asked_by:decided_by,amount,created_at,${payee}`)
      .is('at', null)
      .is('given_up_at', null)
      .order('created_at')
      .limit(100)
      .overrideTypes<Row[], { merge: false }>(),
    client
      .from('disputes')
      .select(`id,asked_by:opened_by,amount:proposed,created_at,${payee}`)
      .is('closed_at', null)
      .not('opened_by', 'is', null)
      .order('created_at')
      .limit(100)
      .overrideTypes<Row[], { merge: false }>(),
    // Without an amount any admin releases any batch; a waiver that waited before it was lifted waits still.
    releaseAbove !== null &&
      client
        .from('batch_summaries')
        .select('id,asked_by:made_by,amount:total,created_at')
        .eq('status', 'draft')
        .gt('total', toWire(releaseAbove))
        .order('created_at')
        .limit(100)
        .overrideTypes<Row[], { merge: false }>(),
  ]);
  return [
    ...rowsOf(waivers).map(of('waiver')),
    ...rowsOf(adjustments).map(of('adjustment')),
    ...(batches === false ? [] : rowsOf(batches).map(of('batch'))),
  ];
}

interface Row {
  id: string;
  asked_by: string | null;
  payee_id?: string;
  payee?: { full_name: string } | null;
  amount: number | string;
  created_at: string;
}
