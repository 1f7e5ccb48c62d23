import { Failure } from '@parrain/domain/failure';
import { french } from '@parrain/domain/typography';
import type { FastifyInstance } from 'fastify';

import { html } from '#platform/html';
import { callAnswerPage, ownDataPage } from '../functions/index.ts';
import type { Services } from '../platform/services.ts';
import { readFriendData, tokenOf } from './friend-data.ts';
import { document, gainOf, pictureOf } from './page.ts';
import type { Page } from './page.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';
import type { FriendData } from './own-data-page.ts';

/** `/decouvrir?token=…` (DF-09): the company as it presents itself, to the friend whom somebody recommended it to by mail. */
export function discoverRoutes(app: FastifyInstance, services: Services): void {
  app.get('/decouvrir', async (request, reply) => {
    const token = tokenOf(request.query);
    const friend = await readFriendData(services, token);
    if (friend === null) return sendNotice(reply, UNNAMED, new Failure('opt_out_link_unknown'));
    const links = { answerUrl: callAnswerPage(services, token), dataUrl: ownDataPage(services, token) };
    return sendPage(reply, 200, discoverPage(friend, links));
  });
}

function discoverPage(
  { company, referrer }: FriendData,
  { answerUrl, dataUrl }: { readonly answerUrl: string; readonly dataUrl: string },
): Page {
  const title = `${referrer} vous recommande ${company.name}`;
  return document(company, {
    title,
    body: html`<h1><bdi>${referrer}</bdi> vous recommande <bdi>${company.name}</bdi></h1>
      ${pictureOf(company)}
      ${company.presentation === null ? html`` : html`<p class="lead">${french(company.presentation)}</p>`}
      ${company.gain === null ? html`` : html`<div class="offer">${gainOf(company)}</div>`}
      <p><a href="${answerUrl}">${french('Dire si vous acceptez d’être appelé')}</a></p>
      <p><a href="${dataUrl}">${french('Voir, corriger ou faire effacer ce qui est gardé de vous')}</a></p>`,
  });
}
