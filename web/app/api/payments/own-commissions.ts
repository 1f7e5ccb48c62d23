import type { CommissionPayment } from '@parrain/domain/commission';
import type { Sale } from '@parrain/domain/sale';
import { commissionPaymentRow, commissionPaymentToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { saleColumns, saleCommercial, toSale } from '../sales/sale-columns.ts';

/** A commission credited to me, with its sale where I may see it: a client referrer is paid for a sale that is not theirs to read. */
export interface OwnCommission extends CommissionPayment {
  sale: Sale | null;
}

const pageSize = 20;

/** RE-09, CL-06, CL-10: the commissions whose recipient I am, the latest first. */
export function ownCommissionsQuery(recipientId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['commission_payments', 'own', recipientId, page],
    queryFn: () => readOwnCommissions(recipientId, page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readOwnCommissions(recipientId: string, page: PageMark): Promise<Page<OwnCommission>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('commission_payments')
        .select(
          `id,sale_id,recipient_id,type,amount,status,created_at,paid_at,sale:sales(${saleColumns},${saleCommercial})`,
          options,
        )
        .eq('recipient_id', recipientId)
        .eq('type', 'client')
        .eq('status', 'paid')
        .not('paid_at', 'is', null),
    { mark: page, pageSize, order: [{ column: 'paid_at', desc: true }, { column: 'id' }] },
    (row) => {
      const { sale } = row as { sale: unknown };
      return {
        ...commissionPaymentToDomain(commissionPaymentRow.parse(row)),
        sale: sale === null ? null : toSale(sale),
      };
    },
  );
}
