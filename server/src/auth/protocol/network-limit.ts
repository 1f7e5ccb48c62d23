import { networkOf } from '#platform/network';
import type { Bucket } from '#platform/rate-limit';

import { rateLimited } from './errors.ts';
import type { Scope } from './operation.ts';

/** Takes one token of the caller's network from a named bucket. @throws AuthError over_request_rate_limit */
export async function takeNetworkToken(
  { services, origin }: Scope,
  { name, ...bucket }: Bucket & { readonly name: string },
): Promise<void> {
  const wait = await services.rateLimit.takeToken(`auth:${name}:${networkOf(origin.ip)}`, bucket);
  if (wait > 0) throw rateLimited(wait);
}
