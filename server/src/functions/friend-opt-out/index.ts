import { friendOptOutForm } from '@parrain/domain/forms/friend-opt-out';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { Failure } from '@parrain/domain/failure';

import { rateLimited } from '#platform/errors';
import type { Bucket } from '#platform/rate-limit';
import { networkOf } from '#platform/network';

import { answer } from '../call.ts';
import type { Answer, Call, ProductFunction } from '../call.ts';
import { markOf, saleOfLink } from '../friend-link.ts';

/** F-15: a referred friend asks not to be contacted, with the link of the mail they got and no account. */
export default { '': { callers: 'everyone', run: optOut } } satisfies ProductFunction;

const PER_NETWORK: Bucket = { capacity: 30, perSeconds: 3600 };

async function optOut(call: Call): Promise<Answer> {
  const { token } = parsePayload(friendOptOutForm, call.body ?? {});
  const { services } = call;
  const wait = await services.rateLimit.takeToken(`opt-out:from:${networkOf(call.request.ip)}`, PER_NETWORK);
  if (wait > 0) throw rateLimited(wait);
  const saleId = saleOfLink(services, token);
  if (saleId === null) throw new Failure('opt_out_link_unknown');
  await call.db.asService('a friend asks not to be contacted', async (tx) => {
    const { rows } = await tx.query<{ email: string | null }>(
      'select referred_contact_email as email from public.sales where id = $1',
      [saleId],
    );
    const email = rows[0]?.email ?? null;
    // Already forgotten, with the first click or with the referral: the answer is the same.
    if (email === null) return;
    await tx.query('select private.opt_out_contact($1, $2)', [email, markOf(services, email)]);
  });
  return answer({
    success: true,
    message: 'C’est noté : vous ne serez plus contacté, et vos coordonnées sont effacées.',
  });
}
