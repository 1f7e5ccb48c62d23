import { toWire, type Cents } from '@parrain/domain/money';
import { earned, hasExtraRules, nextStepSentence, sideSentence, type Earned } from '@parrain/domain/scale-rules';
import { ruledSide } from '@parrain/domain/scale-version';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';
import { toStanding, type SideTermsRow } from './commission-terms.ts';

/** Commission that its reader would earn of a referral (SC-05). */
export interface OwnPreview extends Earned {
  readonly contract: Cents;
  /** Of rules beyond a rate or an amount: the rules, and the way to the next step after that contract. */
  readonly sentences: readonly string[];
}

/** SC-05: the reader's commission if a referral's contract were signed at an amount, as of now; null while no scale would apply. */
export async function previewOwnCommission(saleId: string, contract: Cents): Promise<OwnPreview | null> {
  const client = await supabase();
  const [row] = rowsOf<Omit<SideTermsRow, 'type'>[]>(
    await client.rpc('preview_own_commission', { p_sale_id: saleId, p_contract_amount: toWire(contract) }),
  );
  if (row === undefined) return null;
  const side = ruledSide(row.rules);
  const at = toStanding(row);
  const rules = hasExtraRules(side) ? `${sideSentence(side)}.` : null;
  const sentences = [rules, nextStepSentence(side, at, contract)].filter((sentence) => sentence !== null);
  return { ...earned(contract, side, at), contract, sentences };
}
