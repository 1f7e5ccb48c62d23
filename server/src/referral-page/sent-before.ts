import type { FastifyReply, FastifyRequest } from 'fastify';

import { markOf, requestOfTicket } from '../functions/index.ts';
import type { Services } from '../platform/services.ts';

/** For how long the same form, sent again by this browser, is the same request. */
const KEPT_SECONDS = 900;
const NAME = 'demande';

/** To the thanks, which are read by GET: they are shown anew as often as they are asked for, and send nothing again (UI-03). */
export function thankByRedirect(reply: FastifyReply, token: string, ticket: string): FastifyReply {
  return reply
    .header(
      'set-cookie',
      `${NAME}=${ticket}; Path=/p/${token}; Max-Age=${KEPT_SECONDS}; HttpOnly; SameSite=Lax${reply.request.protocol === 'https' ? '; Secure' : ''}`,
    )
    .header('cache-control', 'no-store')
    .redirect(`/ma-demande/merci?ticket=${ticket}`, 303);
}

/** The ticket of the request that this browser has just made by this link with the same contact; null where there is none. */
export async function sentBefore(
  services: Services,
  request: FastifyRequest,
  contact: { readonly email: string | null; readonly phone: string | null },
): Promise<string | null> {
  const ticket = new RegExp(`(?:^|; )${NAME}=([\\w-]{1,500})`, 'u').exec(request.headers.cookie ?? '')?.[1];
  if (ticket === undefined) return null;
  const sent = requestOfTicket(services, ticket);
  if (sent === null || !sent.mark.equals(markOf(services, contact))) return null;
  const { rows } = await services.db.queryAsService(
    'a form that is sent twice',
    {
      text: `select from public.sales s where s.id = $1 and s.created_at > private.now() - make_interval(secs => $2)
        and s.status <> 'rejected'`,
      values: [sent.saleId, KEPT_SECONDS],
    },
    { readOnly: true },
  );
  return rows.length > 0 ? ticket : null;
}
