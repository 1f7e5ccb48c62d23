import * as z from 'zod/mini';
import { burstInvalid, burstMax, doubtDecisionReasonRequired, doubtRules } from '../doubt.ts';
import { decisionRequired, inputInvalid } from '../messages.ts';
import { across, choice, id, report, requiredText, seenVersion } from './fields.ts';
import { reasonLengthMax } from './limits.ts';
import { optionalCount } from './optional-count.ts';

/** FD-01: an admin decides a case as it was on screen, with a reason. */
export const doubtfulCaseForm = z.pipe(
  z.object({
    case_id: id('Aucun cas sélectionné', { failure: 'case_not_found' }),
    decision: choice(['cleared', 'confirmed'], decisionRequired),
    reason: requiredText(doubtDecisionReasonRequired, reasonLengthMax),
    is_pair_cleared: z.optional(z.boolean(inputInvalid)),
    seen_version: seenVersion(),
  }),
  z.transform((form) => ({
    caseId: form.case_id,
    decision: form.decision,
    reason: form.reason,
    isPairCleared: form.is_pair_cleared ?? false,
    seenVersion: form.seen_version,
  })),
);

/** Setting: true while an undecided case holds the payout. */
export const doubtHoldForm = z.object({ hold_doubtful: z.boolean(inputInvalid) });

/** A rule that looks or not; of a burst, with how many referrals are usual. */
export const doubtRuleForm = z
  .object({
    rule: choice(doubtRules, 'Règle inconnue'),
    is_on: z.boolean(inputInvalid),
    most: optionalCount(burstMax, burstInvalid),
  })
  .check(
    across(({ rule, most }: { readonly rule?: unknown; readonly most: unknown }, context) => {
      if (rule === 'burst' && most === null) report(context, burstInvalid, ['most']);
    }),
  );
