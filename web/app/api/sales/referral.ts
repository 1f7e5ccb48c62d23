import type { Sale } from '@parrain/domain/sale';
import { toSale } from './sale-columns.ts';

/** A sale as those who follow it see it: what a later cancellation says of it (S-11) comes with it. */
export interface Referral extends Sale {
  cancellation: { reason: string; at: string } | null;
}

/** The opposite entry of the sale, where its validation was cancelled. */
export const saleCorrection = 'correction:sales!corrects_sale_id(correction_reason,validated_at)';

/** A row read with {@link saleCorrection}, in the domain's words. */
export function toReferral(row: unknown): Referral {
  const { correction } = row as { correction: { correction_reason: string; validated_at: string } | null };
  return {
    ...toSale(row),
    cancellation: correction && { reason: correction.correction_reason, at: correction.validated_at },
  };
}
