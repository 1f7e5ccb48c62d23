import { contactConsentVersion } from '@parrain/domain/call-consent';
import type { CallAnswer } from '@parrain/domain/call-consent';
import { contactMonthsText } from '@parrain/domain/contact-months';
import { formatDateTime } from '@parrain/domain/date';
import { phoneLengthMax } from '@parrain/domain/forms/limits';
import { french } from '@parrain/domain/typography';

import { html, lines } from '#platform/html';
import type { Html } from '#platform/html';

import { document } from './page.ts';
import type { Company, Page } from './page.ts';

/** Data kept of a friend, as they read it: nothing of what the company writes for itself. */
export type FriendData = {
  readonly saleId: string;
  /** The mark of the mailbox that the link was mailed to. */
  readonly proves: Buffer | null;
  /** The link was mailed to the address that the referral has: it speaks for that mailbox (DF-20). */
  readonly isProven: boolean;
  readonly company: Company;
  /** « Camille B. » */
  readonly referrer: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly message: string | null;
  /** Time at which they were recommended. */
  readonly since: string;
  /** Time of the one message that the commercial wrote them and that waits for an answer; its text is not kept (CS-03). */
  readonly writtenAt: string | null;
  readonly state: 'open' | 'over' | 'contract';
  /** Their answers about being called or written to, the last first. */
  readonly answers: readonly {
    readonly isGiven: boolean;
    readonly answer: CallAnswer;
    readonly statement: string;
    readonly version: string;
    readonly saidAt: string;
  }[];
};

export type DataFields = Readonly<Record<'name' | 'email' | 'phone', string>>;

const STATES: Readonly<Record<FriendData['state'], string>> = {
  open: 'En cours, sans contrat.',
  over: 'Close, sans contrat.',
  contract: 'Un contrat a été signé.',
};

/** « Vos données »: what is kept, a form to correct it, a button to have it erased. */
export function ownDataPage(page: {
  readonly friend: FriendData;
  readonly answerUrl: string;
  readonly publicUrl: string;
  /** As they were sent, where something is wrong with them. */
  readonly fields?: DataFields;
  readonly errors?: ReadonlyMap<string, string>;
  /** They have just been corrected. */
  readonly isSaved?: boolean;
}): Page {
  const { friend, answerUrl, publicUrl, errors = new Map<string, string>(), isSaved = false } = page;
  const { company, referrer } = friend;
  const fields = page.fields ?? { name: friend.name, email: friend.email ?? '', phone: friend.phone ?? '' };
  const field = (id: keyof DataFields, label: string, attributes: Html): Html => {
    const error = errors.get(id);
    return html`<label for="${id}">${label}</label>
      <input
        id="${id}"
        name="${id}"
        value="${fields[id]}"
        ${attributes}
        ${error === undefined ? html`` : html`aria-invalid="true" aria-describedby="${id}-error"`}
      />
      ${error === undefined ? html`` : html`<p class="error" id="${id}-error">${french(error)}</p>`}`;
  };
  const whole = errors.get('');
  return document(company, {
    title: `Vos données – ${company.name}`,
    body: html`<h1>Vos données</h1>
      ${isSaved ? html`<p class="alert done" role="status">${french('C’est corrigé.')}</p>` : html``}
      ${whole === undefined ? html`` : html`<p class="alert" role="alert">${french(whole)}</p>`}
      <p class="lead">${french(`Ce que ${company.name} garde de vous.`)}</p>
      <dl>
        ${fact('Nom', friend.name)} ${fact('E-mail', friend.email ?? 'Aucun')}
        ${fact('Téléphone', friend.phone ?? 'Aucun')}
        ${friend.message === null ? html`` : fact('Message', lines(friend.message))}
        ${fact('Recommandé par', `${referrer}, le ${formatDateTime(friend.since)}`)}
        ${fact('Suite', STATES[friend.state])}
        ${friend.writtenAt === null ? html`` : fact('Un commercial vous a écrit', `Le ${formatDateTime(friend.writtenAt)}`)}
        <dt>Comment vous recontacter</dt>
        ${
          friend.answers.length === 0
            ? html`<dd>${french('Vous n’avez rien dit.')}</dd>`
            : friend.answers.map(
                ({ isGiven, statement, version, saidAt }) =>
                  html`<dd>
                    ${french(`${version === contactConsentVersion ? 'Votre choix' : isGiven ? 'Oui' : 'Non'}, le ${formatDateTime(saidAt)} : « ${statement} »`)}
                    <small>Texte ${version}</small>
                  </dd>`,
              )
        }
      </dl>
      <p><a href="${answerUrl}">${french('Dire si vous acceptez d’être appelé')}</a></p>
      ${
        friend.state === 'contract'
          ? html``
          : html`<p>
              ${french(`Sans contrat, tout est effacé au plus tard ${contactMonthsText(company.contactMonths)} après le dernier échange.`)}
            </p>`
      }
      <section aria-labelledby="correct">
        <h2 id="correct">Corriger</h2>
        <form method="post" novalidate>
          <input type="hidden" name="act" value="corriger" />
          ${field('name', 'Votre nom', html`autocomplete="name" required maxlength="120"`)}
          ${field('email', 'Votre e-mail', html`type="email" autocomplete="email" maxlength="255"`)}
          ${field('phone', 'Votre téléphone', html`type="tel" autocomplete="tel" maxlength="${String(phoneLengthMax)}"`)}
          <button>Corriger</button>
        </form>
      </section>
      <section aria-labelledby="erase">
        <h2 id="erase">Faire effacer</h2>
        <p>
          ${french(
            friend.state === 'contract'
              ? `Vos coordonnées et votre message sont effacés tout de suite. Les montants du contrat restent dans les comptes de ${company.name}, sans votre nom ; les documents comptables déjà établis sont gardés dix ans, comme la loi le demande.`
              : `Vos coordonnées et votre message sont effacés tout de suite, et la recommandation est close. ${referrer} verra « Contact effacé à sa demande ».`,
          )}
        </p>
        <p>
          ${french(
            friend.isProven
              ? 'Les autres recommandations faites à votre adresse sont closes aussi. Il reste une empreinte de cette adresse, illisible, pour que personne ne puisse vous inviter à nouveau. Cela ne peut pas être annulé.'
              : 'Seule cette recommandation est effacée : ce lien n’a pas été envoyé à l’adresse qui y est notée. Cela ne peut pas être annulé.',
          )}
        </p>
        <details>
          <summary>Faire effacer mes données</summary>
          <form method="post">
            <input type="hidden" name="act" value="effacer" />
            <button class="danger">Oui, tout effacer</button>
          </form>
        </details>
      </section>
      <section>
        <p>
          ${french('Pour toute autre demande, répondez à l’e-mail qui vous a mené ici.')}
          <a href="${publicUrl}/pages/confidentialite">Confidentialité</a>
        </p>
      </section>`,
  });
}

/** Nothing is kept any more. */
export function erasedPage({ company }: Pick<FriendData, 'company'>): Page {
  return document(company, {
    title: `Vos données sont effacées – ${company.name}`,
    body: html`<h1>Vos données sont effacées</h1>
      <p class="lead">
        ${french(`${company.name} ne vous contactera plus. Ce lien ne mène plus à rien : vous pouvez fermer cette page.`)}
      </p>`,
  });
}

function fact(label: string, value: string | Html): Html {
  return html`<dt>${label}</dt>
    <dd>${value}</dd>`;
}
