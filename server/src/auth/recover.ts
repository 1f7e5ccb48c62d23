import { z } from 'zod';

import { challengeFields, challengeOf } from './flow-state.ts';
import { requestMail } from './mail-requests.ts';
import { parseBody, queryValue } from './operation.ts';
import type { Operation } from './operation.ts';
import { redirectTarget } from './redirect.ts';
import { requireEmail } from './sign-up.ts';

const body = z.looseObject({ email: z.string().default(''), ...challengeFields });

/** POST /recover (AU-09, R-07): the same answer, whether the account exists or not. */
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
