import { z } from 'zod';

import { requireEmail } from '../accounts/identity-fields.ts';
import type { Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { requestMail } from './mail-requests.ts';
import { challengeFields, challengeOf } from './pkce-code.ts';

const body = z.looseObject({ email: z.string().default(''), ...challengeFields });

/** POST /recover (AU-09, R-07): the same answer for known and unknown accounts. */
export const recover: Operation = {
  method: 'POST',
  url: '/recover',
  access: 'public',
  limit: { name: 'recover', capacity: 30, perSeconds: 300 },
  isForPeople: true,
  async handle(call) {
    const given = parseBody(call.request, body);
    const challenge = challengeOf(given);
    const email = requireEmail(given.email);
    const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
    await requestMail(call, { kind: 'recovery', email, redirectTo, challenge });
    return { body: {} };
  },
};
