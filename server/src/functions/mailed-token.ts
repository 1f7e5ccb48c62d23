import { friendOptOutForm } from '@parrain/domain/forms/friend-opt-out';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import { rateLimited } from '#platform/errors';
import { networkOf } from '#platform/network';
import type { Bucket } from '#platform/rate-limit';

import type { Call } from './call.ts';

const PER_NETWORK: Bucket = { capacity: 30, perSeconds: 3600 };

/**
 * The token of the mail by which somebody without a session says no; each network has so many tries an hour.
 * @param name of the network's bucket.
 * @throws Failure invalid_input, rate_limited
 */
export async function mailedToken({ body, services, request }: Call, name: string): Promise<string> {
  const { token } = parsePayload(friendOptOutForm, body ?? {});
  const wait = await services.rateLimit.takeToken(`${name}:from:${networkOf(request.ip)}`, PER_NETWORK);
  if (wait > 0) throw rateLimited(wait);
  return token;
}
