import * as z from 'zod/mini';
import * as messages from '../messages.ts';

/** Setting: true while only friends who agreed are called (CS-03). */
export const companyCallConsentForm = z.pipe(
  z.object({ require_call_consent: z.boolean(messages.decisionRequired) }),
  z.transform((form) => ({ requireCallConsent: form.require_call_consent })),
);
