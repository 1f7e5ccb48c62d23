import { queryOptions } from '@tanstack/react-query';
import { supabase } from './client.ts';
import { rowsOf } from './read.ts';

/** What the clean-up would delete: rows that are test data from their birth (P-05). */
export interface TestDataCounts {
  sales: number;
  commissionPayments: number;
  paymentRequests: number;
  commissionRates: number;
  clients: number;
  commercials: number;
}

/** AD-02: what the confirmation names. */
export const testDataCountsQuery = queryOptions({ queryKey: ['test-data'], queryFn: readTestDataCounts, staleTime: 0 });

async function readTestDataCounts(): Promise<TestDataCounts> {
  const client = await supabase();
  const count = async (table: string, role?: string): Promise<number> => {
    let query = client.from(table).select('id', { count: 'exact' }).is('is_test', true);
    if (role !== undefined) query = query.eq('role', role);
    const answer = await query.limit(1);
    return rowsOf(answer).length === 0 ? 0 : (answer.count ?? 0);
  };
  const [sales, commissionPayments, paymentRequests, commissionRates, clients, commercials] = await Promise.all([
    count('sales'),
    count('commission_payments'),
    count('payment_requests'),
    count('commission_rates'),
    count('profiles', 'client'),
    count('profiles', 'commercial'),
  ]);
  return { sales, commissionPayments, paymentRequests, commissionRates, clients, commercials };
}
