import { formatCommissionSide, type CommissionSide } from './commission.ts';
import type { CommissionStep } from './commission-steps.ts';
import { exactly, type ExactAmount } from './exact-amount.ts';
import { divided, formatEuros, type Cents } from './money.ts';
import { plainEuros } from './plain-euros.ts';
import { formatPercent, percentMaxBasisPoints } from './percent.ts';

/** Measures that move a payee up the steps: the sum of their contracts, or how many there are. */
export type StepMeasure = 'revenue' | 'count';

/** The time over which contracts and commissions are counted; a year is a calendar year in France. */
export const stepWindows = ['year', 'quarter', 'lifetime'] as const;
export type StepWindow = (typeof stepWindows)[number];

/** A step beyond the first: cents or contracts done from which it holds, and its rate or amount in the unit of the side. */
export interface ScaleStep {
  readonly from: bigint;
  readonly value: bigint;
}

/** Steps of a side beyond its first, which is the side's own rate or amount (SC-02). */
export interface ScaleSteps {
  readonly measure: StepMeasure;
  /** `slice`: each part at the rate of its step; `reached`: the whole contract at the highest step. A contract that is counted is never cut. */
  readonly mode: 'slice' | 'reached';
  /** The contracts that count: those of this scale, or of all scales. */
  readonly countsOver: 'scale' | 'all';
  /** Rising; at most 23, none at 0. */
  readonly above: readonly ScaleStep[];
}

/** Rules of a side beyond its rate or amount; one that is absent is one that nobody made (SC-02). */
export interface ExtraRules {
  readonly steps?: ScaleSteps;
  /** Of the steps and of `capPeriod`; the year where it is absent. */
  readonly window?: StepWindow;
  readonly capContract?: Cents;
  readonly capPeriod?: Cents;
  readonly minContract?: Cents;
  readonly bonusFirst?: Cents;
}

/** A side with all its rules. */
export type RuledSide = CommissionSide & { readonly extra?: ExtraRules };

/** A scale whose sides have all their rules. */
export interface RuledScale {
  readonly client: RuledSide;
  readonly commercial: RuledSide;
}

/** The most steps of a side, the first one too. */
export const stepsMax = 24;

/** Place of a contract among those of its payee, frozen at its validation. */
export interface Standing {
  /** Cents or contracts of the window before this one, by the measure of the steps. */
  readonly position: bigint;
  readonly isFirst: boolean;
  /** Cents that the cap of the window still allows; null where there is none. */
  readonly capRoom: Cents | null;
}

/** The standing of a payee who has nothing yet. */
export function freshStanding(side: RuledSide): Standing {
  return { position: 0n, isFirst: true, capRoom: side.extra?.capPeriod ?? null };
}

/** A commission and the steps that add up to it. */
export interface Earned {
  readonly amount: Cents;
  readonly steps: readonly CommissionStep[];
}

/**
 * The commission of a contract, zero or above, under all rules of a side (SC-02): smallest contract, rate by steps rounded once, cap of the
 * contract, bonus, cap of the window, in this order. The database computes alike (`private.earned`).
 */
export function earned(contract: Cents, side: RuledSide, at: Standing): Earned {
  const extra = side.extra ?? {};
  if (contract <= 0n) return { amount: 0n, steps: [{ label: 'Rien ne reste du contrat', amount: 0n }] };
  if (extra.minContract !== undefined && contract < extra.minContract) {
    return { amount: 0n, steps: [{ label: `Contrat en dessous de ${plainEuros(extra.minContract)}`, amount: 0n }] };
  }
  const steps = rateSteps(contract, side, at.position > 0n ? at.position : 0n);
  const exact = steps.reduce((sum, step) => sum + step.amount, 0n);
  let amount = divided(exact, exactly(1n));
  const add = (label: string, change: ExactAmount) => {
    if (change !== 0n) steps.push({ label, amount: change });
  };
  add('Arrondi au centime', exactly(amount) - exact);
  if (extra.capContract !== undefined && amount > extra.capContract) {
    add(`Plafond de ${plainEuros(extra.capContract)} par contrat`, exactly(extra.capContract - amount));
    amount = extra.capContract;
  }
  if (extra.bonusFirst !== undefined && at.isFirst) {
    add('Prime du premier contrat', exactly(extra.bonusFirst));
    amount += extra.bonusFirst;
  }
  const room = at.capRoom === null || at.capRoom > 0n ? at.capRoom : 0n;
  if (room !== null && amount > room) {
    add(`Plafond ${windowAdjectives[extra.window ?? 'year']} atteint`, exactly(room - amount));
    amount = room;
  }
  return { amount, steps };
}

/** The steps of the rate, exact, before any rounding. */
function rateSteps(contract: Cents, side: RuledSide, position: bigint): CommissionStep[] {
  const steps = side.extra?.steps;
  if (steps === undefined) {
    const label = side.type === 'fixed' ? 'Montant fixe du barème' : `${formatPercent(side.basisPoints)} du contrat`;
    return [{ label, amount: exactOf(contract, side, baseValue(side)) }];
  }
  if (steps.measure === 'count') {
    const value = valueAt(side, steps, position);
    return [
      {
        label: `${valueText(side, value)} pour le ${ordinal(position + 1n)} contrat`,
        amount: exactOf(contract, side, value),
      },
    ];
  }
  if (steps.mode === 'reached') {
    const value = valueAt(side, steps, position + contract);
    const from = steps.above.findLast((step) => step.from <= position + contract)?.from;
    const reached = from === undefined ? 'premier palier' : `palier de ${plainEuros(from)} atteint`;
    return [{ label: `${valueText(side, value)} du contrat, ${reached}`, amount: exactOf(contract, side, value) }];
  }
  return slices(side, steps, position, position + contract).map(({ part, value }) => ({
    label: `${valueText(side, value)} de ${formatEuros(part)}`,
    amount: part * value,
  }));
}

function slices(side: RuledSide, steps: ScaleSteps, begin: bigint, end: bigint): { part: Cents; value: bigint }[] {
  const all = allSteps(side, steps);
  return all.flatMap(({ from, value }, place) => {
    const until = all[place + 1]?.from;
    const low = from > begin ? from : begin;
    const high = until !== undefined && until < end ? until : end;
    return high > low ? [{ part: high - low, value }] : [];
  });
}

/** All steps of a side, the first one from 0. */
export function allSteps(side: RuledSide, steps: ScaleSteps): readonly ScaleStep[] {
  return [{ from: 0n, value: baseValue(side) }, ...steps.above];
}

function valueAt(side: RuledSide, steps: ScaleSteps, reached: bigint): bigint {
  return steps.above.findLast((step) => step.from <= reached)?.value ?? baseValue(side);
}

function baseValue(side: CommissionSide): bigint {
  return side.type === 'percentage' ? side.basisPoints : side.amount;
}

function exactOf(contract: Cents, side: CommissionSide, value: bigint): ExactAmount {
  return side.type === 'percentage' ? contract * value : exactly(value);
}

/**
 * The way of a payee to their next step once this contract counts: « Après ce contrat, il manque 2 000 € signés dans l’année pour passer à
 * 4 %. » Null without steps and at the last one.
 */
export function nextStepSentence(side: RuledSide, { position }: Standing, contract: Cents): string | null {
  const { steps, window = 'year' } = side.extra ?? {};
  const done = position + (steps?.measure === 'count' ? 1n : contract);
  const next = steps?.above.find(({ from }) => from > done);
  if (steps === undefined || next === undefined) return null;
  const missing = next.from - done;
  const amount =
    steps.measure === 'count'
      ? `${missing} contrat${missing > 1n ? 's' : ''} signé${missing > 1n ? 's' : ''}`
      : `${plainEuros(missing)} signés`;
  return `Après ce contrat, il manque ${amount} ${windowPlaces[window]}pour passer à ${valueText(side, next.value)}.`;
}

/** A side as a sentence reads it: « 3 % jusqu’à 10 000 €, puis 4 % ; plafond de 2 000 € par an » (SC-02). */
export function sideSentence(side: RuledSide): string {
  const { steps, window = 'year', capContract, capPeriod, minContract, bonusFirst } = side.extra ?? {};
  const parts = [steps === undefined ? formatCommissionSide(side) : stepsSentence(side, steps, window)];
  if (minContract !== undefined) parts.push(`rien en dessous de ${plainEuros(minContract)}`);
  if (capContract !== undefined) parts.push(`plafond de ${plainEuros(capContract)} par contrat`);
  if (bonusFirst !== undefined) parts.push(`${plainEuros(bonusFirst)} de plus au premier contrat`);
  if (capPeriod !== undefined) parts.push(`plafond de ${plainEuros(capPeriod)} ${windowRates[window]}`);
  return parts.join('\u00a0; ');
}

function stepsSentence(side: RuledSide, steps: ScaleSteps, window: StepWindow): string {
  const all = allSteps(side, steps);
  const counted = `${windowNouns[window]}${steps.countsOver === 'all' ? ', tous barèmes confondus' : ''}`;
  if (steps.measure === 'count') {
    const ranks = all.map(({ from, value }, place) => {
      const next = all[place + 1]?.from;
      const contracts = place === 0 ? ` contrat ${counted}` : '';
      if (next === undefined) return `${valueText(side, value)} à partir du ${ordinal(from + 1n)}`;
      const range = next === from + 1n ? `pour le ${ordinal(next)}` : `du ${ordinal(from + 1n)} au ${ordinal(next)}`;
      return `${valueText(side, value)} ${range}${contracts}`;
    });
    return ranks.join(', puis ');
  }
  if (steps.mode === 'reached') {
    const reached = steps.above.map(({ from, value }) => `${valueText(side, value)} dès ${plainEuros(from)}`);
    return `${valueText(side, baseValue(side))} du contrat entier, ${reached.join(', ')} de contrats ${counted}`;
  }
  const parts = all.map(({ value }, place) => {
    const next = all[place + 1]?.from;
    return `${valueText(side, value)}${next === undefined ? ' au-delà' : ` jusqu’à ${plainEuros(next)}`}`;
  });
  return `${parts.join(', puis ')}, sur les contrats ${counted}`;
}

/** A side in a few characters: « 3 % à 5 % », « 50,00 € », « plafonné » where a cap is made; the sentence says the rest. */
export function sideShort(side: RuledSide): string {
  const { steps, capContract, capPeriod } = side.extra ?? {};
  const isCapped = capContract !== undefined || capPeriod !== undefined;
  return `${steps === undefined ? formatCommissionSide(side) : spanText(side, steps)}${isCapped ? ', plafonné' : ''}`;
}

function spanText(side: RuledSide, steps: ScaleSteps): string {
  const values = allSteps(side, steps).map(({ value }) => value);
  const least = values.reduce((one, other) => (other < one ? other : one));
  const most = values.reduce((one, other) => (other > one ? other : one));
  return least === most ? valueText(side, least) : `${valueText(side, least)} à ${valueText(side, most)}`;
}

/** The example that reads a side back: « sur 12 000 € : 380,00 € ». The contract is the payee's first. */
export function sideExample(side: RuledSide, contract: Cents): string {
  return `sur ${plainEuros(contract)}\u00a0: ${formatEuros(earned(contract, side, freshStanding(side)).amount)}`;
}

/** A contract that shows what a side's rules change: one and a fifth of its last step, else ten thousand euros. */
export function exampleContract(side: RuledSide): Cents {
  const steps = side.extra?.steps;
  const last = steps?.measure === 'revenue' ? steps.above.at(-1)?.from : undefined;
  return last === undefined ? 1_000_000n : divided(last * 6n, 5n);
}

/** Fault with the rules of a side, in French; null where nothing is. The database refuses the same. */
export function extraRulesFault(side: RuledSide): string | null {
  const { steps, window, ...amounts } = side.extra ?? {};
  if (Object.values(amounts).some((amount) => amount !== undefined && amount <= 0n)) {
    return 'Un plafond, un minimum ou une prime est un montant supérieur à zéro\u00a0: laissez le champ vide s’il n’y en a pas.';
  }
  if (window !== undefined && steps === undefined && amounts.capPeriod === undefined) {
    return 'Une période ne sert qu’avec des paliers ou un plafond par période.';
  }
  return steps === undefined ? null : stepsFault(side, steps);
}

function stepsFault(side: RuledSide, steps: ScaleSteps): string | null {
  const { above, measure, mode } = steps;
  if (above.length === 0) return 'Ajoutez au moins un palier.';
  if (above.length >= stepsMax) return `Un barème a au plus ${stepsMax} paliers.`;
  if (above.some(({ from }, place) => from <= (above[place - 1]?.from ?? 0n))) {
    return 'Chaque palier commence plus haut que le précédent.';
  }
  if (above.some(({ value }) => value <= 0n || (side.type === 'percentage' && value > percentMaxBasisPoints))) {
    return side.type === 'percentage'
      ? 'Le taux d’un palier est compris entre 0,01\u00a0% et 100\u00a0%.'
      : 'Le montant d’un palier est supérieur à zéro.';
  }
  if (measure === 'count' && mode !== 'slice')
    return 'Un palier par nombre de contrats vaut pour le contrat de ce rang.';
  if (side.type === 'fixed' && measure === 'revenue' && mode !== 'reached') {
    return 'Un montant fixe ne se découpe pas par tranche\u00a0: choisissez « au palier atteint ».';
  }
  return null;
}

/** « 3 % » or « 80 € »: a value of a step in the unit of its side. */
function valueText(side: CommissionSide, value: bigint): string {
  return side.type === 'percentage' ? formatPercent(value) : plainEuros(value);
}

function ordinal(rank: bigint): string {
  return rank === 1n ? '1er' : `${rank}e`;
}

const windowAdjectives: Readonly<Record<StepWindow, string>> = {
  year: 'annuel',
  quarter: 'trimestriel',
  lifetime: 'total',
};
const windowRates: Readonly<Record<StepWindow, string>> = {
  year: 'par an',
  quarter: 'par trimestre',
  lifetime: 'en tout',
};
const windowPlaces: Readonly<Record<StepWindow, string>> = {
  year: 'dans l’année ',
  quarter: 'dans le trimestre ',
  lifetime: '',
};
const windowNouns: Readonly<Record<StepWindow, string>> = {
  year: 'de l’année',
  quarter: 'du trimestre',
  lifetime: 'depuis le début',
};

/** Extra rules as a version keeps them: cents, basis points and contracts as numbers; what is absent is not made. */
export interface ExtraRulesJson {
  readonly steps?: readonly { readonly from: number; readonly value: number }[] | undefined;
  readonly measure?: 'count' | undefined;
  readonly mode?: 'reached' | undefined;
  readonly counts_over?: 'all' | undefined;
  readonly window?: 'quarter' | 'lifetime' | undefined;
  readonly cap_contract?: number | undefined;
  readonly cap_period?: number | undefined;
  readonly min_contract?: number | undefined;
  readonly bonus_first?: number | undefined;
}

/** The extra rules that a version keeps; undefined where it has none. */
export function extraRulesOf(json: ExtraRulesJson): ExtraRules | undefined {
  const extra: ExtraRules = {
    ...(json.steps === undefined
      ? {}
      : {
          steps: {
            measure: json.measure ?? 'revenue',
            mode: json.mode ?? 'slice',
            countsOver: json.counts_over ?? 'scale',
            above: json.steps.map(({ from, value }) => ({ from: BigInt(from), value: BigInt(value) })),
          },
        }),
    ...(json.window === undefined ? {} : { window: json.window }),
    ...(json.cap_contract === undefined ? {} : { capContract: BigInt(json.cap_contract) }),
    ...(json.cap_period === undefined ? {} : { capPeriod: BigInt(json.cap_period) }),
    ...(json.min_contract === undefined ? {} : { minContract: BigInt(json.min_contract) }),
    ...(json.bonus_first === undefined ? {} : { bonusFirst: BigInt(json.bonus_first) }),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}

/** The members that the extra rules of a side have in the JSON of a version, each value as a text of JSON. */
export function extraRulesMembers(extra: ExtraRules = {}): Readonly<Record<string, string>> {
  const { steps, window, capContract, capPeriod, minContract, bonusFirst } = extra;
  const members: Record<string, string> = {};
  if (steps !== undefined) {
    members['steps'] = `[${steps.above.map(({ from, value }) => `{"from":${from},"value":${value}}`).join(',')}]`;
    if (steps.measure === 'count') members['measure'] = '"count"';
    if (steps.mode === 'reached') members['mode'] = '"reached"';
    if (steps.countsOver === 'all') members['counts_over'] = '"all"';
  }
  if (window !== undefined && window !== 'year') members['window'] = `"${window}"`;
  if (capContract !== undefined) members['cap_contract'] = String(capContract);
  if (capPeriod !== undefined) members['cap_period'] = String(capPeriod);
  if (minContract !== undefined) members['min_contract'] = String(minContract);
  if (bonusFirst !== undefined) members['bonus_first'] = String(bonusFirst);
  return members;
}

/** The extra rules as a version keeps them. */
export function extraRulesToJson(extra: ExtraRules): ExtraRulesJson {
  return JSON.parse(jsonOf(extraRulesMembers(extra))) as ExtraRulesJson;
}

/** A JSON object of members whose values are texts of JSON: keys in the order of their bytes, no space (`private.canonical_json`). */
export function jsonOf(members: Readonly<Record<string, string>>): string {
  const keys = Object.keys(members).toSorted((one, other) => (one < other ? -1 : 1));
  return `{${keys.map((key) => `"${key}":${members[key] ?? ''}`).join(',')}}`;
}

/** True for a side with a rule beyond its rate or amount. */
export function hasExtraRules(side: RuledSide): boolean {
  return side.extra !== undefined && Object.keys(side.extra).length > 0;
}
