import { Failure } from '@parrain/domain/failure';
import type { FailureCode } from '@parrain/domain/failure';
import { formerFriendRequestForm, friendRequestForm } from '@parrain/domain/forms/friend-request';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { shortName } from '@parrain/domain/short-name';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { referByLink } from '../functions/index.ts';
import { failureOf, logTrouble, rateLimited, retryAfterOf } from '../platform/errors.ts';
import { createLocalLimit } from '../platform/local-limit.ts';
import { networkOf } from '../platform/network.ts';
import type { Bucket } from '../platform/rate-limit.ts';
import type { Services } from '../platform/services.ts';
import { answerRoutes } from './call-answer.ts';
import { COMPANY_COLUMNS, companyOf } from './company.ts';
import type { CompanyRow } from './company.ts';
import { discoverRoutes } from './discover.ts';
import { ownDataRoutes } from './own-data.ts';
import { formPage } from './page.ts';
import type { Company, Fields } from './page.ts';
import { rulesRoutes } from './rules.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';
import { sentBefore, thankByRedirect } from './sent-before.ts';
import { sentRequestRoutes } from './sent-request.ts';
import { makeStamp, verifyStamp } from './stamp.ts';

/** Compressing an answer costs more than all else of a refusal, and a flood would ask for it. */
const FORM = { bodyLimit: 16_000, compress: false } as const;
/** One network's pages and forms on this process: what is beyond asks nothing of the database. */
const VIEWS: Bucket = { capacity: 120, perSeconds: 60 };
const SENDINGS: Bucket = { capacity: 20, perSeconds: 60 };
/** One network's forms that came with their work done, taken or refused: a bound on asking whom the company knows. */
const TRIES: Bucket = { capacity: 30, perSeconds: 3600 };

const TOKEN = /^[0-9a-z]{12,40}$/u;

/** A link that leads nowhere now, whoever's it is. */
const CLOSED: ReadonlySet<FailureCode> = new Set([
  'personal_link_closed',
  'address_not_proven',
  'commercial_missing',
  'session_expired',
]);
/** The page is anybody's, so these are one answer: it does not say who is a client, a member of the company, or was referred. */
const KNOWN_ALREADY: ReadonlySet<FailureCode> = new Set([
  'friend_already_invited',
  'friend_is_client',
  'friend_is_staff',
  'friend_opted_out',
  'friend_referred_before',
  'self_referral',
]);

type Link = { readonly company: Company; readonly referrer: string | null; readonly adviser: string | null };

/** `/p/<token>` (CS-01): the public page of a client's personal link, a plain document whose form works without a script. */
export default async function referralPage(app: FastifyInstance, services: Services): Promise<void> {
  const viewsLeft = createLocalLimit(VIEWS);
  const sendingsLeft = createLocalLimit(SENDINGS);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  app.setErrorHandler(async (error, request, reply) => {
    logTrouble(request, error);
    return sendNotice(reply, UNNAMED, failureOf(error));
  });

  // Before a form is read: whoever floods, or sends slowly, waits for nothing and keeps nothing waiting.
  app.addHook('onRequest', async (request, reply) => {
    const wait = (request.method === 'POST' ? sendingsLeft : viewsLeft)(networkOf(request.ip));
    return wait > 0 ? sendNotice(reply, UNNAMED, rateLimited(wait)) : undefined;
  });

  answerRoutes(app, services);
  rulesRoutes(app, services);
  ownDataRoutes(app, services);
  discoverRoutes(app, services);
  sentRequestRoutes(app, services);

  // UI-03: the page as the company made it, which holds nothing that any link does not show.
  app.get('/p/apercu', async (_request, reply) => {
    const link = await readLink(services, '');
    return sendForm(reply, services, 'apercu', { ...link, ...EXAMPLES }, { isPreview: true });
  });

  app.get<{ Params: { token: string } }>('/p/:token', async (request, reply) => {
    const { token } = request.params;
    const link = await readLink(services, token);
    if (link.referrer === null) return sendNotice(reply, link.company, new Failure('personal_link_closed'));
    return sendForm(reply, services, token, link, {});
  });

  app.get<{ Params: { token: string } }>('/p/:token/', async (request, reply) =>
    reply.redirect(`/p/${encodeURIComponent(request.params.token)}`, 301),
  );

  app.post<{ Params: { token: string } }>('/p/:token', FORM, async (request, reply) => {
    const { token } = request.params;
    const link = await readLink(services, token);
    if (link.referrer === null) return sendNotice(reply, link.company, new Failure('personal_link_closed'));
    return receive(request, reply, services, token, link);
  });
}

const EXAMPLES = { referrer: 'Camille B.', adviser: 'Alex D.' } as const;

async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  token: string,
  link: Link,
): Promise<FastifyReply> {
  const given = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const text = (name: string): string => given.get(name) ?? '';
  const former = formerFields(given);
  const fields: Fields = {
    name: text('name'),
    channel: former?.mayCall === 'oui' ? 'call' : text('channel'),
    contact: former === null ? text('contact') : former.phone || former.email,
    message: text('message'),
  };
  const again = (answer: Partial<Again>): Promise<FastifyReply> =>
    sendForm(reply, services, token, link, { fields, ...answer });

  const form = { stamp: text('stamp'), work: text('work'), sum: text('sum') };
  const verdict = verifyStamp(services.secrets, token, form, services.clock.now());
  if (text('website') !== '' || verdict.kind === 'unproven') {
    return again({
      status: 400,
      whole: 'Répondez à la question au-dessus du bouton, puis envoyez à nouveau.',
      isSumAsked: true,
    });
  }
  if (verdict.kind !== 'taken') {
    return again({
      status: 400,
      whole:
        verdict.kind === 'early'
          ? 'C’est parti un peu vite : relisez, puis envoyez à nouveau.'
          : 'Cette page était ouverte depuis longtemps : relisez, puis envoyez à nouveau.',
    });
  }
  try {
    const friend =
      former === null
        ? parsePayload(friendRequestForm, fields)
        : parsePayload(formerFriendRequestForm, { ...fields, ...former });
    const known = await sentBefore(services, request, friend);
    if (known !== null) return thankByRedirect(reply, token, known);
    const wait = await services.rateLimit.takeToken(`referral-page:from:${networkOf(request.ip)}`, TRIES);
    if (wait > 0) throw rateLimited(wait);
    const ticket = await referByLink(services, token, friend, {
      submission: verdict.submission,
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
    });
    if (ticket === null) return again({ status: 409, whole: usedAlready });
    return thankByRedirect(reply, token, ticket);
  } catch (error) {
    logTrouble(request, error);
    const failure = failureOf(error);
    if (CLOSED.has(failure.code)) return sendNotice(reply, link.company, new Failure('personal_link_closed'));
    if (failure.code === 'invalid_input' && failure.issues.length > 0) {
      const errors = new Map(
        failure.issues.toReversed().map(({ path, message }) => [fieldOf(String(path[0] ?? '')), message]),
      );
      return again({ status: failure.status, errors });
    }
    const retryAfter = retryAfterOf(failure);
    if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
    if (KNOWN_ALREADY.has(failure.code)) return again({ status: 409, whole: knownAlready(link.company) });
    return again({ status: failure.status, whole: sentenceOf(failure) });
  }
}

const usedAlready = 'Cette page a déjà servi à envoyer une demande : relisez, puis envoyez à nouveau.';

/** The fields of the page before, where one was still open; null of the page of now. It goes with the release after. */
function formerFields(given: URLSearchParams): { email: string; phone: string; mayCall: string | null } | null {
  if (given.has('contact') || !(given.has('email') || given.has('phone'))) return null;
  return { email: given.get('email') ?? '', phone: given.get('phone') ?? '', mayCall: given.get('mayCall') };
}

/** The page's field of an issue: what the page before had in two fields is in one. */
function fieldOf(name: string): string {
  return name === 'email' || name === 'phone' ? 'contact' : name;
}

function knownAlready({ name }: Company): string {
  return `Cette demande n’a pas été enregistrée : ${name} connaît déjà cette personne, ou elle a demandé à ne pas être contactée.`;
}

function sentenceOf(failure: Failure): string {
  if (failure.code === 'daily_limit') return 'Ce lien a déjà reçu beaucoup de demandes aujourd’hui. Réessayez demain.';
  return failure.message;
}

type Again = {
  readonly status: number;
  readonly fields: Fields;
  readonly errors: ReadonlyMap<string, string>;
  /** Error of the form as a whole. */
  readonly whole: string;
  readonly isSumAsked: boolean;
  readonly isPreview: boolean;
};

async function sendForm(
  reply: FastifyReply,
  services: Services,
  token: string,
  { company, referrer, adviser }: Link,
  { status = 200, whole, errors = new Map(), ...rest }: Partial<Again>,
): Promise<FastifyReply> {
  const page = formPage({
    company,
    referrer: referrer ?? '',
    adviser,
    path: `/p/${token}`,
    publicUrl: services.publicUrl(),
    stamp: makeStamp(services.secrets, token, services.clock.now()),
    errors: whole === undefined ? errors : new Map([...errors, ['', whole]]),
    ...rest,
  });
  return sendPage(reply, status, page);
}

type LinkRow = CompanyRow & { readonly referrer_name: string | null; readonly adviser_name: string | null };

/** The company, who recommends it by this link and who will answer; nobody where the link leads nowhere now. */
async function readLink(services: Services, token: string): Promise<Link> {
  const { rows } = await services.db.queryAsService<LinkRow>(
    'the page of a personal link',
    {
      text: `select ${COMPANY_COLUMNS}, l.referrer_name, m.full_name as adviser_name
        from public.company_settings c left join private.read_personal_link($1, $2) l on l.is_open
        left join public.profiles p on p.id = l.client_id left join public.profiles m on m.id = p.commercial_id where c.id = 1`,
      values: [TOKEN.test(token) ? token : '', services.mail.isConfigured],
    },
    { readOnly: true },
  );
  const [row] = rows;
  if (row === undefined) return { company: UNNAMED, referrer: null, adviser: null };
  return {
    company: companyOf(row),
    referrer: row.referrer_name === null ? null : shortName(row.referrer_name),
    adviser: row.adviser_name === null ? null : shortName(row.adviser_name),
  };
}
