import { randomInt } from 'node:crypto';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** CS-01: a client's own link, made when it is first asked for. */
export default {
  get: { callers: ['client'], run: (call: UserCall) => linkOf(call, 'select private.my_personal_link($1) as token') },
  renew: {
    callers: ['client'],
    run: (call: UserCall) => linkOf(call, 'select private.renew_personal_link($1) as token'),
  },
} satisfies ProductFunction;

async function linkOf(call: UserCall, text: string): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ token: string }>(call.identity, { text, values: [newToken()] });
  return answer({ success: true, data: { url: `${call.services.publicUrl()}/p/${rows[0]?.token}` } });
}

/** Without the letters and digits that are mistaken for one another on paper. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 12;

/** Some 59 bits: short enough for a card, too many to be guessed. */
function newToken(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
