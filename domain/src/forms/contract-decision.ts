import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import type { Cents } from '../money.ts';
import { across, choice, id, optionalAmount, optionalId, optionalText, report } from './fields.ts';
import { reasonLengthMax } from './limits.ts';

export const contractDecisions = ['validate', 'reject', 'cancel_validation'] as const;

/** What the admin decides of a contract (V-04, S-04, S-11). */
export type ContractDecision =
  | {
      readonly action: 'validate';
      readonly saleId: string;
      /** The scale chosen, null for the sale's own or the default one (AD-12). */
      readonly commissionRateId: string | null;
      /** What the admin saw; a difference with what is stored is `sale_changed` (AD-12). */
      readonly seenVersion: number | null;
      readonly expectedClientCommissionAmount: Cents | null;
      readonly expectedCommercialCommissionAmount: Cents | null;
      readonly expectedContractAmount: Cents | null;
    }
  | { readonly action: 'reject' | 'cancel_validation'; readonly saleId: string; readonly reason: string };

/** The admin's decision, and the payload of sales-management's validate, reject and cancel_validation (V-04, F-16). */
export const contractDecisionForm = z.pipe(
  z
    .object({
      action: choice(contractDecisions, messages.decisionRequired, { failure: 'decision_required' }),
      sale_id: id(messages.saleNotSelected, { failure: 'sale_not_selected' }),
      reason: optionalText(reasonLengthMax),
      commission_rate_id: optionalId(messages.scaleInvalid),
      seen_version: z.optional(z.nullable(z.int({ error: messages.saleVersionInvalid }))),
      expected_client_commission_amount: optionalAmount(),
      expected_commercial_commission_amount: optionalAmount(),
      expected_contract_amount: optionalAmount(),
    })
    .check(
      across((form: { action: unknown; reason: unknown }, context) => {
        if (form.reason !== null) return;
        if (form.action === 'reject') {
          report(context, messages.refusalReasonRequired, ['reason'], { failure: 'refusal_reason_required' });
        }
        if (form.action === 'cancel_validation') report(context, messages.cancellationReasonRequired, ['reason']);
      }),
    ),
  z.transform((form): ContractDecision => {
    if (form.action !== 'validate') return { action: form.action, saleId: form.sale_id, reason: form.reason ?? '' };
    return {
      action: form.action,
      saleId: form.sale_id,
      commissionRateId: form.commission_rate_id,
      seenVersion: form.seen_version ?? null,
      expectedClientCommissionAmount: form.expected_client_commission_amount,
      expectedCommercialCommissionAmount: form.expected_commercial_commission_amount,
      expectedContractAmount: form.expected_contract_amount,
    };
  }),
);
