import { commissionAmount, type CommissionSide, type ContractChange } from './commission.ts';
import { formatEuros, groupThousands, type Cents } from './money.ts';
import { formatPercent } from './percent.ts';

/** An amount in ten-thousandths of a cent: a share of a contract is exact in it, before it is rounded. */
export type ExactAmount = bigint;
const EXACT_PER_CENT = 10_000n;

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
export function commissionSteps({ terms, contractAmount, contractLeft, hasPayee }: CommissionFacts): CommissionSteps {
  // An addition names the resulting contract amount.
  if (contractAmount >= 0n && contractLeft === null) {
    const contract = [{ label: 'Contrat', amount: contractAmount }];
    if (!hasPayee) return { contract, ...nobodyIsOwed };
    return {
      contract,
      steps: shareSteps(contractAmount, terms),
      result: { label: 'Commission', amount: commissionAmount(contractAmount, terms) },
    };
  }
  const change = { before: (contractLeft ?? 0n) - contractAmount, after: contractLeft ?? 0n };
  const contract = [
    { label: 'Contrat, avant', amount: change.before },
    { label: 'Contrat, après', amount: change.after },
  ];
  if (!hasPayee) return { contract, ...nobodyIsOwed };
  return { contract, ...correctionSteps(change, terms) };
}

/**
 * The same by rules beyond a rate or an amount (SC-02), of which `earned` gives the steps: of a correction, what they give for what is left,
 * less what was counted.
 */
export function ruledSteps(
  { contractAmount, contractLeft }: Pick<CommissionFacts, 'contractAmount' | 'contractLeft'>,
  earned: (contract: Cents) => { readonly amount: Cents; readonly steps: readonly CommissionStep[] },
): CommissionSteps {
  if (contractAmount >= 0n && contractLeft === null) {
    const { amount, steps } = earned(contractAmount);
    return {
      contract: [{ label: 'Contrat', amount: contractAmount }],
      steps,
      result: { label: 'Commission', amount },
    };
  }
  const change = { before: (contractLeft ?? 0n) - contractAmount, after: contractLeft ?? 0n };
  const [had, has] = [earned(change.before), earned(change.after)];
  return {
    contract: [
      { label: 'Contrat, avant', amount: change.before },
      { label: 'Contrat, après', amount: change.after },
    ],
    steps: [...has.steps, { label: 'Déjà compté', amount: -had.amount * EXACT_PER_CENT }],
    result: {
      label: change.after > change.before ? 'Commission ajoutée' : 'Commission reprise',
      amount: has.amount - had.amount,
    },
  };
}

const nobodyIsOwed = {
  steps: [{ label: 'Personne n’a parrainé', amount: 0n }],
  result: { label: 'Commission', amount: 0n },
} as const;

function shareSteps(contractAmount: Cents, terms: CommissionSide): CommissionStep[] {
  if (terms.type === 'fixed') {
    return [{ label: 'Montant fixe du barème', amount: commissionAmount(contractAmount, terms) * EXACT_PER_CENT }];
  }
  const exact = contractAmount * terms.basisPoints;
  const rounding = commissionAmount(contractAmount, terms) * EXACT_PER_CENT - exact;
  const share = { label: `${formatPercent(terms.basisPoints)} du contrat`, amount: exact };
  return rounding === 0n ? [share] : [share, { label: 'Arrondi au centime', amount: rounding }];
}

function correctionSteps({ before, after }: ContractChange, terms: CommissionSide): Omit<CommissionSteps, 'contract'> {
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
        amount: has * EXACT_PER_CENT,
      },
      { label: `Déjà compté : ${of(before)}`, amount: -had * EXACT_PER_CENT },
    ],
    result: { label: after > before ? 'Commission ajoutée' : 'Commission reprise', amount: has - had },
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

/** The same in exact terms, to compare a sum of steps with a recorded amount. */
export function exactly(cents: Cents): ExactAmount {
  return cents * EXACT_PER_CENT;
}
