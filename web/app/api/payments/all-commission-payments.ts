import type { CommissionPayment } from '@parrain/domain/commission';
import type { Days } from '@parrain/domain/period';
import { commissionPaymentRow, commissionPaymentToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';

const pageSize = 25;

/** The columns the server sorts by. */
export const commissionPaymentSorts = ['created_at', 'amount'] as const;

export interface AllCommissionPaymentsAsked {
  /** Of the credit. */
  days: Days | null;
  sort: (typeof commissionPaymentSorts)[number];
  desc: boolean;
  page: PageMark;
}

/** RE-08: every commission credited, with its recipient and its sale. */
export function allCommissionPaymentsQuery(asked: AllCommissionPaymentsAsked) {
  return queryOptions({
    queryKey: ['commission-payments', 'all', asked],
    queryFn: () => readAllCommissionPayments(asked),
    placeholderData: previousPage,
    ...live,
  });
}

async function readAllCommissionPayments({
  days,
  sort,
  desc,
  page,
}: AllCommissionPaymentsAsked): Promise<Page<CommissionPayment>> {
  const client = await supabase();
  return readPage(
    (options) =>
      within(
        client
          .from('commission_payments')
          .select(
            'id,sale_id,recipient_id,type,amount,status,created_at,paid_at,' +
              'recipient:profiles(full_name),sale:sales(referred_contact_name)',
            options,
          ),
        'created_at',
        days,
      ),
    {
      mark: page,
      pageSize,
      order: [
        { column: sort, desc },
        { column: 'id', desc: !desc },
      ],
    },
    (row) => commissionPaymentToDomain(commissionPaymentRow.parse(row)),
  );
}
