import * as z from 'zod/mini';
import { correctionMessageRequired, correctionReasonRequired } from '../correction-messages.ts';
import type { FailureCode } from '../failure.ts';
import * as messages from '../messages.ts';
import type { Cents } from '../money.ts';
import { across, choice, id, optionalAmount, optionalId, optionalText, report, seenVersion } from './fields.ts';
import { reasonLengthMax } from './limits.ts';

export const contractDecisions = [
  'validate',
  'reject',
  'ask_correction',
  'correct_contract',
  'cancel_validation',
] as const;

/** The admin's decision on a contract, with the version and amounts that were on screen: optimistic locking, any other version or
 * amount is `sale_changed` (V-04, S-04, S-11, AD-12, FX-11). */
export type ContractDecision =
  | {
      readonly action: 'validate';
      readonly saleId: string;
      readonly seenVersion: number;
      /** The scale chosen, null for the sale's own or the default one (AD-12). */
      readonly commissionRateId: string | null;
      /** Another version of it than that of the day, and why; null for that of the day (SC-01). */
      readonly version: { readonly id: string; readonly reason: string } | null;
      readonly expectedContractAmount: Cents;
      readonly expectedClientCommissionAmount: Cents;
      readonly expectedCommercialCommissionAmount: Cents;
    }
  | {
      readonly action: 'reject' | 'ask_correction';
      readonly saleId: string;
      readonly seenVersion: number;
      /** Of a refusal why, of a correction that is asked for what is to be corrected (UI-11). */
      readonly reason: string;
    }
  | {
      readonly action: 'correct_contract';
      readonly saleId: string;
      readonly seenVersion: number;
      readonly reason: string;
      /** The contract's new amount, and what the screen showed of it: its amount until then and how often it was corrected (UI-11). */
      readonly contractLeft: Cents;
      readonly seenContract: Cents;
      readonly seenCorrections: number;
      /** Commissions that the scale gives for the new amount, as the screen showed them. */
      readonly expectedClientCommissionAmount: Cents;
      readonly expectedCommercialCommissionAmount: Cents;
    }
  | {
      readonly action: 'cancel_validation';
      readonly saleId: string;
      readonly seenVersion: number;
      readonly reason: string;
      readonly expectedClientCommissionAmount: Cents;
      readonly expectedCommercialCommissionAmount: Cents;
      /** Amount to be left of the contract, and the amount left on screen; null where it is taken back in whole (LG-04). */
      readonly contractLeft: Cents | null;
      readonly seenContract: Cents | null;
    };

interface RawDecision {
  readonly action: unknown;
  readonly reason: unknown;
  readonly seen_version: unknown;
  readonly expected_client_commission_amount: unknown;
  readonly expected_commercial_commission_amount: unknown;
  readonly expected_contract_amount: unknown;
  readonly contract_left: unknown;
  readonly seen_corrections: unknown;
  readonly scale_version_id?: unknown;
  readonly version_reason?: unknown;
}

/** Fields each decision must echo from the screen: the version, and the amounts where money moves (FX-11). */
const seenFields: Readonly<Record<(typeof contractDecisions)[number], readonly (keyof RawDecision)[]>> = {
  validate: [
    'seen_version',
    'expected_contract_amount',
    'expected_client_commission_amount',
    'expected_commercial_commission_amount',
  ],
  reject: ['seen_version'],
  ask_correction: ['seen_version'],
  correct_contract: [
    'seen_version',
    'seen_corrections',
    'contract_left',
    'expected_contract_amount',
    'expected_client_commission_amount',
    'expected_commercial_commission_amount',
  ],
  cancel_validation: ['seen_version', 'expected_client_commission_amount', 'expected_commercial_commission_amount'],
};

/** The sentence for a decision that says nothing of why. */
const reasonsRequired: Readonly<Partial<Record<(typeof contractDecisions)[number], readonly [string, FailureCode?]>>> =
  {
    reject: [messages.refusalReasonRequired, 'refusal_reason_required'],
    ask_correction: [correctionMessageRequired, 'correction_message_required'],
    correct_contract: [correctionReasonRequired],
    cancel_validation: [messages.cancellationReasonRequired],
  };

/** The admin's decision, and the payload of sales-management's actions of the same names (V-04, F-16, UI-11). */
export const contractDecisionForm = z.pipe(
  z
    .object({
      action: choice(contractDecisions, messages.decisionRequired, { failure: 'decision_required' }),
      sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
      reason: optionalText(reasonLengthMax),
      commission_rate_id: optionalId(messages.scaleInvalid),
      seen_version: seenVersion(),
      expected_client_commission_amount: optionalAmount(),
      expected_commercial_commission_amount: optionalAmount(),
      expected_contract_amount: optionalAmount(),
      contract_left: optionalAmount(),
      seen_corrections: seenVersion(),
      scale_version_id: optionalId(messages.scaleInvalid),
      version_reason: optionalText(reasonLengthMax),
    })
    .check(
      across((form: RawDecision, context) => {
        const action = contractDecisions.find((known) => known === form.action);
        if (action === undefined) return;
        const required = reasonsRequired[action];
        if (required !== undefined && form.reason === null) {
          const [sentence, failure] = required;
          report(context, sentence, ['reason'], failure && { failure });
        } else if (action === 'validate' && form.scale_version_id !== null && form.version_reason === null) {
          report(context, messages.versionReasonRequired, ['version_reason'], { failure: 'version_reason_required' });
        } else {
          const fields =
            form.contract_left === null
              ? seenFields[action]
              : [...seenFields[action], 'expected_contract_amount' as const];
          const unsaid = fields.find((field) => form[field] === null);
          if (unsaid !== undefined) report(context, messages.seenRequired, [unsaid], { failure: 'seen_required' });
        }
      }),
    ),
  z.transform((form): ContractDecision => {
    const { action } = form;
    const decided = { saleId: form.sale_id, seenVersion: form.seen_version ?? 0 };
    const expected = {
      expectedClientCommissionAmount: form.expected_client_commission_amount ?? 0n,
      expectedCommercialCommissionAmount: form.expected_commercial_commission_amount ?? 0n,
    };
    switch (action) {
      case 'validate':
        return {
          action,
          ...decided,
          ...expected,
          commissionRateId: form.commission_rate_id,
          version:
            form.scale_version_id === null ? null : { id: form.scale_version_id, reason: form.version_reason ?? '' },
          expectedContractAmount: form.expected_contract_amount ?? 0n,
        };
      case 'reject':
      case 'ask_correction':
        return { action, ...decided, reason: form.reason ?? '' };
      case 'correct_contract':
        return {
          action,
          ...decided,
          ...expected,
          reason: form.reason ?? '',
          contractLeft: form.contract_left ?? 0n,
          seenContract: form.expected_contract_amount ?? 0n,
          seenCorrections: form.seen_corrections ?? 0,
        };
      case 'cancel_validation':
        return {
          action,
          ...decided,
          ...expected,
          reason: form.reason ?? '',
          contractLeft: form.contract_left,
          seenContract: form.expected_contract_amount,
        };
    }
  }),
);
