import type { Balance } from '@parrain/domain/balance';
import { clientCommissionRecipient, type CommissionPaymentType } from '@parrain/domain/commission';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { balanceRow, balanceToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** The balance of a contract's payee, and what is still kept of the contract's commission (UI-11). */
export interface PayeeBasis {
  balance: Balance;
  kept: Cents;
}

/** Of each side that somebody receives. */
export type CorrectionBasis = Partial<Record<CommissionPaymentType, PayeeBasis>>;

/** Balances that a correction of a contract starts from, for its two payees. */
export function correctionBasisQuery(
  sale: Pick<Sale, 'id' | 'clientReferrerId' | 'friendReferrerId' | 'commercialId'>,
) {
  return queryOptions({
    queryKey: ['balances', 'of-contract', sale.id],
    queryFn: () => readBasis(sale),
    ...live,
  });
}

async function readBasis(sale: Parameters<typeof correctionBasisQuery>[0]): Promise<CorrectionBasis> {
  const payees = { client: clientCommissionRecipient(sale), commercial: sale.commercialId };
  const ids = Object.values(payees).filter((id) => id !== null);
  const client = await supabase();
  const [balances, holds] = await Promise.all([
    client
      .from('balances')
      .select('profile_id,earned,reversed,held,reserved,paid')
      .in('profile_id', ids)
      .then(rowsOf<unknown[]>),
    client
      .from('commission_holds')
      .select('amount,commission:commission_payments!inner(sale_id,type)')
      .eq('commission.sale_id', sale.id)
      .is('ended_at', null)
      .overrideTypes<{ amount: number | string; commission: { type: CommissionPaymentType } }[], { merge: false }>()
      .then(rowsOf),
  ]);
  const rows = balances.map((row) => balanceRow.parse(row));
  const basisOf = (side: CommissionPaymentType): CorrectionBasis => {
    if (payees[side] === null) return {};
    const row = rows.find(({ profile_id: id }) => id === payees[side]);
    const hold = holds.find(({ commission }) => commission.type === side);
    return {
      [side]: { balance: row === undefined ? nothing : balanceToDomain(row), kept: fromWire(hold?.amount ?? 0) },
    };
  };
  return { ...basisOf('client'), ...basisOf('commercial') };
}

/** Balance of a payee who has earned nothing yet, and has no row. */
const nothing: Balance = { earned: 0n, reversed: 0n, held: 0n, reserved: 0n, paid: 0n };
