import { callConsentStatement, callConsentVersion, callRefusalStatement } from '@parrain/domain/call-consent';
import { Failure } from '@parrain/domain/failure';
import { callAnswerForm } from '@parrain/domain/forms/call-answer';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { shortName } from '@parrain/domain/short-name';
import type { FastifyInstance } from 'fastify';

import { friendOptOutPage, ownDataPage, saleOfLink } from '../functions/index.ts';
import { failureOf } from '../platform/errors.ts';
import type { Services } from '../platform/services.ts';
import { COMPANY_COLUMNS, companyOf } from './company.ts';
import type { CompanyRow } from './company.ts';
import { answerPage } from './page.ts';
import type { Company } from './page.ts';
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

/** The token of a mailed link: it stands in the query, which logs leave out. */
export function tokenOf(query: unknown): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

/** Where the friend of a link has themselves forgotten, and where they see what is kept of them. */
export function linksOf(services: Services, token: string): { readonly forgetUrl: string; readonly dataUrl: string } {
  return { forgetUrl: `${friendOptOutPage(services)}#${token}`, dataUrl: ownDataPage(services, token) };
}

type Asked = {
  readonly saleId: string;
  readonly company: Company;
  readonly referrer: string;
  readonly answer: boolean | null;
  readonly needsPhone: boolean;
};

/** Whom a link asks, and what they said last; null of a link that is not ours, or of somebody who was forgotten. */
async function readAsked(services: Services, token: string): Promise<Asked | null> {
  const saleId = saleOfLink(services, token);
  if (saleId === null) return null;
  const { rows } = await services.db.queryAsService<
    CompanyRow & { referrer: string | null; answer: boolean | null; needs_phone: boolean }
  >(
    'the page where a friend answers',
    {
      text: `select ${COMPANY_COLUMNS}, p.full_name as referrer,
          s.referred_contact_phone is null as needs_phone,
          (select a.is_given from public.call_consents a where a.sale_id = s.id order by a.said_at desc, a.id limit 1) as answer
        from public.company_settings c, public.sales s
        left join public.profiles p on p.id = coalesce(s.friend_referrer_id, s.client_referrer_id)
        where c.id = 1 and s.id = $1 and num_nonnulls(s.referred_contact_email, s.referred_contact_phone) > 0`,
      values: [saleId],
    },
    { readOnly: true },
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    saleId,
    company: companyOf(row),
    referrer: shortName(row.referrer ?? ''),
    answer: row.answer,
    needsPhone: row.needs_phone,
  };
}
