import { commissionsOfSale, type Commissions } from '@parrain/domain/commission';
import type { Sale } from '@parrain/domain/sale';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { commissionPreviewQuery, type ValidationPreview } from '#api/sales/preview-commissions';
import type { Scale } from '#api/scales/commission-rates';

/** Commissions that a validation would write. */
export interface Gains {
  /** Undefined as long as the database has not said them. */
  commissions: Commissions | undefined;
  /** Asked where a side has rules that look at what its payee did before (SC-02). */
  preview: UseQueryResult<ValidationPreview> | null;
}

/** Both commissions of a contract under a scale, as the validation will write them. A plain scale asks nobody. */
export function useGains(sale: Sale, scale: Scale | undefined, versionId: string | null): Gains {
  const asks = scale !== undefined && isRich(scale);
  const preview = useQuery({ ...commissionPreviewQuery(sale.id, scale?.id ?? '', versionId), enabled: asks });
  if (asks) return { commissions: preview.data?.commissions, preview };
  const contractAmount = sale.contractAmount ?? 0n;
  return { commissions: scale && commissionsOfSale({ ...sale, contractAmount }, scale.scale), preview: null };
}

/** True of a scale with a side that has more than a rate or an amount. */
export function isRich({ scale: { client, commercial } }: Pick<Scale, 'scale'>): boolean {
  return client.extra !== undefined || commercial.extra !== undefined;
}
