import type { Commissions, CommissionPaymentType } from '@parrain/domain/commission';
import { fromWire } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { toCommissionTerms, type CommissionTerms, type SideTermsRow } from './commission-terms.ts';

/** Commissions of a contract if it were validated now, and where its payees stand (SC-02). */
export interface ValidationPreview {
  readonly commissions: Commissions;
  /** Of the sides that have rules beyond a rate or an amount. */
  readonly terms: CommissionTerms;
}

/** SC-02: what a contract would earn by a scale, or by a version of it, whose rules look at what its payees did before. */
export function commissionPreviewQuery(saleId: string, scaleId: string, versionId: string | null) {
  return queryOptions({
    queryKey: ['sales', 'preview', saleId, scaleId, versionId],
    queryFn: async (): Promise<ValidationPreview> => {
      const client = await supabase();
      const rows = rowsOf<Row[]>(
        await client.rpc('preview_commissions', {
          p_sale_id: saleId,
          p_commission_rate_id: scaleId,
          ...(versionId === null ? {} : { p_scale_version_id: versionId }),
        }),
      );
      const terms = await toCommissionTerms(rows.map((row) => ({ ...row, type: row.side })));
      return { commissions: commissionsOf(rows), terms };
    },
    ...live,
  });
}

/** SC-02: the same of several contracts, validated one after the other in this order. */
export function validationPreviewsQuery(saleIds: readonly string[], scaleId: string) {
  return queryOptions({
    queryKey: ['sales', 'previews', scaleId, ...saleIds],
    queryFn: async (): Promise<ReadonlyMap<string, Commissions>> => {
      const client = await supabase();
      const rows = rowsOf<Row[]>(
        await client.rpc('preview_validations', { p_sale_ids: saleIds, p_commission_rate_id: scaleId }),
      );
      const ids = [...new Set(rows.map((row) => row.sale_id))];
      return new Map(ids.map((id) => [id, commissionsOf(rows.filter((row) => row.sale_id === id))]));
    },
    ...live,
  });
}

function commissionsOf(rows: readonly Row[]): Commissions {
  const of = (side: CommissionPaymentType) => fromWire(rows.find((row) => row.side === side)?.amount ?? 0);
  return { client: of('client'), commercial: of('commercial') };
}

interface Row extends Omit<SideTermsRow, 'type'> {
  sale_id: string;
  side: CommissionPaymentType;
  amount: number | string;
}
