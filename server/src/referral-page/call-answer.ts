import { callConsentStatement, callConsentVersion, callRefusalStatement } from '@parrain/domain/call-consent';
import { Failure } from '@parrain/domain/failure';
import { callAnswerForm } from '@parrain/domain/forms/call-answer';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import type { FastifyInstance } from 'fastify';

import { friendOptOutPage, ownDataPage } from '../functions/index.ts';
import { failureOf } from '../platform/errors.ts';
import type { Services } from '../platform/services.ts';
import { readFriendData, tokenOf } from './friend-data.ts';
import { answerPage } from './page.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';

/**
 * `/accord?token=…` (CS-03): a friend says, by the link of their mail, whether they may be called. To open it says nothing, for
 * programs that inspect mails open every link; its two buttons do.
 */
export function answerRoutes(app: FastifyInstance, services: Services): void {
  app.get('/accord', async (request, reply) => {
    const token = tokenOf(request.query);
    const asked = await readAsked(services, token);
    if (asked === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    return sendPage(reply, 200, answerPage({ ...asked, ...linksOf(services, token) }));
  });

  app.post('/accord', { bodyLimit: 10_000 }, async (request, reply) => {
    const token = tokenOf(request.query);
    const asked = await readAsked(services, token);
    if (asked === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    const given = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const links = linksOf(services, token);
    try {
      const { isGiven, phone } = parsePayload(callAnswerForm, {
        answer: given.get('answer') ?? '',
        phone: given.get('phone'),
        needsPhone: asked.needsPhone,
      });
      const { name } = asked.company;
      await services.db.queryAsService('a friend says whether they may be called', {
        text: 'select private.answer_call($1, $2, $3, $4, $5)',
        values: [
          asked.saleId,
          isGiven,
          isGiven ? callConsentStatement(name) : callRefusalStatement(name),
          callConsentVersion,
          phone,
        ],
      });
      return await sendPage(reply, 200, answerPage({ ...asked, answer: isGiven, isSaid: true, ...links }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== 'invalid_input') throw error;
      return sendPage(reply, failure.status, answerPage({ ...asked, error: failure.message, ...links }));
    }
  });
}

/** Where the friend of a link has themselves forgotten, and where they see what is kept of them. */
export function linksOf(services: Services, token: string): { readonly forgetUrl: string; readonly dataUrl: string } {
  return { forgetUrl: `${friendOptOutPage(services)}#${token}`, dataUrl: ownDataPage(services, token) };
}

/** Whom a link asks, and what they said last; null of a link that is not ours, or of somebody who was forgotten. */
async function readAsked(services: Services, token: string) {
  const friend = await readFriendData(services, token);
  if (friend === null) return null;
  const { saleId, company, referrer, phone, answers } = friend;
  return { saleId, company, referrer, answer: answers[0]?.isGiven ?? null, needsPhone: phone === null };
}
