import * as z from 'zod/mini';
import { adjustmentMaxCents, disputeMessageRequired, disputeNotSelected, lineNotSelected } from '../dispute.ts';
import { decisionRequired } from '../messages.ts';
import { formatEuros, type Cents } from '../money.ts';
import { across, id, optionalAmount, report, requiredText, seenVersion } from './fields.ts';

const body = () => requiredText(disputeMessageRequired, undefined, { failure: 'message_required' });
const disputeId = () => id(disputeNotSelected, { failure: 'dispute_not_found' });

/** LG-06: a payee questions a line of their account, by its number there. */
export const disputeOpeningForm = z.object({
  entry_id: z.string({ error: lineNotSelected }).check(z.regex(/^\d{1,18}$/u, lineNotSelected)),
  message: body(),
});

/** A further message of either party. */
export const disputeAnswerForm = z.object({ dispute_id: disputeId(), message: body() });

/** Directions of the adjustment that ends a dispute: none, a sum more, a sum less. */
export const adjustmentDirections = ['none', 'more', 'less'] as const;
export type AdjustmentDirection = (typeof adjustmentDirections)[number];

export const adjustmentDirectionLabels: Readonly<Record<AdjustmentDirection, string>> = {
  none: 'Sans ajustement',
  more: 'En plus',
  less: 'En moins',
};

// Not among the messages: what is computed there comes with every page.
export const adjustmentAmountInvalid = `Indiquez un montant de ${formatEuros(1n)} à ${formatEuros(adjustmentMaxCents)}.`;

interface RawClosing {
  readonly direction?: unknown;
  readonly amount: unknown;
}

const closing = {
  message: body(),
  direction: z.optional(z.enum(adjustmentDirections, { error: decisionRequired })),
  amount: optionalAmount(adjustmentAmountInvalid),
};
const amountOfDirection = () =>
  across(({ direction, amount }: RawClosing, context) => {
    if (direction === 'none' || direction === undefined) return;
    if (typeof amount !== 'bigint' || amount === 0n || amount > adjustmentMaxCents)
      report(context, adjustmentAmountInvalid, ['amount']);
  });

/** The adjustment that a closing asks for; null is none. */
export function adjustmentOf({
  direction = 'none',
  amount,
}: {
  direction?: AdjustmentDirection | undefined;
  amount: Cents | null;
}): Cents | null {
  if (direction === 'none' || amount === null) return null;
  return direction === 'more' ? amount : -amount;
}

/** The company's last word, on the thread that was on screen, with what it adjusts. */
export const disputeClosingForm = z
  .object({ dispute_id: disputeId(), ...closing, seen_version: seenVersion() })
  .check(amountOfDirection());

/** The same as it is typed. */
export const disputeReplyForm = z.object(closing).check(amountOfDirection());

/** The annulment of an adjustment, on the thread that was on screen. */
export const adjustmentAnnulmentForm = z.object({
  dispute_id: disputeId(),
  message: body(),
  seen_version: seenVersion(),
});
