import { Failure } from '@parrain/domain/failure';
import { noticeTopicLabels } from '@parrain/domain/notice';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';
import { mailedToken } from '../mailed-token.ts';
import { refusedBy, refuseNoticeMails } from '../notices/refusal-link.ts';

/** TM-02: somebody wants no more of some mails, with the link of one and no session. */
export default { '': { callers: 'everyone', run: refuseMails } } satisfies ProductFunction;

async function refuseMails(call: Call): Promise<FunctionResponse> {
  const refused = refusedBy(call.services, await mailedToken(call, 'notice-refusal'));
  if (refused === null) throw new Failure('opt_out_link_unknown');
  await refuseNoticeMails(call.services, refused);
  const topics = refused.topics.map((topic) => noticeTopicLabels[topic]);
  return answer({ success: true, message: 'C’est noté : vous ne recevrez plus ces messages.', topics });
}
