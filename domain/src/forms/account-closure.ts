import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, id, optionalId, optionalText, report } from './fields.ts';
import { reasonLengthMax } from './limits.ts';

/** A person's request to close their account; the reason is optional (CO-11, CL-09). */
export const accountClosureForm = z.object({ personal_message: optionalText(reasonLengthMax) });
export type AccountClosure = z.output<typeof accountClosureForm>;

/** The admin's decision: a refusal carries its reason; a commercial's clients may be reassigned. */
export const closureDecisionForm = z.pipe(
  z
    .object({
      request_id: id('Choisissez une demande de fermeture.', { failure: 'closure_not_found' }),
      accept: z.boolean({ error: messages.decisionRequired }),
      notes: optionalText(reasonLengthMax),
      reassign_to: optionalId(messages.commercialInvalid),
    })
    .check(
      across((form: { accept: unknown; notes: unknown }, context) => {
        if (form.accept === false && form.notes === null) {
          report(context, messages.refusalReasonRequired, ['notes'], { failure: 'refusal_reason_required' });
        }
      }),
    ),
  z.transform((form) => ({
    requestId: form.request_id,
    isAccepted: form.accept,
    notes: form.notes,
    reassignTo: form.reassign_to,
  })),
);
export type ClosureDecision = z.output<typeof closureDecisionForm>;
