import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { saleFollowUp, toFollowUp, type FollowUpRow, type Referral } from './referral.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';

/** A sale as it is now, and the entry that took it back where its validation was cancelled (S-11). */
export interface SaleDetail {
  sale: Sale;
  scaleName: string | null;
  /** The commercial's day to call back and private note (TM-05). */
  followUp: Referral['followUp'];
  correction: { id: string; reason: string | null; at: string } | null;
}

/** One sale with everything about it, for its side panel (AD-07). */
export function saleQuery(id: string) {
  return queryOptions({ queryKey: ['sales', 'one', id], queryFn: () => readSaleDetail(id), ...live });
}

/** The sale as it is at this instant: what a decision looks at again when it is told that the sale changed (AD-12). */
export async function readSale(id: string): Promise<Sale> {
  return (await readSaleDetail(id)).sale;
}

async function readSaleDetail(id: string): Promise<SaleDetail> {
  const client = await supabase();
  const [row, corrections] = await Promise.all([
    client
      .from('sales')
      .select(
        `${saleColumns},commercial_notes,${saleCommercial},${saleReferrers},${saleFollowUp},scale:commission_rates(name)`,
      )
      .eq('id', id)
      .single<{
        scale: { name: string } | null;
        follow_up: FollowUpRow | null;
      }>()
      .then(rowsOf),
    client
      .from('sales')
      .select('id,correction_reason,created_at')
      .eq('corrects_sale_id', id)
      .limit(1)
      .overrideTypes<{ id: string; correction_reason: string | null; created_at: string }[], { merge: false }>()
      .then(rowsOf),
  ]);
  const [correction] = corrections;
  return {
    sale: toSale(row),
    scaleName: row.scale?.name ?? null,
    followUp: toFollowUp(row.follow_up),
    correction: correction
      ? { id: correction.id, reason: correction.correction_reason, at: correction.created_at }
      : null,
  };
}
