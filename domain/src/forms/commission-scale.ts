import * as z from 'zod/mini';
import { commissionTypes, type CommissionScale, type CommissionSide, type CommissionType } from '../commission.ts';
import * as messages from '../messages.ts';
import { parseEuros, toWire, type Cents } from '../money.ts';
import { parsePercent } from '../percent.ts';
import { commissionSideToWire } from '../wire.ts';
import { across, choice, optionalAmount, optionalText, rawAmount, refuse, report, requiredLine } from './fields.ts';

/** A barème being created (AD-08). */
export interface CommissionScaleInput {
  readonly name: string;
  readonly description: string | null;
  readonly scale: CommissionScale;
  /** LG-03; none where nothing was said. */
  readonly clientHoldDays: number;
  /** SC-03; null where nothing was said. */
  readonly fromContractAmount: Cents | null;
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
      }),
    ),
  z.transform((form): CommissionScaleInput => ({
    name: form.name,
    description: form.description,
    scale: {
      client: validSide(form.client_commission_type, form.client_commission_amount),
      commercial: validSide(form.commercial_commission_type, form.commercial_commission_amount),
    },
    clientHoldDays: form.client_hold_days,
    fromContractAmount: form.from_contract_amount,
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
  };
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
