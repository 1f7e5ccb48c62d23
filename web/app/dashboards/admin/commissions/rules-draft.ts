import type { CommissionSide, CommissionType } from '@parrain/domain/commission';
import { parseEuros, toWire } from '@parrain/domain/money';
import { parsePercent, percentToWire } from '@parrain/domain/percent';
import {
  extraRulesFault,
  extraRulesToJson,
  type ExtraRules,
  type RuledSide,
  type ScaleSteps,
  type StepWindow,
} from '@parrain/domain/scale-rules';

/** The forms of steps that a side may have: none, or one of three. */
export const stepsChoices = ['none', 'slice', 'reached', 'count'] as const;
export type StepsChoice = (typeof stepsChoices)[number];

/** The amounts beyond the steps, each of them optional. */
export const ruleAmounts = ['capContract', 'capPeriod', 'minContract', 'bonusFirst'] as const;
export type RuleAmount = (typeof ruleAmounts)[number];

/** A step as it is typed: « 10 000 » or the 4 of « 4e contrat », and « 4 » percent or euros. */
export interface StepDraft {
  readonly from: string;
  readonly value: string;
}

/** Extra rules of a side as they are typed (SC-02). */
export type RulesDraft = Readonly<Record<RuleAmount, string>> & {
  readonly steps: StepsChoice;
  readonly above: readonly StepDraft[];
  readonly window: StepWindow;
  readonly countsOver: ScaleSteps['countsOver'];
};

export const noRules: RulesDraft = {
  steps: 'none',
  above: [],
  window: 'year',
  countsOver: 'scale',
  capContract: '',
  capPeriod: '',
  minContract: '',
  bonusFirst: '',
};

export const emptyStep: StepDraft = { from: '', value: '' };

/** The rules of a side as a French hand would type them. */
export function draftOf(side: RuledSide | undefined): RulesDraft {
  const extra = side?.extra;
  if (side === undefined || extra === undefined) return noRules;
  const { steps, window = 'year' } = extra;
  const amounts = ruleAmounts.map((key) => [key, typedAmount(extra[key])] as const);
  return {
    ...noRules,
    ...Object.fromEntries(amounts),
    window,
    ...(steps === undefined
      ? {}
      : {
          steps: steps.measure === 'count' ? 'count' : steps.mode,
          countsOver: steps.countsOver,
          above: steps.above.map(({ from, value }) => ({
            from: steps.measure === 'count' ? String(from + 1n) : typedAmount(from),
            value: side.type === 'percentage' ? percentToWire(value).replace('.', ',') : typedAmount(value),
          })),
        }),
  };
}

/** True where something is typed or chosen. */
export function hasRules({ steps, ...draft }: RulesDraft): boolean {
  return steps !== 'none' || ruleAmounts.some((key) => draft[key].trim() !== '');
}

/** The field that a fault stands under: « steps », « capPeriod », « from.0 », « value.3 ». */
export type RuleField = 'steps' | RuleAmount | `${keyof StepDraft}.${number}`;
export type RuleFaults = Partial<Readonly<Record<RuleField, string>>>;

/** The rules that are typed, and what is wrong with them, in French: rules are given where nothing is wrong alone. */
export function readRules(
  draft: RulesDraft,
  type: CommissionType,
): { readonly extra?: ExtraRules | undefined; readonly faults: RuleFaults } {
  const faults: Partial<Record<RuleField, string>> = {};
  const above = draft.steps === 'none' ? [] : readSteps(draft, type, faults);
  const amounts = readAmounts(draft, faults);
  if (Object.keys(faults).length > 0) return { faults };
  const isCount = draft.steps === 'count';
  const extra: ExtraRules = {
    ...(draft.steps === 'none'
      ? {}
      : {
          steps: {
            measure: isCount ? 'count' : 'revenue',
            mode: draft.steps === 'reached' ? 'reached' : 'slice',
            countsOver: draft.countsOver,
            above,
          },
        }),
    ...((draft.steps === 'none' && amounts.capPeriod === undefined) || draft.window === 'year'
      ? {}
      : { window: draft.window }),
    ...amounts,
  };
  // The rate itself has a field of its own, which says what is wrong with it.
  const side: CommissionSide = type === 'percentage' ? { type, basisPoints: 1n } : { type, amount: 1n };
  const fault = extraRulesFault({ ...side, extra });
  if (fault !== null) return { faults: { steps: fault } };
  return { extra: Object.keys(extra).length === 0 ? undefined : extra, faults: {} };
}

function readSteps(
  { steps, above }: RulesDraft,
  type: CommissionType,
  faults: Partial<Record<RuleField, string>>,
): ScaleSteps['above'] {
  let last = 0n;
  return above.map((row, index) => {
    const from = steps === 'count' ? rankBefore(row.from) : parseEuros(row.from);
    const value = type === 'percentage' ? parsePercent(row.value) : parseEuros(row.value);
    if (from === null) {
      faults[`from.${index}`] = steps === 'count' ? 'Un rang\u00a0: 2 au moins.' : 'Un montant en euros.';
    } else if (from <= last) {
      faults[`from.${index}`] = index === 0 ? 'Plus que zéro.' : 'Plus haut que le palier précédent.';
    }
    if (value === null || value === 0n) {
      faults[`value.${index}`] = type === 'percentage' ? 'De 0,01 à 100\u00a0%.' : 'Un montant en euros.';
    }
    last = from ?? last;
    return { from: from ?? 0n, value: value ?? 0n };
  });
}

function readAmounts(
  draft: RulesDraft,
  faults: Partial<Record<RuleField, string>>,
): Partial<Readonly<Record<RuleAmount, bigint>>> {
  return Object.fromEntries(
    ruleAmounts.flatMap((key) => {
      if (draft[key].trim() === '') return [];
      const amount = parseEuros(draft[key]);
      if (amount !== null && amount > 0n) return [[key, amount]];
      faults[key] = 'Un montant supérieur à zéro, ou rien.';
      return [];
    }),
  );
}

/** The contracts before a rank: 3 of « 4 »; null for what is no rank from 2 on. */
function rankBefore(text: string): bigint | null {
  const rank = /^(\d{1,6})\s?e?$/u.exec(text.trim())?.[1];
  return rank === undefined || BigInt(rank) < 2n ? null : BigInt(rank) - 1n;
}

/** The rules as the form's schema takes them; what it refuses where they are not to be sent. */
export function rulesToSend(draft: RulesDraft | undefined, type: CommissionType): unknown {
  if (draft === undefined) return undefined;
  const { extra, faults } = readRules(draft, type);
  if (Object.keys(faults).length > 0) return false;
  return extra === undefined ? undefined : extraRulesToJson(extra);
}

function typedAmount(cents: bigint | undefined): string {
  return cents === undefined ? '' : toWire(cents).replace('.', ',').replace(/,00$/u, '');
}
