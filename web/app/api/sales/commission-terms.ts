import type { CommissionPaymentType } from '@parrain/domain/commission';
import type { Cents } from '@parrain/domain/money';
import type { Earned, Standing } from '@parrain/domain/scale-rules';
import type { SideRules } from '@parrain/domain/scale-version';

/** Rules of a side that are more than a rate or an amount, and where its payee stands (SC-02). */
export interface SideTerms {
  /** « 3 % à 5 % ». */
  readonly short: string;
  /** The rules, and what is missing after that contract until the next step. */
  readonly sentence: (contract: Cents) => string;
  /** The commission of an amount of the contract, with its steps. */
  readonly earned: (contract: Cents) => Earned;
  /** Its steps in a line: « 3 % de 2 000,00 € + 4 % de 3 000,00 € ». */
  readonly stepsText: (contract: Cents) => string;
}

/** Rules that a sale's commissions are computed with, of the sides that have such rules and that the reader may know. */
export type CommissionTerms = Partial<Readonly<Record<CommissionPaymentType, SideTerms>>>;

/** Relation of `sale_terms` that `toCommissionTerms` reads. */
export const termsOfSides = 'sides:commission_terms(type,rules,position,is_first,cap_room)';

export interface SideTermsRow {
  type: CommissionPaymentType;
  rules: SideRules;
  position: number | null;
  is_first: boolean | null;
  cap_room: number | null;
}

/** The terms of some rows. The code of rules comes where there are some. */
export async function toCommissionTerms(rows: readonly SideTermsRow[] = []): Promise<CommissionTerms> {
  const ruled = rows.filter(({ rules }) => Object.keys(rules).length > 2);
  if (ruled.length === 0) return {};
  const [{ ruledSide }, engine] = await Promise.all([
    import('@parrain/domain/scale-version'),
    import('@parrain/domain/scale-rules'),
  ]);
  return Object.fromEntries(
    ruled.map((row): [CommissionPaymentType, SideTerms] => {
      const side = ruledSide(row.rules);
      const at = toStanding(row);
      const earned = (contract: Cents) => engine.earned(contract, side, at);
      return [
        row.type,
        {
          short: engine.sideShort(side),
          sentence: (contract) =>
            [engine.sideSentence(side), engine.nextStepSentence(side, at, contract)].filter(Boolean).join('. '),
          earned,
          stepsText: (contract) => lineOf(earned(contract)),
        },
      ];
    }),
  );
}

/** The steps but the rounding, which « Pourquoi ? » tells. */
function lineOf({ steps }: Earned): string {
  const said = steps.filter(({ label }) => label !== 'Arrondi au centime');
  return said
    .map(({ label, amount }, place) => `${place === 0 ? '' : amount < 0n ? '\u00a0; ' : ' + '}${label}`)
    .join('');
}

/** A rule that nobody made asks for no standing: it is the same whatever it is. */
export function toStanding({
  position,
  is_first: isFirst,
  cap_room: capRoom,
}: Pick<SideTermsRow, 'position' | 'is_first' | 'cap_room'>): Standing {
  return {
    position: BigInt(position ?? 0),
    isFirst: isFirst ?? false,
    capRoom: capRoom === null ? null : BigInt(capRoom),
  };
}
