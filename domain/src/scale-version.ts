import { type CommissionSide, type CommissionType } from './commission.ts';
import { formatDate } from './date.ts';
import { formatEuros, type Cents } from './money.ts';
import {
  extraRulesMembers,
  extraRulesOf,
  jsonOf,
  sideSentence,
  type ExtraRulesJson,
  type RuledScale,
  type RuledSide,
} from './scale-rules.ts';
import type { SimulatedTotals } from './scale-simulation.ts';

/** The terms of a version: all of a scale that its form asks for, but its name and description. */
export interface VersionTerms {
  readonly scale: RuledScale;
  /** Days for which the client's commission is kept (LG-03). */
  readonly clientHoldDays: number;
  /** Contracts from this amount on are proposed the scale by themselves (SC-03). */
  readonly fromContractAmount: Cents | null;
  /** The last day in France on which the scale is offered; null where it has none (SC-02). */
  readonly lastDay: string | null;
}

/** A published version of a scale: nothing of it changes any more (SC-01). */
export interface ScaleVersion extends VersionTerms {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly description: string | null;
  /** Its first day in France: « 2026-03-01 ». */
  readonly firstDay: string;
  readonly publishedAt: string;
  /** Null of those that came with the scales of before SC-01. */
  readonly publishedBy: string | null;
  /** Before its first day alone: it never rules. */
  readonly withdrawnAt: string | null;
  /** Totals of its simulation that its admin saw when publishing; null where it was not simulated (SC-05). */
  readonly simulated?: SimulatedTotals | null;
}

/**
 * The version that rules on a day in France, « 2026-03-01 »: the greatest (first day, number) that has begun, else the first one. The
 * database chooses alike (`private.scale_version_on`).
 */
export function versionOn<V extends Pick<ScaleVersion, 'number' | 'firstDay' | 'withdrawnAt'>>(
  versions: readonly V[],
  day: string,
): V | undefined {
  const standing = versions.filter(({ withdrawnAt }) => withdrawnAt === null);
  const begun = standing.filter(({ firstDay }) => firstDay <= day);
  return begun.length > 0
    ? begun.reduce((last, each) => (isAfter(each, last) ? each : last))
    : standing.toSorted((one, other) => one.number - other.number)[0];
}

function isAfter(one: Pick<ScaleVersion, 'number' | 'firstDay'>, other: Pick<ScaleVersion, 'number' | 'firstDay'>) {
  return one.firstDay === other.firstDay ? one.number > other.number : one.firstDay > other.firstDay;
}

/** State of a version on a day. */
export type VersionState = 'in_force' | 'to_come' | 'over' | 'withdrawn';

export const versionStateLabels: Readonly<Record<VersionState, string>> = {
  in_force: 'En vigueur',
  to_come: 'À venir',
  over: 'Passée',
  withdrawn: 'Retirée',
};

export function versionState(version: ScaleVersion, versions: readonly ScaleVersion[], day: string): VersionState {
  if (version.withdrawnAt !== null) return 'withdrawn';
  if (version.id === versionOn(versions, day)?.id) return 'in_force';
  return version.firstDay > day ? 'to_come' : 'over';
}

/** Sentence of what a version changes of another; null where it changes nothing of what is paid and proposed. */
export function versionChanges(before: VersionTerms, after: VersionTerms): string | null {
  const changes: string[] = [];
  for (const [side, label] of [
    ['client', 'client'],
    ['commercial', 'commercial'],
  ] as const) {
    const [was, is] = [sideSentence(before.scale[side]), sideSentence(after.scale[side])];
    if (was !== is) changes.push(`${label} ${is} au lieu de ${was}`);
  }
  if (before.clientHoldDays !== after.clientHoldDays) {
    changes.push(`délai de ${daysText(after.clientHoldDays)} au lieu de ${daysText(before.clientHoldDays)}`);
  }
  if (before.fromContractAmount !== after.fromContractAmount) {
    const threshold = after.fromContractAmount;
    changes.push(threshold === null ? 'plus de seuil' : `proposé à partir de ${formatEuros(threshold)}`);
  }
  if (before.lastDay !== after.lastDay) {
    changes.push(after.lastDay === null ? 'plus de dernier jour' : `dernier jour le ${formatDate(after.lastDay)}`);
  }
  if (changes.length === 0) return null;
  const sentence = changes.join(', ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function daysText(days: number): string {
  return days === 1 ? '1\u00a0jour' : `${days}\u00a0jours`;
}

/** The rules as the database keeps and signs them: rates in basis points, amounts in cents; a rule that is not there is not made. */
export interface VersionRules {
  readonly client: SideRules;
  readonly commercial: SideRules;
  readonly client_hold_days?: number;
  readonly from_contract_amount?: number;
  readonly last_day?: string;
}

export interface SideRules extends ExtraRulesJson {
  readonly kind: CommissionType;
  readonly value: number;
}

/** The terms that the rules of a version say. */
export function termsOf(rules: VersionRules): VersionTerms {
  return {
    scale: { client: ruledSide(rules.client), commercial: ruledSide(rules.commercial) },
    clientHoldDays: rules.client_hold_days ?? 0,
    fromContractAmount: rules.from_contract_amount === undefined ? null : BigInt(rules.from_contract_amount),
    lastDay: rules.last_day ?? null,
  };
}

/** The side that its rules say. */
export function ruledSide({ kind, value, ...json }: SideRules): RuledSide {
  const side: CommissionSide =
    kind === 'percentage' ? { type: kind, basisPoints: BigInt(value) } : { type: kind, amount: BigInt(value) };
  const extra = extraRulesOf(json);
  return extra === undefined ? side : { ...side, extra };
}

/** The one text of a version's terms, which its SHA-256 is of: keys in the order of their bytes, no space (`private.canonical_json`). */
export function canonicalRules({ scale, clientHoldDays, fromContractAmount, lastDay }: VersionTerms): string {
  return jsonOf({
    client: sideText(scale.client),
    commercial: sideText(scale.commercial),
    ...(clientHoldDays === 0 ? {} : { client_hold_days: String(clientHoldDays) }),
    ...(fromContractAmount === null ? {} : { from_contract_amount: String(fromContractAmount) }),
    ...(lastDay === null ? {} : { last_day: `"${lastDay}"` }),
  });
}

function sideText(side: RuledSide): string {
  const value = side.type === 'percentage' ? side.basisPoints : side.amount;
  return jsonOf({ ...extraRulesMembers(side.extra), kind: `"${side.type}"`, value: String(value) });
}
