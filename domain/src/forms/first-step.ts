import * as z from 'zod/mini';
import { firstSteps } from '../first-steps.ts';
import * as messages from '../messages.ts';

/** A first step that is skipped, or taken up again (NV-08). */
export const firstStepForm = z.object({
  step: z.enum(firstSteps, messages.inputInvalid),
  skipped: z.boolean(messages.inputInvalid),
});
