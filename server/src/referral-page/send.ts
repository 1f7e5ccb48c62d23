import type { Failure } from '@parrain/domain/failure';
import type { FastifyReply } from 'fastify';

import { createLruCache } from '../platform/concurrency.ts';
import { retryAfterOf } from '../platform/errors.ts';
import { noticePage } from './page.ts';
import type { Company, Page } from './page.ts';

/** The company of a page that asks nothing of the database. */
export const UNNAMED: Company = {
  name: 'Mon Entreprise',
  logo: null,
  color: null,
  presentation: null,
  gain: null,
  answerDays: null,
  picture: null,
  contactMonths: 36,
  rulesVersion: null,
};

/** A refusal as a page that says it. */
export function sendNotice(reply: FastifyReply, company: Company, failure: Failure): FastifyReply {
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
  const isClosed = failure.code === 'personal_link_closed' || failure.code === 'opt_out_link_unknown';
  const title = isClosed ? 'Ce lien n’est plus actif' : 'Votre demande n’a pas été reçue';
  const text = isClosed
    ? failure.code === 'opt_out_link_unknown'
      ? 'Ouvrez-le depuis l’e-mail reçu, ou répondez « STOP » à cet e-mail.'
      : 'Demandez-en un autre à la personne qui vous l’a donné.'
    : `${failure.message} Revenez à la page précédente : ce que vous avez écrit y est encore.`;
  return sendPage(
    reply,
    failure.status,
    company === UNNAMED ? unnamedNotice(title, text) : noticePage(company, title, text),
  );
}

/** Cache of the pages that refuse a flood: one for each sentence; the seconds to wait make some sixty of them. */
const notices = createLruCache<string, Page>(200);
function unnamedNotice(title: string, text: string): Page {
  const known = notices.get(text);
  if (known !== undefined) return known;
  const page = noticePage(UNNAMED, title, text);
  notices.set(text, page);
  return page;
}

/** Of a request that was taken back or decided, or of no ticket of ours: no mail is behind this page. */
export function sendRequestOver(reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    404,
    noticePage(
      UNNAMED,
      'Cette demande n’est plus ouverte',
      'Elle a été retirée ou traitée, ou votre réponse a déjà été donnée par e-mail : il n’y a plus rien à changer ici.',
    ),
  );
}

/** A robot that indexes says so in its name; what gives no name of a browser counts as one. */
const isBrowser = (agent = '') => agent.startsWith('Mozilla/') && !/bot|crawl|spider|slurp/iu.test(agent);

/** A page of this room. No search engine keeps it, for it names people; robots are told so, and browsers nothing. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply
    .status(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': page.policy,
      'cache-control': 'no-store',
      ...(isBrowser(reply.request.headers['user-agent']) ? {} : { 'x-robots-tag': 'noindex' }),
    })
    .send(page.html);
}
