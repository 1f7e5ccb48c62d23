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
  /** Amounts that disputes gave, less those they took (LG-06). */
  adjusted: Cents;
  /** Debts that they paid back (AC-05). */
  repaid: Cents;
  /** Kept for some days by the scale, not available yet (LG-03). */
  held: Cents;
  /** The debt: payments beyond the commissions still earned (S-11). It blocks further requests. */
  debt: Cents;
  requestsInProgress: Cents;
  requestsInProgressCount: number;
  paymentsReceived: Cents;
  salesGenerated: Cents;
  /** Contracts signed according to the commercial, which the company has not validated: their count, and their share of `salesGenerated`. */
  contractsToValidateCount: number;
  salesToValidate: Cents;
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
    adjusted: fromWire(row.adjusted),
    repaid: fromWire(row.repaid),
    held: fromWire(row.held),
    debt: fromWire(row.debt),
    requestsInProgress: fromWire(row.requests_in_progress),
    requestsInProgressCount: row.requests_in_progress_count,
    paymentsReceived: fromWire(row.payments_received),
    salesGenerated: fromWire(row.sales_generated),
    contractsToValidateCount: row.contracts_to_validate,
    salesToValidate: fromWire(row.sales_to_validate_amount),
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
  adjusted: number | string;
  held: number | string;
  repaid: number | string;
  debt: number | string;
  requests_in_progress: number | string;
  requests_in_progress_count: number;
  payments_received: number | string;
  sales_generated: number | string;
  contracts_to_validate: number;
  sales_to_validate_amount: number | string;
  forecast_commission: number | string | null;
}
