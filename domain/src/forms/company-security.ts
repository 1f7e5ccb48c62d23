import * as z from 'zod/mini';
import * as messages from '../messages.ts';

/** The company's security setting: every admin needs a second factor (AU-17). */
export const companySecurityForm = z.pipe(
  z.object({ require_admin_two_factor: z.boolean(messages.decisionRequired) }),
  z.transform((form) => ({ requireAdminTwoFactor: form.require_admin_two_factor })),
);
