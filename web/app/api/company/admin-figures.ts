import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** The figures of the overview (AD-03, M-04 to M-06) and what waits for the admin, counted by the database. */
export interface AdminCards {
  validatedSalesCount: number;
  revenue: Cents;
  commercialsCount: number;
  clientsCount: number;
  pendingCommissions: Cents;
  paidCommissions: Cents;
  salesToValidateCount: number;
  requestsToDecideCount: number;
  requestsToPayCount: number;
  /** Validations taken back; `validatedSalesCount` is already less them. */
  cancelledValidationsCount: number;
  /** Of requests paid: what truly left the company. */
  paymentsMade: Cents;
  toValidate: Waiting;
  toDecide: Waiting;
  toPay: Waiting;
}

/** Items that wait for a decision: their amount, and when the oldest was made (an ISO instant); null where nothing waits. */
export interface Waiting {
  amount: Cents;
  oldestAt: string | null;
}

export const adminFiguresQuery = queryOptions({ queryKey: ['figures', 'admin'], queryFn: readAdminFigures, ...live });

async function readAdminFigures(): Promise<AdminCards> {
  const client = await supabase();
  const row = rowsOf(await client.rpc('admin_figures').single<Row>());
  return {
    validatedSalesCount: row.validated_sales,
    revenue: fromWire(row.revenue),
    commercialsCount: row.commercials,
    clientsCount: row.clients,
    pendingCommissions: fromWire(row.pending_commissions),
    paidCommissions: fromWire(row.paid_commissions),
    salesToValidateCount: row.sales_to_validate,
    requestsToDecideCount: row.requests_to_decide,
    requestsToPayCount: row.requests_to_pay,
    cancelledValidationsCount: row.cancelled_validations,
    paymentsMade: fromWire(row.payments_made),
    toValidate: { amount: fromWire(row.to_validate_amount), oldestAt: row.oldest_to_validate },
    toDecide: { amount: fromWire(row.to_decide_amount), oldestAt: row.oldest_to_decide },
    toPay: { amount: fromWire(row.to_pay_amount), oldestAt: row.oldest_to_pay },
  };
}

interface Row {
  validated_sales: number;
  revenue: number | string;
  commercials: number;
  clients: number;
  pending_commissions: number | string;
  paid_commissions: number | string;
  sales_to_validate: number;
  requests_to_decide: number;
  requests_to_pay: number;
  cancelled_validations: number;
  payments_made: number | string;
  to_validate_amount: number | string;
  to_decide_amount: number | string;
  to_pay_amount: number | string;
  oldest_to_validate: string | null;
  oldest_to_decide: string | null;
  oldest_to_pay: string | null;
}
