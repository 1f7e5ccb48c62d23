import { brandColorDefault, inkOn } from '@parrain/domain/brand-color';
import { answerDelayText } from '@parrain/domain/answer-delay';
import {
  callConsentStatement,
  contactChannelLabels,
  contactChannels,
  contactConsentStatement,
} from '@parrain/domain/call-consent';
import type { CallAnswer, ContactChannel } from '@parrain/domain/call-consent';
import { contactMonthsText } from '@parrain/domain/contact-months';
import { personalMessageLengthMax, phoneLengthMax } from '@parrain/domain/forms/limits';
import { french } from '@parrain/domain/typography';
import { createHash } from 'node:crypto';

import { html, raw } from '#platform/html';
import type { Html } from '#platform/html';

import { SCRIPT } from './script.ts';
import type { Stamp } from './stamp.ts';
import { STYLE } from './style.ts';

/** The company as its public page shows it. */
export type Company = {
  readonly name: string;
  /** The path of its logo, on this same address. */
  readonly logo: string | null;
  readonly color: string | null;
  readonly presentation: string | null;
  /** Gain promised to a friend (UI-03). */
  readonly gain: string | null;
  /** Within how many working days a friend is answered; null where nothing is promised. */
  readonly answerDays: number | null;
  /** The path of its picture, on this same address. */
  readonly picture: string | null;
  /** For how long a contact without contract is kept. */
  readonly contactMonths: number;
  /** Of the programme's rules in force (CS-05); null where there are none. */
  readonly rulesVersion: number | null;
};

const fieldNames = ['name', 'channel', 'contact', 'message'] as const;
/** The form's fields as texts, for a page that gives them back. */
export type Fields = Readonly<Record<(typeof fieldNames)[number], string>>;

const NO_FIELDS: Fields = { name: '', channel: '', contact: '', message: '' };

/** A page as it is sent: its HTML, and the policy that allows its own style and script and nothing else. */
export type Page = { readonly html: string; readonly policy: string };

type FormPage = {
  readonly company: Company;
  /** « Camille B. » */
  readonly referrer: string;
  /** « Corentin P. », who will answer; null where the company has named nobody. */
  readonly adviser: string | null;
  /** The page's own address, under whichever name it is read. */
  readonly path: string;
  /** The address of the whole product, without a trailing slash. */
  readonly publicUrl: string;
  readonly stamp: Stamp;
  readonly fields?: Fields;
  /** The first error of each field; under `''` that of the whole form. */
  readonly errors?: ReadonlyMap<string, string>;
  /** The sum is asked of everybody: whoever sent the form did no other work. */
  readonly isSumAsked?: boolean;
  /** For the company itself: nothing is sent from here. */
  readonly isPreview?: boolean;
};

/**
 * Page of a personal link: the referrer, the company and what a friend gains, the person who answers, the form, and the data that is kept.
 */
export function formPage(page: FormPage): Page {
  const {
    company,
    referrer,
    adviser,
    path,
    publicUrl,
    stamp,
    fields = NO_FIELDS,
    errors = new Map(),
    isSumAsked = false,
    isPreview = false,
  } = page;
  const title = `${referrer} vous recommande ${company.name}`;
  const lead =
    company.presentation ?? 'Laissez vos coordonnées : vous aurez une réponse, sans engagement de votre part.';
  const isFreeSaid = /sans engagement/iu.test(`${lead} ${company.gain ?? ''}`);
  // The keyboard goes on where something is to be put right (DF-85).
  const firstWrong = fieldNames.find((id) => errors.has(id));
  const errorOf = (id: keyof Fields): Html => {
    const error = errors.get(id);
    return error === undefined ? html`` : html`<p class="error" id="${id}-error">${french(error)}</p>`;
  };
  const field = (id: 'name' | 'contact' | 'message', label: string, attributes: Html, hint?: string): Html =>
    html`<label for="${id}">${french(label)}</label
      >${hint === undefined ? html`` : html`<p class="hint" id="${id}-hint">${french(hint)}</p>`}
      ${control(id, fields[id], attributes, {
        described: [...(hint === undefined ? [] : [`${id}-hint`]), ...(errors.has(id) ? [`${id}-error`] : [])],
        isWrong: errors.has(id),
        isFirst: id === firstWrong,
      })}
      ${errorOf(id)}`;
  const whole = errors.get('');
  const sum = html`<p>
    <label for="sum">${french(`Pour montrer que vous n’êtes pas un robot : combien font ${stamp.sum} ?`)}</label>
    <input
      id="sum"
      name="sum"
      inputmode="numeric"
      autocomplete="off"
      maxlength="4"
      class="short"
      ${isSumAsked ? html`aria-invalid="true" aria-describedby="whole" autofocus` : html``}
    />
  </p>`;
  return document(company, {
    title,
    head: html`<meta name="description" content="${lead}" />
      <meta property="og:title" content="${title}" />
      <meta property="og:description" content="${lead}" />
      <meta property="og:type" content="website" />
      <meta property="og:locale" content="fr_FR" />
      <meta property="og:site_name" content="${company.name}" />
      <meta property="og:url" content="${publicUrl}${path}" />
      ${pictureOfLink(company, publicUrl)}`,
    body: html`${
        isPreview
          ? html`<p class="alert done">
              ${french('Aperçu : vos amis lisent cette page. Les noms sont des exemples, rien n’est envoyé d’ici.')}
            </p>`
          : html``
      }
      <h1><bdi>${referrer}</bdi> vous recommande <bdi>${company.name}</bdi></h1>
      ${pictureOf(company)}
      <p class="lead">${french(lead)}</p>
      <div class="offer">
        ${gainOf(company)}
        <section aria-labelledby="who">
          <h2 id="who">Qui vous répondra</h2>
          <p>
            ${french(`${answererText(company, adviser)}, ${answerDelayText(company.answerDays)}.${isFreeSaid ? '' : ' Sans engagement de votre part.'}`)}
          </p>
        </section>
      </div>
      ${
        whole === undefined && errors.size === 0
          ? html``
          : html`<p class="alert" id="whole" role="alert">
              ${french(whole ?? 'Corrigez ce qui est signalé ci-dessous, puis envoyez à nouveau.')}
            </p>`
      }
      <form method="post" action="${path}" novalidate data-seed="${stamp.seed}">
        <input type="hidden" name="stamp" value="${stamp.text}" />
        <input type="hidden" name="work" value="" />
        ${field('name', 'Votre nom', html`autocomplete="name" required maxlength="120"`)}
        ${channelChoice(company, fields.channel, errors.has('channel'), firstWrong === 'channel')} ${errorOf('channel')}
        ${field(
          'contact',
          'Votre téléphone ou votre e-mail',
          html`autocomplete="${fields.channel === 'email' ? 'email' : 'tel'}" required maxlength="255"
          inputmode="${fields.channel === 'call' || fields.channel === 'sms' ? 'tel' : 'email'}"`,
          'Un numéro pour un appel ou un SMS ; sinon, une adresse.',
        )}
        ${field('message', 'Votre message (facultatif)', html`maxlength="${String(personalMessageLengthMax)}"`)}
        <p class="trap" aria-hidden="true">
          <label for="website">Ne remplissez pas ce champ</label>
          <input id="website" name="website" tabindex="-1" autocomplete="off" />
        </p>
        ${isSumAsked ? sum : isPreview ? html`` : html`<noscript>${sum}</noscript>`}
        <button ${isPreview ? html`disabled` : html``}>Envoyer ma demande</button>
      </form>
      <section aria-labelledby="kept">
        <h2 id="kept">Vos données</h2>
        <p>
          ${french(
            `Votre nom, votre téléphone ou votre e-mail, votre message, et la façon dont vous acceptez d’être recontacté. ${company.name} s’en sert pour répondre à cette recommandation, et à rien d’autre.`,
          )}
        </p>
        <p>
          ${french(
            `${referrer} verra votre nom, vos coordonnées, votre message et l’avancement de sa recommandation, et peut recevoir une récompense si vous signez un contrat.`,
          )}
          ${company.rulesVersion === null ? html`` : html`<a href="${publicUrl}/regles">Règles du programme</a>`}
        </p>
        <p>
          ${french(
            `Sans contrat, ${company.name} les efface au plus tard ${contactMonthsText(company.contactMonths)} après le dernier échange. Vous pouvez les faire effacer à tout moment, par le lien que vous aurez une fois votre demande envoyée.`,
          )}
          <a href="${publicUrl}/pages/confidentialite">Confidentialité</a>
          <a href="${publicUrl}/pages/accessibilite">Accessibilité</a>
        </p>
      </section>`,
    ...(isPreview ? {} : { script: SCRIPT }),
  });
}

/** The three ways to be reached, none chosen: each says what is agreed to by choosing it, in the words that are kept. */
function channelChoice(company: Company, chosen: string, isWrong: boolean, isFirst: boolean): Html {
  return html`<fieldset
    class="choice"
    role="radiogroup"
    aria-labelledby="channel-asked"
    aria-required="true"
    ${isWrong ? html`aria-invalid="true" aria-describedby="channel-error"` : html``}
  >
    <legend id="channel-asked">${french('Comment préférez-vous être recontacté ?')}</legend>
    <div class="ways">
      ${contactChannels.map(
        (channel, place) =>
          html`<span
            ><input
              type="radio"
              id="${channel}"
              name="channel"
              value="${channel}"
              required
              aria-describedby="${channel}-said"
              ${channel === chosen ? html`checked` : html``}
              ${isFirst && place === 0 ? html`autofocus` : html``}
            /><label for="${channel}">${contactChannelLabels[channel]}</label></span
          >`,
      )}
    </div>
    ${contactChannels.map(
      (channel) =>
        html`<p class="said ${channel}" id="${channel}-said">
          ${french(contactConsentStatement(channel, company.name))}
        </p>`,
    )}
  </fieldset>`;
}

/** The picture that other sites show of a link: the company's, else its logo. */
function pictureOfLink({ picture, logo }: Company, publicUrl: string): Html {
  const shown = picture ?? logo;
  if (shown === null) return html``;
  return html`<meta property="og:image" content="${publicUrl}${shown}" />
    ${picture === null ? html`` : html`<meta name="twitter:card" content="summary_large_image" />`}`;
}

/** The company's picture, decoration beside its name; nothing where it has none. */
export function pictureOf({ picture }: Company): Html {
  return picture === null ? html`` : html`<img class="picture" src="${picture}" alt="" width="1200" height="630" />`;
}

/** Section on what a friend gains; empty where the company names nothing. */
export function gainOf({ gain }: Company): Html {
  return gain === null
    ? html``
    : html`<section aria-labelledby="gain">
        <h2 id="gain">${french('Ce que vous y gagnez')}</h2>
        <p class="text">${french(gain)}</p>
      </section>`;
}

function answererText({ name }: Company, adviser: string | null): string {
  return adviser === null ? `L’équipe de ${name}` : `${adviser}, de ${name}`;
}

/** The request is made: who answers, how and when, then the company; last, how to take it back. */
export function thanksPage(
  company: Company,
  {
    adviser,
    channel,
    contact,
    requestUrl,
  }: {
    readonly adviser: string | null;
    /** Null of a form from before, whose box for calls was left empty. */
    readonly channel: ContactChannel | null;
    /** As it was typed, for whoever mistyped it to see. */
    readonly contact: string;
    /** Page where the request is withdrawn. */
    readonly requestUrl: string;
  },
): Page {
  // A number stays on one line.
  const unbroken = contact.replaceAll(' ', '\u00a0');
  const how = {
    call: `vous appellera au ${unbroken}`,
    sms: `vous répondra par SMS, au ${unbroken}`,
    email: `vous répondra par e-mail, à ${contact}`,
  };
  const comma = adviser === null ? '' : ',';
  const answered = channel === null ? 'vous répondra par écrit' : how[channel];
  return document(company, {
    title: `Merci – ${company.name}`,
    body: html`<h1>Merci, votre demande est envoyée</h1>
      <p class="lead strong">
        ${french(`${answererText(company, adviser)}${comma} ${answered}, ${answerDelayText(company.answerDays)}.`)}
      </p>
      <p>
        ${french(
          channel === 'call'
            ? 'C’est sans engagement de votre part.'
            : 'C’est sans engagement de votre part. Vous ne serez pas appelé.',
        )}
      </p>
      ${
        company.presentation === null && company.gain === null
          ? html``
          : html`<div class="offer">
              ${
                company.presentation === null
                  ? html``
                  : html`<section aria-labelledby="what">
                      <h2 id="what"><bdi>${company.name}</bdi></h2>
                      <p class="text">${french(company.presentation)}</p>
                    </section>`
              }
              ${gainOf(company)}
            </div>`
      }
      <p class="quiet">
        ${french('Vous changez d’avis ?')}
        <a href="${requestUrl}">Changer ma réponse, ou retirer ma demande et faire effacer mes coordonnées</a>
      </p>`,
  });
}

/** A friend says whether they may be called: two buttons, and a number where none is known. */
export function answerPage(page: {
  readonly company: Company;
  readonly referrer: string;
  /** Their last answer; null where they gave none. */
  readonly answer: CallAnswer;
  readonly needsPhone: boolean;
  readonly forgetUrl: string;
  /** Page of the data kept of them (CS-04). */
  readonly dataUrl: string;
  /** They have just said it. */
  readonly isSaid?: boolean;
  readonly error?: string;
}): Page {
  const { company, referrer, answer, needsPhone, forgetUrl, dataUrl, isSaid = false, error } = page;
  const now =
    answer === null
      ? `${referrer} vous recommande ${company.name}. Répondez par oui ou non : vous pourrez changer d’avis par ce même lien.`
      : typeof answer === 'string'
        ? `Votre choix : ${contactChannelLabels[answer]}, ${company.name} ne vous appellera pas. Vous pouvez changer d’avis.`
        : answer
          ? `Votre réponse : oui, ${company.name} peut vous appeler. Vous pouvez changer d’avis.`
          : `Votre réponse : non, ${company.name} ne vous appellera pas. Vous pouvez changer d’avis.`;
  return document(company, {
    title: `Acceptez-vous d’être appelé ? – ${company.name}`,
    body: html`<h1>${french(isSaid ? 'C’est noté' : 'Acceptez-vous d’être appelé ?')}</h1>
      <p class="lead">${french(now)}</p>
      <form method="post" novalidate>
        ${
          needsPhone && answer !== true
            ? html`<label for="phone">Votre téléphone, pour être appelé</label>
                <input
                  id="phone"
                  name="phone"
                  type="tel"
                  autocomplete="tel"
                  maxlength="${String(phoneLengthMax)}"
                  ${error === undefined ? html`` : html`aria-invalid="true" aria-describedby="phone-error"`}
                />
                ${error === undefined ? html`` : html`<p class="error" id="phone-error">${french(error)}</p>`}`
            : html``
        }
        <p>${french(callConsentStatement(company.name))}</p>
        <button name="answer" value="oui">Oui, j’accepte</button>
        <button name="answer" value="non" class="second">Non, ne pas m’appeler</button>
      </form>
      <section>
        <p><a href="${dataUrl}">Voir, corriger ou faire effacer ce qui est gardé de vous</a></p>
        <p><a href="${forgetUrl}">Ne plus être contacté et faire effacer mes coordonnées</a></p>
      </section>`,
  });
}

/** A page that says one thing: the link is over, too many requests, something failed. */
export function noticePage(company: Company, title: string, text: string): Page {
  return document(company, {
    title: `${title} – ${company.name}`,
    body: html`<h1>${french(title)}</h1>
      <p class="lead">${french(text)}</p>`,
  });
}

function control(
  id: 'name' | 'contact' | 'message',
  value: string,
  attributes: Html,
  {
    described,
    isWrong,
    isFirst,
  }: { readonly described: readonly string[]; readonly isWrong: boolean; readonly isFirst: boolean },
): Html {
  const state = html`${isWrong ? html` aria-invalid="true"` : html``}${isFirst ? html` autofocus` : html``}${
    described.length === 0 ? html`` : html` aria-describedby="${described.join(' ')}"`
  }`;
  return id === 'message'
    ? html`<textarea id="${id}" name="${id}" rows="3" ${attributes}${state}>${raw('\n')}${value}</textarea>`
    : html`<input id="${id}" name="${id}" value="${value}" ${attributes}${state} />`;
}

/** A whole page of this room: the company's head, its style, its policy. */
export function document(
  company: Company,
  content: { readonly title: string; readonly head?: Html; readonly body: Html; readonly script?: string },
): Page {
  const color = company.color ?? brandColorDefault;
  const style = `:root{--brand:${color};--on-brand:${inkOn(color)}}${STYLE}`;
  const { script } = content;
  const page = html`<!doctype html>
    <html lang="fr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no" />
        <title>${content.title}</title>
        ${content.head ?? html``}
        <link rel="icon" href="/favicon.svg" />
        <style></style>
      </head>
      <body>
        <header>
          ${company.logo === null ? html`` : html`<img src="${company.logo}" alt="" height="40" />`}
          <span>${company.name}</span>
        </header>
        <main>${content.body}</main>
        <script></script>
      </body>
    </html>`;
  // Put in last, and to the letter: their hashes stand in the policy.
  // A lead keeps the line breaks of the company's own text, and none of the template's.
  const packed = page.html.replaceAll(/>\n\s+</gu, '>\n<').replaceAll(/(<p class="lead[^"]*">)\s+/gu, '$1');
  return {
    html: packed
      .replace('<style></style>', () => `<style>${style}</style>`)
      .replace('<script></script>', () => (script === undefined ? '' : `<script>${script}</script>`)),
    policy: [
      "default-src 'none'",
      `style-src '${hashOf(style)}'`,
      ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
      "img-src 'self'",
      "font-src 'self'",
      // For who checks the page from inside it: robots.txt, and nothing of another origin.
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
