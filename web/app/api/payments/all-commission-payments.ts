import type { CommissionPayment } from '@parrain/domain/commission';
import { commissionPaymentRow, commissionPaymentToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';

const pageSize = 25;

/** RE-08: every commission credited, with its recipient and its sale, the newest first. */
export function allCommissionPaymentsQuery(page: PageMark) {
  return queryOptions({
    queryKey: ['commission-payments', 'all', page],
    queryFn: () => readAllCommissionPayments(page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readAllCommissionPayments(page: PageMark): Promise<Page<CommissionPayment>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('commission_payments')
        .select(
          'id,sale_id,recipient_id,type,amount,status,created_at,paid_at,' +
            'recipient:profiles(full_name),sale:sales(referred_contact_name)',
          options,
        ),
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    (row) => commissionPaymentToDomain(commissionPaymentRow.parse(row)),
  );
}
