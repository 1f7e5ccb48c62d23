import { commissionAmount, type CommissionSide, type ContractChange } from './commission.ts';
import { exactly, type ExactAmount } from './exact-amount.ts';
import { formatEuros, groupThousands, type Cents } from './money.ts';
import { formatPercent } from './percent.ts';

/** One step of « Pourquoi ? » with its figure (LG-05). */
export interface CommissionStep {
  readonly label: string;
  readonly amount: ExactAmount;
}

/** Steps of a commission's calculation: the contract, then the steps that add up to the commission. */
export interface CommissionSteps {
  /** Amounts that the scale is applied to; not a part of the sum. */
  readonly contract: readonly { readonly label: string; readonly amount: Cents }[];
  readonly steps: readonly CommissionStep[];
  readonly result: { readonly label: string; readonly amount: Cents };
}

/** Fields of a sale that one of its commissions is explained from. */
export interface CommissionFacts {
  /** The terms as the sale keeps them (S-12). */
  readonly terms: CommissionSide;
  /** Below zero of a correction that takes back (S-11); above, of one that adds (UI-11). */
  readonly contractAmount: Cents;
  /** Of a correction in part, what it leaves of the contract (LG-04). */
  readonly contractLeft: Cents | null;
  /** False where nobody receives it: no client referred (M-02). */
  readonly hasPayee: boolean;
}

/**
 * The steps of one commission, in the order in which they are taken: contract, rate or fixed amount, rounding; of a correction, what
 * the scale gives for what is left, less what it gave before (M-01, LG-04). They add up to what the database records.
 */
export function commissionSteps({ terms, hasPayee, ...facts }: CommissionFacts): CommissionSteps {
  const { contract, change } = contractLines(facts);
  if (!hasPayee) return { contract, ...nobodyIsOwed };
  if (change !== null) return { contract, ...correctionSteps(change, terms) };
  return {
    contract,
    steps: shareSteps(facts.contractAmount, terms),
    result: { label: 'Commission', amount: commissionAmount(facts.contractAmount, terms) },
  };
}

/**
 * The same by rules beyond a rate or an amount (SC-02), of which `earned` gives the steps: of a correction, what they give for what is left,
 * less what was counted.
 */
export function ruledSteps(
  facts: ContractFacts,
  earned: (contract: Cents) => { readonly amount: Cents; readonly steps: readonly CommissionStep[] },
): CommissionSteps {
  const { contract, change } = contractLines(facts);
  if (change === null) {
    const { amount, steps } = earned(facts.contractAmount);
    return { contract, steps, result: { label: 'Commission', amount } };
  }
  const [had, has] = [earned(change.before), earned(change.after)];
  return {
    contract,
    steps: [...has.steps, { label: 'Déjà compté', amount: -exactly(had.amount) }],
    result: correctionResult(change, has.amount - had.amount),
  };
}

type ContractFacts = Pick<CommissionFacts, 'contractAmount' | 'contractLeft'>;

/** Amounts that a scale is applied to: the contract, or both ends of its correction. */
function contractLines({ contractAmount, contractLeft }: ContractFacts): {
  readonly contract: CommissionSteps['contract'];
  /** Null of a contract that is validated. */
  readonly change: ContractChange | null;
} {
  // An addition names the resulting contract amount.
  if (contractAmount >= 0n && contractLeft === null) {
    return { contract: [{ label: 'Contrat', amount: contractAmount }], change: null };
  }
  const after = contractLeft ?? 0n;
  const before = after - contractAmount;
  return {
    contract: [
      { label: 'Contrat, avant', amount: before },
      { label: 'Contrat, après', amount: after },
    ],
    change: { before, after },
  };
}

function correctionResult({ before, after }: ContractChange, amount: Cents): CommissionSteps['result'] {
  return { label: after > before ? 'Commission ajoutée' : 'Commission reprise', amount };
}

const nobodyIsOwed = {
  steps: [{ label: 'Personne n’a parrainé', amount: 0n }],
  result: { label: 'Commission', amount: 0n },
} as const;

function shareSteps(contractAmount: Cents, terms: CommissionSide): CommissionStep[] {
  if (terms.type === 'fixed') {
    return [{ label: 'Montant fixe du barème', amount: exactly(commissionAmount(contractAmount, terms)) }];
  }
  const exact = contractAmount * terms.basisPoints;
  const rounding = exactly(commissionAmount(contractAmount, terms)) - exact;
  const share = { label: `${formatPercent(terms.basisPoints)} du contrat`, amount: exact };
  return rounding === 0n ? [share] : [share, { label: 'Arrondi au centime', amount: rounding }];
}

function correctionSteps(change: ContractChange, terms: CommissionSide): Omit<CommissionSteps, 'contract'> {
  const { before, after } = change;
  const had = commissionAmount(before, terms);
  const has = commissionAmount(after, terms);
  const of = (contract: Cents) =>
    terms.type === 'fixed' ? 'montant fixe' : `${formatPercent(terms.basisPoints)} de ${formatEuros(contract)}`;
  return {
    steps: [
      {
        label:
          after === 0n
            ? 'Rien ne reste du contrat'
            : `${after > before ? 'Nouveau montant' : 'Ce qui reste'} : ${of(after)}`,
        amount: exactly(has),
      },
      { label: `Déjà compté : ${of(before)}`, amount: -exactly(had) },
    ],
    result: correctionResult(change, has - had),
  };
}

/** « 123,456 € »: the cents, and as many decimals more as it takes to be exact. */
export function formatExact(amount: ExactAmount): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0{1,4}$/u, '');
  return `${amount < 0n ? '\u2212' : ''}${groupThousands(digits.slice(0, -6))},${decimals}\u00a0€`;
}

/** Sum of the steps: always equal to the result. */
export function sumOfSteps({ steps }: CommissionSteps): ExactAmount {
  return steps.reduce((sum, step) => sum + step.amount, 0n);
}
