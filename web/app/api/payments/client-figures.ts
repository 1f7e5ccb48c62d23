import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** The figures of the client's cards (CL-02, CL-06, CL-07), counted by the database over what is theirs (CL-10). */
export interface ClientCards {
  friendsInvitedCount: number;
  signedContractsCount: number;
  totalCommissions: Cents;
  validatedCommissions: Cents;
  pendingCommissions: Cents;
  /** The amount available to request (V-16): the server's figure, never computed here. */
  available: Cents;
  /** The debt: payments beyond the commissions still earned (S-11). It blocks further requests. */
  debt: Cents;
  requestsInProgress: Cents;
  requestsInProgressCount: number;
  paymentsReceived: Cents;
  salesGenerated: Cents;
  /** The forecast of a referral without a contract, where the scale in force gives a fixed amount (CL-04). */
  forecastCommission: Cents | null;
}

export function clientFiguresQuery(profileId: string) {
  return queryOptions({ queryKey: ['figures', 'client', profileId], queryFn: readClientFigures, ...live });
}

async function readClientFigures(): Promise<ClientCards> {
  const client = await supabase();
  const row = rowsOf(await client.rpc('client_figures').single<Row>());
  return {
    friendsInvitedCount: row.friends_invited,
    signedContractsCount: row.signed_contracts,
    totalCommissions: fromWire(row.total_commissions),
    validatedCommissions: fromWire(row.validated_commissions),
    pendingCommissions: fromWire(row.pending_commissions),
    available: fromWire(row.available),
    debt: fromWire(row.debt),
    requestsInProgress: fromWire(row.requests_in_progress),
    requestsInProgressCount: row.requests_in_progress_count,
    paymentsReceived: fromWire(row.payments_received),
    salesGenerated: fromWire(row.sales_generated),
    forecastCommission: row.forecast_commission === null ? null : fromWire(row.forecast_commission),
  };
}

interface Row {
  friends_invited: number;
  signed_contracts: number;
  total_commissions: number | string;
  validated_commissions: number | string;
  pending_commissions: number | string;
  available: number | string;
  debt: number | string;
  requests_in_progress: number | string;
  requests_in_progress_count: number;
  payments_received: number | string;
  sales_generated: number | string;
  forecast_commission: number | string | null;
}
