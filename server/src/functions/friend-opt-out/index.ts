import { Failure } from '@parrain/domain/failure';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';
import { forgetFriend, scopeOfLink } from '../friend-link.ts';
import { mailedToken } from '../mailed-token.ts';

/** F-15: a referred friend asks not to be contacted, with the link of the mail they got and no account. */
export default { '': { callers: 'everyone', run: optOut } } satisfies ProductFunction;

async function optOut(call: Call): Promise<FunctionResponse> {
  const friend = scopeOfLink(call.services, await mailedToken(call, 'opt-out'));
  if (friend === null) throw new Failure('opt_out_link_unknown');
  await forgetFriend(call.services, friend);
  return answer({
    success: true,
    message: 'C’est noté : vous ne serez plus contacté, et vos coordonnées sont effacées.',
  });
}
