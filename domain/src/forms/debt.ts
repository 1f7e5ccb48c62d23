import * as z from 'zod/mini';
import { debtAmountRequired, debtNotSelected, debtReasonRequired, repaymentMethods } from '../debt.ts';
import { adjustmentMaxCents } from '../dispute.ts';
import { amountInvalid, decisionRequired, personNotSelected } from '../messages.ts';
import { fromWire, type Cents } from '../money.ts';
import { adjustmentAmountInvalid } from './dispute.ts';
import { choice, id, optionalAmount, optionalLine, rawAmount, refuse, requiredText } from './fields.ts';
import { reasonLengthMax, settlementReferenceLengthMax } from './limits.ts';
import { paymentDay } from './payment-day.ts';

const payeeId = () => id(personNotSelected, { failure: 'payee_unknown' });
const reason = () => requiredText(debtReasonRequired, reasonLengthMax, { failure: 'message_required' });
const amount = () =>
  z.pipe(
    optionalAmount(debtAmountRequired),
    z.transform((cents, context) => (cents === null || cents <= 0n ? refuse(context, debtAmountRequired) : cents)),
  );

const repayment = {
  amount: amount(),
  method: choice(repaymentMethods, decisionRequired),
  reference: optionalLine(settlementReferenceLengthMax),
};
const waiver = { amount: amount(), reason: reason() };

/** AC-05: a sum that a payee paid back, of the debt that was on screen; of today where no day is said. */
export const repaymentForm = z.object({
  payee_id: payeeId(),
  ...repayment,
  paid_on: paymentDay,
  seen_debt: optionalAmount(),
});
/** The same as it is typed; its day has a field of its own. */
export const repaymentFields = z.object(repayment);

/** A debt that the company waives, whole or in part. */
export const waiverForm = z.object({ payee_id: payeeId(), ...waiver, seen_debt: optionalAmount() });
export const waiverFields = z.object(waiver);

/** Confirmation or withdrawal of a waiver that waits for another admin. */
export const waiverDecisionForm = z.object({ act_id: id(debtNotSelected, { failure: 'not_found' }) });

/** The opposite of a repayment or a waiver that was a mistake. */
export const debtActAnnulmentForm = z.object({
  act_id: id(debtNotSelected, { failure: 'not_found' }),
  reason: reason(),
});

/** Directions of an adjustment that an admin starts. */
export const startedDirections = ['more', 'less'] as const;

const adjustment = {
  direction: choice(startedDirections, decisionRequired),
  amount: z.pipe(
    optionalAmount(adjustmentAmountInvalid),
    z.transform((cents, context) =>
      cents === null || cents <= 0n || cents > adjustmentMaxCents ? refuse(context, adjustmentAmountInvalid) : cents,
    ),
  ),
  reason: reason(),
};

/** Available amount that was on screen, below zero where it is a debt; null where it is not said. */
const seenAvailable = z.pipe(
  rawAmount,
  z.transform((raw, context): Cents | null => {
    if (raw === null || raw === undefined) return null;
    return /^-?\d{1,12}(?:\.\d{1,2})?$/u.test(String(raw)) ? fromWire(raw) : refuse(context, amountInvalid);
  }),
);

/** An adjustment that an admin starts, of the account that was on screen. */
export const startedAdjustmentForm = z.object({ payee_id: payeeId(), ...adjustment, seen_available: seenAvailable });
export const startedAdjustmentFields = z.object(adjustment);
