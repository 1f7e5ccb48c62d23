import { fromWire, type Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import type { SideTerms, SideTermsRow } from './commission-terms.ts';
import { saleColumns, toSale } from './sale-columns.ts';

const sideColumns = 'type,rules,position,is_first,cap_room';

type Side = 'client' | 'commercial';

/** Data behind the « Pourquoi ? » panel (LG-05). */
export interface CommissionWhy {
  /** Null where the sale is not the reader's: who referred as a client is paid for a friend's referral (CL-10). */
  sale: Sale | null;
  /** The scale's name, where the reader may know it: the admin. */
  scaleName: string | null;
  /** The version that the contract keeps (SC-01); null of a forecast, and of a correction, which has that of its contract. */
  version: { number: number; firstDay: string; chosenReason: string | null } | null;
  /** Rules beyond a rate or an amount, and the standing that was frozen with them: of a correction, those of its contract (SC-02). */
  terms: SideTerms | null;
  /** End of the scale's hold on it, and the amount still kept (LG-03). */
  hold: { until: string; left: Cents; isOver: boolean; isUnderCheck: boolean } | null;
  /** Amounts taken back of it since, or added to it, in chronological order (LG-04, UI-11). */
  corrections: readonly { id: string; at: string; contractLeft: Cents; amount: Cents }[];
}

export function commissionWhyQuery(saleId: string, side: Side) {
  return queryOptions({
    queryKey: ['sales', 'why', saleId, side],
    queryFn: () => readWhy(saleId, side),
    ...live,
  });
}

async function readWhy(saleId: string, side: Side): Promise<CommissionWhy> {
  const client = await supabase();
  const [rows, corrections, holds] = await Promise.all([
    client
      .from('sales')
      .select(
        `${saleColumns},scale:commission_rates(name),terms:sale_terms(number,first_day,chosen_reason,sides:commission_terms(${sideColumns}))`,
      )
      .eq('id', saleId)
      .overrideTypes<{ scale: { name: string } | null; terms: TermsRow | null }[], { merge: false }>()
      .then(rowsOf),
    client.from('sales').select(saleColumns).eq('corrects_sale_id', saleId).order('created_at').then(rowsOf),
    client
      .from('commission_holds')
      .select('until,amount,ended_at,is_under_check,commission:commission_payments!inner(sale_id,type)')
      .eq('commission.sale_id', saleId)
      .eq('commission.type', side)
      .overrideTypes<
        { until: string; amount: number | string; ended_at: string | null; is_under_check: boolean }[],
        { merge: false }
      >()
      .then(rowsOf),
  ]);
  const [row] = rows;
  const [hold] = holds;
  const corrects = row === undefined ? null : toSale(row).correctsSaleId;
  const terms = await termsOf(side, corrects === null ? (row?.terms?.sides ?? []) : await readTerms(corrects));
  return {
    sale: row === undefined ? null : toSale(row),
    scaleName: row?.scale?.name ?? null,
    version: row?.terms
      ? { number: row.terms.number, firstDay: row.terms.first_day, chosenReason: row.terms.chosen_reason }
      : null,
    terms,
    hold: hold
      ? {
          until: hold.until,
          left: fromWire(hold.amount),
          isOver: hold.ended_at !== null,
          isUnderCheck: hold.is_under_check,
        }
      : null,
    corrections: corrections.map((each) => {
      const correction = toSale(each);
      const amount = side === 'client' ? correction.clientCommissionAmount : correction.commercialCommissionAmount;
      return {
        id: correction.id,
        at: correction.createdAt,
        contractLeft: correction.contractLeft ?? 0n,
        amount: amount ?? 0n,
      };
    }),
  };
}

/** Terms of the contract that a correction is of. */
async function readTerms(saleId: string): Promise<SideTermsRow[]> {
  const client = await supabase();
  return rowsOf(
    await client
      .from('commission_terms')
      .select(sideColumns)
      .eq('sale_id', saleId)
      .overrideTypes<SideTermsRow[], { merge: false }>(),
  );
}

/** The code of rules beyond a rate or an amount comes where there are some: « Pourquoi ? » is asked by everybody. */
async function termsOf(side: Side, rows: readonly SideTermsRow[]): Promise<SideTerms | null> {
  if (rows.length === 0) return null;
  const { toCommissionTerms } = await import('./commission-terms.ts');
  return (await toCommissionTerms(rows))[side] ?? null;
}

interface TermsRow {
  number: number;
  first_day: string;
  chosen_reason: string | null;
  sides: SideTermsRow[];
}
