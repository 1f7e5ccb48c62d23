import { Failure } from '@parrain/domain/failure';
import { callConsentStatement } from '@parrain/domain/call-consent';
import type { CallAnswer } from '@parrain/domain/call-consent';
import { phoneLengthMax } from '@parrain/domain/forms/limits';
import { french } from '@parrain/domain/typography';
import type { FastifyInstance } from 'fastify';

import { failureOf, retryAfterOf } from '../platform/errors.ts';
import { html } from '#platform/html';
import type { Services } from '../platform/services.ts';
import { keepAnswer } from './call-answer.ts';
import { readSentRequest } from './friend-data.ts';
import { document, noticePage } from './page.ts';
import type { Company, Page } from './page.ts';
import { sendNotice, sendPage, UNNAMED } from './send.ts';

const OVER = new Failure('opt_out_link_unknown');

/**
 * `/ma-demande?ticket=…` (DF-20): whoever sent the public form takes that request back, or says whether they may be called. They
 * proved no mailbox: nothing that is kept is shown, no other referral is touched, no address is refused from now on; and once the
 * mailbox itself has answered, it alone speaks.
 */
export function sentRequestRoutes(app: FastifyInstance, services: Services): void {
  app.get('/ma-demande', async (request, reply) => {
    const sent = await readSent(services, request.query);
    if (sent === null) return sendNotice(reply, UNNAMED, OVER);
    return sendPage(reply, 200, sentRequestPage(sent));
  });

  app.post('/ma-demande', { bodyLimit: 10_000 }, async (request, reply) => {
    const sent = await readSent(services, request.query);
    if (sent === null) return sendNotice(reply, UNNAMED, OVER);
    try {
      if (request.body instanceof URLSearchParams && request.body.get('act') === 'retirer') {
        await services.db.queryAsService('whoever sent a request takes it back', {
          text: 'select private.withdraw_referral($1, $2)',
          values: [sent.saleId, 'page'],
        });
        const said = `${sent.company.name} ne donnera pas suite à cette demande, et les coordonnées qui y étaient sont effacées.`;
        return await sendPage(reply, 200, noticePage(sent.company, 'Votre demande est retirée', said));
      }
      const answer = await keepAnswer(services, sent, request.body, 'page');
      return await sendPage(reply, 200, sentRequestPage({ ...sent, answer, isSaid: true }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'opt_out_link_unknown') return sendNotice(reply, UNNAMED, failure);
      if (failure.code !== 'invalid_input' && failure.code !== 'rate_limited') throw error;
      const retryAfter = retryAfterOf(failure);
      if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
      return sendPage(reply, failure.status, sentRequestPage({ ...sent, error: failure.message }));
    }
  });
}

type Sent = {
  readonly saleId: string;
  readonly company: Company;
  readonly referrer: string;
  readonly answer: CallAnswer;
  readonly needsPhone: boolean;
};

async function readSent(services: Services, query: unknown): Promise<Sent | null> {
  const { ticket } = query as { ticket?: unknown };
  const friend = typeof ticket === 'string' ? await readSentRequest(services, ticket) : null;
  if (friend === null || friend.state !== 'open') return null;
  const { saleId, company, referrer, phone, answers } = friend;
  return { saleId, company, referrer, answer: answers[0]?.answer ?? null, needsPhone: phone === null };
}

function sentRequestPage(page: Sent & { readonly isSaid?: boolean; readonly error?: string }): Page {
  const { company, referrer, answer, needsPhone, isSaid = false, error } = page;
  const asksPhone = needsPhone && answer !== true;
  return document(company, {
    title: `Votre demande – ${company.name}`,
    body: html`<h1>${french(isSaid ? 'C’est noté' : 'Votre demande')}</h1>
      <p class="lead">
        ${french(`Sur la recommandation de ${referrer}, vous avez écrit à ${company.name}. ${saidText(answer)}`)}
      </p>
      ${error === undefined ? html`` : html`<p class="alert" role="alert">${french(error)}</p>`}
      <form method="post" novalidate>
        ${
          asksPhone
            ? html`<label for="phone">Votre téléphone, pour être appelé</label>
                <input id="phone" name="phone" type="tel" autocomplete="tel" maxlength="${String(phoneLengthMax)}" />`
            : html``
        }
        ${
          answer === true
            ? html`<button name="answer" value="non">Ne plus accepter d’être appelé</button>`
            : html`<p>${french(callConsentStatement(company.name))}</p>
                <button name="answer" value="oui">Oui, j’accepte</button>`
        }
      </form>
      <section aria-labelledby="back">
        <h2 id="back">Retirer cette demande</h2>
        <p>
          ${french('La demande est close, et les coordonnées et le message qui y sont notés sont effacés. Cela ne peut pas être annulé.')}
        </p>
        <form method="post">
          <input type="hidden" name="act" value="retirer" />
          <button class="danger">Retirer ma demande</button>
        </form>
      </section>`,
  });
}

function saidText(answer: CallAnswer): string {
  if (answer === 'sms') return 'Vous avez choisi d’être recontacté par SMS.';
  if (answer === 'email') return 'Vous avez choisi d’être recontacté par e-mail.';
  return answer === true ? 'Vous avez accepté d’être appelé.' : 'Vous n’avez pas accepté d’être appelé.';
}
