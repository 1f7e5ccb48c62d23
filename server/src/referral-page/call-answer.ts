import { callConsentStatement, callConsentVersion, callRefusalStatement } from '@parrain/domain/call-consent';
import { Failure } from '@parrain/domain/failure';
import { callAnswerForm } from '@parrain/domain/forms/call-answer';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import type { FastifyInstance } from 'fastify';

import { friendOptOutPage, ownDataPage } from '../functions/index.ts';
import { failureOf, rateLimited, retryAfterOf } from '../platform/errors.ts';
import type { Bucket } from '../platform/rate-limit.ts';
import type { Services } from '../platform/services.ts';
import type { Company } from './page.ts';
import { readFriendData, tokenOf } from './friend-data.ts';
import { answerPage } from './page.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';

/** One friend’s answers: each that changes the last one is kept and told (DF-28). */
const ANSWERS: Bucket = { capacity: 6, perSeconds: 86_400 };

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
    const links = linksOf(services, token);
    try {
      const isGiven = await keepAnswer(services, asked, request.body, asked.isProven ? 'mailed_link' : 'page');
      return await sendPage(reply, 200, answerPage({ ...asked, answer: isGiven, isSaid: true, ...links }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== 'invalid_input' && failure.code !== 'rate_limited') throw error;
      const retryAfter = retryAfterOf(failure);
      if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
      return sendPage(reply, failure.status, answerPage({ ...asked, error: failure.message, ...links }));
    }
  });
}

type Asked = {
  readonly saleId: string;
  readonly company: Company;
  readonly needsPhone: boolean;
};

/**
 * Keeps whether a friend may be called, and from where they said it: a mailed link, or a page that proves no mailbox.
 * @throws Failure invalid_input, rate_limited, opt_out_link_unknown
 */
export async function keepAnswer(
  services: Services,
  { saleId, company, needsPhone }: Asked,
  body: unknown,
  place: 'mailed_link' | 'page',
): Promise<boolean> {
  const given = body instanceof URLSearchParams ? body : new URLSearchParams();
  const { isGiven, phone } = parsePayload(callAnswerForm, {
    answer: given.get('answer') ?? '',
    phone: given.get('phone'),
    needsPhone,
  });
  await limitAnswers(services, saleId, place);
  await services.db.queryAsService('a friend says whether they may be called', {
    text: 'select private.answer_call($1, $2, $3, $4, $5, $6)',
    values: [
      saleId,
      isGiven,
      isGiven ? callConsentStatement(company.name) : callRefusalStatement(company.name),
      callConsentVersion,
      phone,
      place,
    ],
  });
  return isGiven;
}

/** @throws Failure rate_limited */
export async function limitAnswers(services: Services, saleId: string, place: 'mailed_link' | 'page'): Promise<void> {
  const wait = await services.rateLimit.takeToken(`call-answer:${place}:${saleId}`, ANSWERS);
  if (wait > 0) throw rateLimited(wait);
}

/** Pages where the friend of a link has their data deleted, and where they see what is kept of them. */
function linksOf(services: Services, token: string): { readonly forgetUrl: string; readonly dataUrl: string } {
  return { forgetUrl: `${friendOptOutPage(services)}#${token}`, dataUrl: ownDataPage(services, token) };
}

/** Reads the referral of a link and the friend's last answer; null of a link that is not ours, or of somebody who was forgotten. */
async function readAsked(services: Services, token: string) {
  const friend = await readFriendData(services, token);
  if (friend === null) return null;
  const { saleId, company, referrer, phone, answers, isProven } = friend;
  return { saleId, company, referrer, isProven, answer: answers[0]?.answer ?? null, needsPhone: phone === null };
}
