import { failureMessage } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusalOf } from './functions/index.ts';
import type { Services } from './platform/services.ts';

const BODY_LIMIT_BYTES = 10_000;

/**
 * The address of `List-Unsubscribe` (RFC 8058). A post says no, at once, without a cookie or a redirection. To open it says
 * nothing, for programs that inspect mails open every link: it leads to the page whose button does.
 */
export default async function oneClick(app: FastifyInstance, services: Services): Promise<void> {
  app.removeAllContentTypeParsers();
  // A form, as the standard has it; what is in it says nothing that the address does not.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, null));
  app.get('/one-click', async (request, reply) => {
    const token = tokenOf(request);
    const refusal = refusalOf(services, token);
    return refusal === null ? unknown(reply) : reply.redirect(`${refusal.page}#${token}`, 303);
  });
  app.post('/one-click', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    const refusal = refusalOf(services, tokenOf(request));
    if (refusal === null) return unknown(reply);
    await refusal.sayNo();
    return sendText(reply, 'C’est noté.');
  });
}

function tokenOf({ query }: FastifyRequest): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}

function unknown(reply: FastifyReply): FastifyReply {
  return sendText(reply.status(404), failureMessage('opt_out_link_unknown'));
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).send(`${text}\n`);
}
