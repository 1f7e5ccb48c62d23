import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** The figures of the commercial's cards (CO-04, CO-08), counted by the database over what they may see. */
export interface CommercialCards {
  clientsCount: number;
  referralsCount: number;
  signedContractsCount: number;
  revenue: Cents;
  validatedContractsCount: number;
  validatedRevenue: Cents;
  commissionsEarned: Cents;
  commissionsPending: Cents;
  /** Of contracts transmitted for validation: a forecast (CO-10). */
  commissionsForecast: Cents;
  transmittedContractsCount: number;
  /** Referrals that wait for the commercial's next move. */
  toFollowUpCount: number;
  /** Validations that the company took back; the validated contracts are already less them. */
  cancelledValidationsCount: number;
}

export function commercialFiguresQuery(profileId: string) {
  return queryOptions({ queryKey: ['figures', 'commercial', profileId], queryFn: readCommercialFigures, ...live });
}

async function readCommercialFigures(): Promise<CommercialCards> {
  const client = await supabase();
  const row = rowsOf(await client.rpc('commercial_figures').single<Row>());
  return {
    clientsCount: row.clients,
    referralsCount: row.referrals,
    signedContractsCount: row.signed_contracts,
    revenue: fromWire(row.revenue),
    validatedContractsCount: row.validated_contracts,
    validatedRevenue: fromWire(row.validated_revenue),
    commissionsEarned: fromWire(row.commissions_earned),
    commissionsPending: fromWire(row.commissions_pending),
    commissionsForecast: fromWire(row.commissions_forecast),
    transmittedContractsCount: row.transmitted_contracts,
    toFollowUpCount: row.to_follow_up,
    cancelledValidationsCount: row.cancelled_validations,
  };
}

interface Row {
  clients: number;
  referrals: number;
  signed_contracts: number;
  revenue: number | string;
  validated_contracts: number;
  validated_revenue: number | string;
  commissions_earned: number | string;
  commissions_pending: number | string;
  commissions_forecast: number | string;
  transmitted_contracts: number;
  to_follow_up: number;
  cancelled_validations: number;
}
