import { sum, type Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { withRules, type RulesRow, type Scale } from '../scales/commission-rates.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { saleConsents, toCallAnswer, type ConsentsRow } from './call-answer.ts';
import {
  saleFollowUp,
  saleToCorrect,
  toCorrection,
  toFollowUp,
  type CorrectionRequestRow,
  type FollowUpRow,
  type Referral,
} from './referral.ts';
import { termsOfSides, toCommissionTerms, type CommissionTerms, type SideTermsRow } from './commission-terms.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';

/** An entry that takes back a contract, in whole or in part, or adds to it (S-11, LG-04, UI-11). */
export interface SaleCorrection {
  id: string;
  reason: string | null;
  at: string;
  /** Amount that it takes back of the contract, below zero, or adds to it (UI-11). */
  amount: Cents;
  /** Amount that it leaves of the contract: nothing, where it takes back the whole of it. */
  contractLeft: Cents;
  client: Cents;
  commercial: Cents;
}

/** A sale as it is now, and the entries that took it back (S-11, LG-04). */
export interface SaleDetail {
  sale: Sale;
  scaleName: string | null;
  /** Each side of its scale in a few characters: « 3 % à 5 % ». */
  short: Scale['short'] | null;
  /** Terms of a validated contract, of the sides that have rules beyond a rate or an amount (SC-02). */
  terms: CommissionTerms;
  /** Last correction of the contract that the commercial was asked for (UI-11). */
  correction: Referral['correction'];
  /** The commercial's day to call back and private note (TM-05). */
  followUp: Referral['followUp'];
  /** Friend's last answer on how they may be reached (CS-03, UI-03). */
  callAnswer: Referral['callAnswer'];
  /** In the order in which they were made. */
  corrections: readonly SaleCorrection[];
  /** Amount that the corrections leave of the contract. */
  contractLeft: Cents;
}

/** One sale with everything about it, for its side panel (AD-07). */
export function saleQuery(id: string) {
  return queryOptions({ queryKey: ['sales', 'one', id], queryFn: () => readSaleDetail(id), ...live });
}

/** The sale as it is at this instant: what a decision looks at again when it is told that the sale changed (AD-12). */
export async function readSale(id: string): Promise<Sale> {
  return (await readSaleDetail(id)).sale;
}

async function readSaleDetail(id: string): Promise<SaleDetail> {
  const client = await supabase();
  const [row, corrections] = await Promise.all([
    client
      .from('sales')
      .select(
        `${saleColumns},standing,commercial_notes,${saleCommercial},${saleReferrers},${saleFollowUp},${saleToCorrect},${saleConsents},scale:commission_rates(name,client_rules,commercial_rules),terms:sale_terms(${termsOfSides})`,
      )
      .eq('id', id)
      .single<
        ConsentsRow & {
          scale: ({ name: string } & RulesRow) | null;
          terms: { sides: SideTermsRow[] } | null;
          follow_up: FollowUpRow | null;
          correction: CorrectionRequestRow | null;
        }
      >()
      .then(rowsOf),
    client
      .from('sales')
      .select(saleColumns)
      .eq('corrects_sale_id', id)
      // As they were made: the database gives each an instant of its own.
      .order('created_at')
      .then(rowsOf),
  ]);
  const sale = toSale(row);
  const terms = await toCommissionTerms(row.terms?.sides);
  const made = corrections.map((each): SaleCorrection => {
    const correction = toSale(each);
    return {
      id: correction.id,
      reason: correction.correctionReason,
      at: correction.createdAt,
      amount: correction.contractAmount ?? 0n,
      contractLeft: correction.contractLeft ?? 0n,
      client: correction.clientCommissionAmount ?? 0n,
      commercial: correction.commercialCommissionAmount ?? 0n,
    };
  });
  return {
    sale,
    scaleName: row.scale?.name ?? null,
    short: await shortOf(sale, row.scale, terms),
    terms,
    correction: toCorrection(row.correction),
    followUp: toFollowUp(row.follow_up),
    callAnswer: toCallAnswer(row),
    corrections: made,
    contractLeft: (sale.contractAmount ?? 0n) + sum(made.map(({ amount }) => amount)),
  };
}

/** By its own terms once it is validated, by those of its scale until then. */
async function shortOf(sale: Sale, row: RulesRow | null, terms: CommissionTerms): Promise<Scale['short'] | null> {
  if (sale.scale === null) return null;
  const plain = { client_rules: null, commercial_rules: null };
  const { short } = await withRules(sale.scale, sale.adminValidated ? plain : (row ?? plain));
  return { client: terms.client?.short ?? short.client, commercial: terms.commercial?.short ?? short.commercial };
}
