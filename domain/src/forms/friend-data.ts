import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { across, optionalEmail, optionalPhone, personName, report } from './fields.ts';

/** Correction by a friend of their own data, by the link of their mail (CS-04). */
export const friendDataForm = z
  .object({ name: personName(messages.nameRequired), email: optionalEmail(), phone: optionalPhone() })
  .check(
    across(({ email, phone }, context) => {
      if (email === null && phone === null) report(context, messages.emailOrPhoneRequired, ['email']);
    }),
  );
