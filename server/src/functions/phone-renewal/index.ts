import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { renewalForm } from '@parrain/domain/forms/phone';

import { rateLimited } from '#platform/errors';
import { networkOf } from '#platform/network';

import { answer } from '../call.ts';
import type { Call, FunctionResponse, ProductFunction } from '../call.ts';
import { checkedSubscription } from '../notices/phones.ts';

const PER_NETWORK = { capacity: 30, perSeconds: 3600 } as const;

/** UI-16: a service worker, which has no session, says where its browser is reached from now on. */
export default { '': { callers: 'everyone', run: renewPhone } } satisfies ProductFunction;

/** The same answer whether the former one was known: who asks learns nothing of anybody's devices. */
async function renewPhone(call: Call): Promise<FunctionResponse> {
  const { former, subscription } = parsePayload(renewalForm, call.body ?? {});
  const { endpoint, p256dh, auth } = checkedSubscription(call, subscription);
  const wait = await call.services.rateLimit.takeToken(`phone-renewal:from:${networkOf(call.request.ip)}`, PER_NETWORK);
  if (wait > 0) throw rateLimited(wait);
  await call.services.db.queryAsService('renew a phone', {
    text: 'select from private.renew_phone($1, $2, $3, $4, $5)',
    values: [URL.parse(former.endpoint)?.href, Buffer.from(former.keys.auth, 'base64url'), endpoint, p256dh, auth],
  });
  return answer({ success: true });
}
