import { z } from 'zod';

import { validationFailed } from './errors.ts';
import { requestMail } from './mail-requests.ts';
import { parseBody, queryValue } from './operation.ts';
import type { Operation } from './operation.ts';
import { redirectTarget } from './redirect.ts';
import { requireEmail } from './sign-up.ts';

const body = z.looseObject({
  type: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
});

/** POST /resend (AU-10): the confirmation mail once more, to whoever still waits for it; the same answer for everybody. */
export const resend: Operation = {
  method: 'POST',
  url: '/resend',
  access: 'public',
  limit: { name: 'resend', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { type, email, phone } = parseBody(call.request, body);
    switch (type) {
      case 'signup':
      case 'email_change': {
        if (phone !== '' || email === '') throw validationFailed(`Type provided requires an email address`);
        const address = requireEmail(email);
        const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
        if (type === 'signup') await requestMail(call, { kind: 'confirmation', email: address, redirectTo });
        return { body: {} };
      }
      case 'sms':
      case 'phone_change':
        if (email !== '' || phone === '') throw validationFailed('Type provided requires a phone number');
        return { body: {} };
      default:
        throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change');
    }
  },
};
