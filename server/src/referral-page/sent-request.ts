import { contactChannels, contactConsentStatement, contactConsentVersion } from '@parrain/domain/call-consent';
import type { CallAnswer, ContactChannel } from '@parrain/domain/call-consent';
import { channelAnswerForm } from '@parrain/domain/forms/call-answer';
import { phoneLengthMax } from '@parrain/domain/forms/limits';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { french } from '@parrain/domain/typography';
import type { FastifyInstance } from 'fastify';

import { sentRequestPage as sentRequestAddress } from '../functions/index.ts';
import { failureOf, retryAfterOf } from '../platform/errors.ts';
import { html } from '#platform/html';
import type { Services } from '../platform/services.ts';
import { keepAnswer, limitAnswers } from './call-answer.ts';
import { readSentRequest } from './friend-data.ts';
import { document, noticePage, thanksPage } from './page.ts';
import type { Company, Page } from './page.ts';
import { sendPage, sendRequestOver } from './send.ts';

/**
 * `/ma-demande?ticket=…` (DF-20): whoever sent the public form takes that request back, or says whether they may be called. They
 * proved no mailbox: nothing that is kept is shown, no other referral is touched, no address is refused from now on; and once the
 * mailbox itself has answered, it alone speaks.
 */
export function sentRequestRoutes(app: FastifyInstance, services: Services): void {
  app.get('/ma-demande', async (request, reply) => {
    const sent = await readSent(services, request.query);
    if (sent === null) return sendRequestOver(reply);
    return sendPage(reply, 200, sentRequestPage(sent));
  });

  app.get('/ma-demande/merci', async (request, reply) => {
    const sent = await readSent(services, request.query);
    if (sent === null) return sendRequestOver(reply);
    const requestUrl = sentRequestAddress(services, sent.ticket);
    // The thanks say the contact again: later the address shows nothing that is kept (DF-20).
    if (!sent.isRecent) return reply.redirect(requestUrl, 303);
    const { company, adviser, channel } = sent;
    const contact = (channel === 'email' ? sent.email : sent.phone) ?? '';
    return sendPage(reply, 200, thanksPage(company, { adviser, channel, contact, requestUrl }));
  });

  app.post('/ma-demande', { bodyLimit: 10_000 }, async (request, reply) => {
    const sent = await readSent(services, request.query);
    if (sent === null) return sendRequestOver(reply);
    try {
      if (request.body instanceof URLSearchParams && request.body.get('act') === 'retirer') {
        await services.db.queryAsService('whoever sent a request takes it back', {
          text: 'select private.withdraw_referral($1, $2)',
          values: [sent.saleId, 'page'],
        });
        const said = `${sent.company.name} ne donnera pas suite à cette demande, et les coordonnées qui y étaient sont effacées.`;
        return await sendPage(reply, 200, noticePage(sent.company, 'Votre demande est retirée', said));
      }
      const given = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      // Of a page that was open before it had the three ways, two answers.
      const answer = given.has('channel')
        ? await keepChannel(services, sent, given)
        : await keepAnswer(services, sent, request.body, 'page');
      return await sendPage(reply, 200, sentRequestPage({ ...sent, answer, isSaid: true }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'opt_out_link_unknown') return sendRequestOver(reply);
      if (failure.code !== 'invalid_input' && failure.code !== 'rate_limited') throw error;
      const retryAfter = retryAfterOf(failure);
      if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
      return sendPage(reply, failure.status, sentRequestPage({ ...sent, error: failure.message }));
    }
  });
}

type Sent = {
  readonly ticket: string;
  readonly saleId: string;
  readonly isRecent: boolean;
  readonly adviser: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  /** Channel that they chose to be reached by (UI-03); null of a form of the former page. */
  readonly channel: ContactChannel | null;
  readonly company: Company;
  readonly referrer: string;
  readonly answer: CallAnswer;
  readonly needsPhone: boolean;
};

async function readSent(services: Services, query: unknown): Promise<Sent | null> {
  const { ticket } = query as { ticket?: unknown };
  if (typeof ticket !== 'string') return null;
  const friend = await readSentRequest(services, ticket);
  if (friend === null || friend.state !== 'open') return null;
  const { saleId, company, referrer, adviser, isRecent, email, phone, answers } = friend;
  const answer = answers[0]?.answer ?? null;
  return {
    ticket,
    saleId,
    company,
    referrer,
    adviser,
    isRecent,
    email,
    phone,
    answer,
    channel: answer === true ? 'call' : typeof answer === 'string' ? answer : null,
    needsPhone: phone === null,
  };
}

/**
 * Another of the three ways.
 * @throws Failure invalid_input, rate_limited, opt_out_link_unknown
 */
async function keepChannel(services: Services, sent: Sent, given: URLSearchParams): Promise<CallAnswer> {
  const { saleId, company, needsPhone } = sent;
  const { channel, phone } = parsePayload(channelAnswerForm, {
    channel: given.get('channel'),
    phone: given.get('phone'),
    needsPhone,
  });
  await limitAnswers(services, saleId, 'page');
  await services.db.queryAsService('whoever sent a request chooses another way to be reached', {
    text: 'select private.choose_channel($1, $2, $3, $4, $5)',
    values: [saleId, channel, contactConsentStatement(channel, company.name), contactConsentVersion, phone],
  });
  return channel === 'call' ? true : channel;
}

function sentRequestPage(page: Sent & { readonly isSaid?: boolean; readonly error?: string }): Page {
  const { company, referrer, answer, email, needsPhone, isSaid = false, error } = page;
  const channel = answer === true ? 'call' : answer;
  // An address is given by the form alone, which writes to it.
  const others = contactChannels.filter((way) => way !== channel && (way !== 'email' || email !== null));
  return document(company, {
    title: `Votre demande – ${company.name}`,
    body: html`<h1>${french(isSaid ? 'C’est noté' : 'Votre demande')}</h1>
      <p class="lead">
        ${french(`Sur la recommandation de ${referrer}, vous avez écrit à ${company.name}. ${saidText(answer)}`)}
      </p>
      ${error === undefined ? html`` : html`<p class="alert" role="alert" id="wrong">${french(error)}</p>`}
      <form method="post" novalidate aria-labelledby="change">
        <h2 id="change">Changer ma réponse</h2>
        ${
          needsPhone
            ? html`<label for="phone">Votre téléphone, pour un appel ou un SMS</label>
                <input
                  id="phone"
                  name="phone"
                  type="tel"
                  autocomplete="tel"
                  maxlength="${String(phoneLengthMax)}"
                  ${error === undefined ? html`` : html`aria-invalid="true" aria-describedby="wrong" autofocus`}
                />`
            : html``
        }
        ${others.map(
          (way) =>
            html`<p id="${way}-said">${french(contactConsentStatement(way, company.name))}</p>
              <button name="channel" value="${way}" class="second" aria-describedby="${way}-said">
                Être recontacté par ${wayWords[way]}
              </button>`,
        )}
        ${
          answer === true
            ? html`<button name="answer" value="non" class="second">Ne plus accepter d’être appelé</button>`
            : html``
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

const wayWords = { call: 'appel', sms: 'SMS', email: 'e-mail' } as const;

function saidText(answer: CallAnswer): string {
  if (answer === 'sms') return 'Vous avez choisi d’être recontacté par SMS.';
  if (answer === 'email') return 'Vous avez choisi d’être recontacté par e-mail.';
  return answer === true ? 'Vous avez accepté d’être appelé.' : 'Vous n’avez pas accepté d’être appelé.';
}
