import { z } from 'zod';

import { requireEmail } from '../accounts/identity-fields.ts';
import { requirePhone } from '../accounts/phone.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { requestMail } from './mail-requests.ts';
import { challengeFields, challengeOf } from './pkce-code.ts';
import { requestText } from './text-requests.ts';

const body = z.looseObject({
  type: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
  ...challengeFields,
});

/** POST /resend (AU-10): the message once more, where one is still waited for; the same answer for everybody. */
export const resend: Operation = {
  method: 'POST',
  url: '/resend',
  access: 'public',
  limit: { name: 'resend', capacity: 30, perSeconds: 300 },
  isForPeople: true,
  async handle(call) {
    const given = parseBody(call.request, body);
    const { type, email, phone } = given;
    const challenge = challengeOf(given);
    switch (type) {
      case 'signup':
      case 'email_change': {
        if (phone !== '' || email === '') throw validationFailed(`Type provided requires an email address`);
        const address = requireEmail(email);
        const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
        const kind = type === 'signup' ? 'confirmation' : 'email_change';
        await requestMail(call, { kind, email: address, redirectTo, challenge });
        return { body: {} };
      }
      case 'sms':
      case 'phone_change':
        if (email !== '' || phone === '') throw validationFailed('Type provided requires a phone number');
        await requestText(call, { kind: type === 'sms' ? 'confirmation' : 'phone_change', phone: requirePhone(phone) });
        return { body: {} };
      default:
        throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change');
    }
  },
};
