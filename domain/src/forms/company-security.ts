import * as z from 'zod/mini';
import * as messages from '../messages.ts';

/** Whether every admin needs a second factor to work (AU-17). */
export const companySecurityForm = z.pipe(
  z.object({ require_admin_two_factor: z.boolean(messages.decisionRequired) }),
  z.transform((form) => ({ requireAdminTwoFactor: form.require_admin_two_factor })),
);
