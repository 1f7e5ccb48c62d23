import * as z from 'zod/mini';
import { commissionTypes, type CommissionSide, type CommissionType } from '../commission.ts';
import * as messages from '../messages.ts';
import { parseEuros, toWire, type Cents } from '../money.ts';
import { parsePercent } from '../percent.ts';
import {
  extraRulesFault,
  extraRulesOf,
  extraRulesToJson,
  type ExtraRules,
  type ExtraRulesJson,
  type RuledScale,
  stepsMax,
  type RuledSide,
} from '../scale-rules.ts';
import { commissionSideToWire } from '../wire.ts';
import { optionalDay } from './scale-version.ts';
import { across, choice, optionalAmount, optionalText, rawAmount, refuse, report, requiredLine } from './fields.ts';

/** A barème being created (AD-08). */
export interface CommissionScaleInput {
  readonly name: string;
  readonly description: string | null;
  readonly scale: RuledScale;
  /** LG-03; none where nothing was said. */
  readonly clientHoldDays: number;
  /** SC-03; null where nothing was said. */
  readonly fromContractAmount: Cents | null;
  /** The last day in France on which it is offered, « 2026-12-31 »; null where it has none (SC-02). */
  readonly lastDay: string | null;
}

type RawAmount = string | number | null | undefined;

/** The « Nouveau barème » form and the payload of create_commission_rate (V-02, V-03, V-17, F-07). */
export const commissionScaleForm = z.pipe(
  z
    .object({
      name: requiredLine(messages.requiredFieldsMissing),
      description: optionalText(),
      client_commission_type: choice(commissionTypes, messages.commissionTypeInvalid),
      client_commission_amount: rawAmount,
      commercial_commission_type: choice(commissionTypes, messages.commissionTypeInvalid),
      commercial_commission_amount: rawAmount,
      client_hold_days: holdDays(),
      from_contract_amount: threshold(),
      client_rules: extraRules(),
      commercial_rules: extraRules(),
      last_day: optionalDay,
    })
    .check(
      across((form: RawScale, context) => {
        const client = sideOf(form.client_commission_type, form.client_commission_amount);
        const commercial = sideOf(form.commercial_commission_type, form.commercial_commission_amount);
        if (typeof client === 'string') {
          report(context, issues[client].client, ['client_commission_amount']);
        }
        if (typeof commercial === 'string') {
          report(context, issues[commercial].commercial, ['commercial_commission_amount']);
        }
        for (const [side, extra, field] of [
          [client, form.client_rules, 'client_rules'],
          [commercial, form.commercial_rules, 'commercial_rules'],
        ] as const) {
          const fault = typeof side === 'string' || extra === undefined ? null : extraRulesFault({ ...side, extra });
          if (fault !== null) report(context, fault, [field]);
        }
      }),
    ),
  z.transform((form): CommissionScaleInput => ({
    name: form.name,
    description: form.description,
    scale: {
      client: ruled(validSide(form.client_commission_type, form.client_commission_amount), form.client_rules),
      commercial: ruled(
        validSide(form.commercial_commission_type, form.commercial_commission_amount),
        form.commercial_rules,
      ),
    },
    clientHoldDays: form.client_hold_days,
    fromContractAmount: form.from_contract_amount,
    lastDay: form.last_day,
  })),
);

/** The payload of create_commission_rate, percentages and amounts as decimal text (F-07). */
export function commissionScalePayload(input: CommissionScaleInput) {
  const client = commissionSideToWire(input.scale.client);
  const commercial = commissionSideToWire(input.scale.commercial);
  return {
    name: input.name,
    description: input.description,
    client_commission_type: client.type,
    client_commission_amount: client.amount,
    commercial_commission_type: commercial.type,
    commercial_commission_amount: commercial.amount,
    client_hold_days: input.clientHoldDays,
    from_contract_amount: input.fromContractAmount === null ? null : toWire(input.fromContractAmount),
    ...ruleFields(input),
  };
}

/** Fields beyond a plain scale, sent where there is some, so that the payload of a plain one is that of the specification. */
function ruleFields({ scale, lastDay: day }: CommissionScaleInput) {
  return {
    ...(scale.client.extra === undefined ? {} : { client_rules: extraRulesToJson(scale.client.extra) }),
    ...(scale.commercial.extra === undefined ? {} : { commercial_rules: extraRulesToJson(scale.commercial.extra) }),
    ...(day === null ? {} : { last_day: day }),
  };
}

const isWhole = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 999_999_999;

/** Shapes of the rules of a side. By hand: the schema library's code for it would weigh on pages that have no scale. */
const ruleShapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  steps: (value) => Array.isArray(value) && value.length > 0 && value.length < stepsMax && value.every(isStep),
  measure: (value) => value === 'count',
  mode: (value) => value === 'reached',
  counts_over: (value) => value === 'all',
  window: (value) => value === 'quarter' || value === 'lifetime',
  cap_contract: isWhole,
  cap_period: isWhole,
  min_contract: isWhole,
  bonus_first: isWhole,
};

function isStep(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 2 && isWhole(value['from']) && isWhole(value['value']);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isExtraRules(value: unknown): value is ExtraRulesJson {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([rule, of]) => Object.hasOwn(ruleShapes, rule) && (of === undefined || ruleShapes[rule]?.(of) === true),
    )
  );
}

const rulesInvalid = 'Les règles du barème ne sont pas lisibles\u00a0: corrigez les paliers, plafonds et primes';

/** The extra rules of a side as a version keeps them; undefined where there are none (SC-02). */
function extraRules() {
  return z.pipe(
    z.optional(z.unknown()),
    z.transform((raw, context): ExtraRules | undefined => {
      const json = raw ?? {};
      return isExtraRules(json) ? extraRulesOf(json) : refuse(context, rulesInvalid);
    }),
  );
}

function ruled(side: CommissionSide, extra: ExtraRules | undefined): RuledSide {
  return extra === undefined ? side : { ...side, extra };
}

/** A whole number of days, written as a number or a text; none is 0. */
function holdDays() {
  return z.pipe(
    rawAmount,
    z.transform((raw, context) => {
      const text = String(raw ?? '').trim();
      const days = text === '' ? 0 : /^\d{1,3}$/.test(text) ? Number.parseInt(text, 10) : holdDaysMax + 1;
      return days <= holdDaysMax ? days : refuse(context, messages.holdDaysInvalid);
    }),
  );
}

/** The amount of a contract, above zero; null where nothing is written. */
function threshold() {
  return z.pipe(
    optionalAmount(messages.scaleThresholdInvalid),
    z.transform((amount, context) => (amount === 0n ? refuse(context, messages.scaleThresholdInvalid) : amount)),
  );
}

const holdDaysMax = 365;

interface RawScale {
  readonly client_commission_type: CommissionType;
  readonly client_commission_amount?: RawAmount;
  readonly commercial_commission_type: CommissionType;
  readonly commercial_commission_amount?: RawAmount;
  readonly client_rules: ExtraRules | undefined;
  readonly commercial_rules: ExtraRules | undefined;
}

type SideIssue = 'missing' | 'notPositive' | 'tooHigh' | 'percentTooPrecise' | 'amountTooPrecise';

const issues: Readonly<Record<SideIssue, { readonly client: string; readonly commercial: string }>> = {
  missing: { client: messages.requiredFieldsMissing, commercial: messages.requiredFieldsMissing },
  notPositive: { client: messages.clientCommissionNotPositive, commercial: messages.commercialCommissionNotPositive },
  tooHigh: { client: messages.percentTooHigh, commercial: messages.percentTooHigh },
  percentTooPrecise: { client: messages.percentTooPrecise, commercial: messages.percentTooPrecise },
  amountTooPrecise: { client: messages.amountInvalid, commercial: messages.amountInvalid },
};

/** A number of at least a hundredth that only has too many decimals: « 10,125 ». */
const tooPrecise = /^(?!0*[.,]00)\d{1,12}[.,]\d{3,}$/;

function sideOf(type: CommissionType, raw: RawAmount): CommissionSide | SideIssue {
  if (raw === null || raw === undefined || String(raw).trim() === '') return 'missing';
  if (tooPrecise.test(String(raw).trim())) return type === 'percentage' ? 'percentTooPrecise' : 'amountTooPrecise';
  const amount = parseEuros(raw);
  if (amount === null || amount === 0n) return 'notPositive';
  if (type !== 'percentage') return { type: 'fixed', amount };
  const basisPoints = parsePercent(raw);
  return basisPoints === null ? 'tooHigh' : { type, basisPoints };
}

function validSide(type: CommissionType, raw: RawAmount): CommissionSide {
  const side = sideOf(type, raw);
  if (typeof side === 'string') throw new Error(`A checked commission side is valid, not ${side}`);
  return side;
}
