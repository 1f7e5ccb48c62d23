import { networkOf } from '#platform/network';
import type { Bucket } from '#platform/rate-limit';

import { AuthError } from './errors.ts';
import type { Scope } from './operation.ts';

/** Takes a turn in the bucket of one grant: they share an address, not a limit. @throws AuthError over_request_rate_limit */
export async function takeGrantTurn(
  { services, origin }: Scope,
  { name, ...bucket }: Bucket & { readonly name: string },
): Promise<void> {
  const wait = await services.rateLimit.takeToken(`auth:${name}:${networkOf(origin.ip)}`, bucket);
  if (wait > 0) {
    throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds: wait });
  }
}
