import { apiKeyScopeLabels, apiKeyScopes, apiKeyScopeSentences } from '@parrain/domain/api-key';
import { webhookEventLabels, webhookTopicLabels, webhookTopics } from '@parrain/domain/webhook';
import type { WebhookTopic } from '@parrain/domain/webhook';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { html } from '../platform/html.ts';
import type { Html } from '../platform/html.ts';
import { addressOf, KEY_ACTIONS } from './open-api.ts';
import type { KeyAction, ReadTable } from './open-api.ts';

/** An example, as the page prints it and as a test runs it. */
export const EXAMPLES = ['read', 'refer', 'pay'] as const;
export type Example = (typeof EXAMPLES)[number];

export function exampleText(example: Example, language: 'sh' | 'mjs'): string {
  return textOf(`${example}.${language}`);
}

/** The example of a receiver of webhooks (WH-02). */
export const receiverText = (): string => textOf('listen.mjs');

function textOf(file: string): string {
  return readFileSync(new URL(`./examples/${file}`, import.meta.url), 'utf8').trim();
}

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f8f6f0, #14171f); --sheet: light-dark(#fffefc, #1b1f2a); --ink: light-dark(#1a1f36, #eceef4);
  --soft: light-dark(#4d5263, #b4b9c7); --line: light-dark(#dedbd2, #343a4a); --link: light-dark(#0b5d44, #5fd3a8); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 40px 20px 80px; }
h1 { margin: 0 0 12px; font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 48px 0 12px; padding-top: 24px; border-top: 1px solid var(--line); font-size: 1.35rem; }
h3 { margin: 28px 0 8px; font-size: 1.06rem; overflow-wrap: anywhere; }
p { max-width: 42rem; margin: 0 0 12px; }
a { color: var(--link); }
code { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 8px 0 16px; padding: 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
pre code { overflow-wrap: normal; }
dl { margin: 0; }
dt { margin-top: 10px; font-weight: 600; }
dd { margin: 0; color: var(--soft); }
.soft { color: var(--soft); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;

/** WH-01: the documentation for whoever connects other software: no script, no file, made of the same facts as the OpenAPI. */
export function docsPage(address: string, tables: readonly ReadTable[]): { html: string; policy: string } {
  const page = html`<!doctype html>
    <html lang="fr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Documentation de l’API · Parrain</title>
        <style></style>
      </head>
      <body>
        <main>
          <h1>Documentation de l’API</h1>
          <p>
            Vos autres logiciels lisent et complètent votre programme de parrainage par les mêmes adresses que
            l’application. La même description, pour les outils :
            <a href="/docs/api/openapi.json">openapi.json</a> (OpenAPI 3.1).
          </p>

          <h2 id="cle">Votre clé</h2>
          <p>
            Un administrateur la crée dans <a href="/admin/dashboard?section=integrations">Intégrations</a>, avec les
            droits qu’il choisit. Elle va dans l’en-tête <code>Authorization: Bearer prk_…</code> de chaque appel,
            depuis un serveur : jamais dans une page web.
          </p>
          <dl>
            ${apiKeyScopes.map(
              (scope) =>
                html`<dt>${apiKeyScopeLabels[scope]}</dt>
                  <dd>${apiKeyScopeSentences[scope]}</dd>`,
            )}
          </dl>
          <p class="soft">
            Dans les exemples, <code>PARRAIN_URL</code> vaut <code>${address}</code> et <code>PARRAIN_KEY</code> est
            votre clé.
          </p>

          <h2 id="regles">À savoir</h2>
          <dl>
            <dt>Montants</dt>
            <dd>
              En euros, avec un point : <code>1234.56</code>. Demandez-les en texte, <code>select=amount::text</code>,
              pour ne jamais les arrondir. Le montant d’une demande de paiement est hors taxes : la TVA à verser en plus
              est <code>vat_amount</code>, vide où il n’y en a pas, et le total qui part <code>total</code>.
            </dd>
            <dt>Refus</dt>
            <dd>
              Une réponse 4xx dit en français ce qui ne va pas : <code>error</code> et <code>code</code> pour une
              action, <code>message</code> et <code>details</code> pour une lecture.
            </dd>
            <dt>Répéter sans risque</dt>
            <dd>
              Ajoutez <code>Idempotency-Key</code> à chaque action, avec une valeur à vous. Le même appel répété reçoit
              la même réponse, gardée 48 heures ; un autre contenu sous la même valeur est refusé (422).
            </dd>
            <dt>Rythme</dt>
            <dd>
              300 appels par minute et par clé. Au-delà, la réponse 429 dit dans <code>Retry-After</code> combien de
              secondes attendre.
            </dd>
            <dt>Décisions</dt>
            <dd>Valider un contrat et approuver un paiement restent des décisions d’un administrateur.</dd>
          </dl>

          <h2 id="lire">Lire</h2>
          <p>
            Choisissez les colonnes avec <code>select</code>, filtrez avec
            <code>colonne=eq.valeur</code> (<code>gte</code>, <code>lt</code>, <code>in.(a,b)</code>…), triez avec
            <code>order</code>, paginez avec <code>limit</code> et <code>offset</code>.
          </p>
          ${exampleOf('read')} ${tables.map(tableOf)}

          <h2 id="agir">Agir</h2>
          ${KEY_ACTIONS.map(actionOf)}

          <h2 id="etre-prevenu">Être prévenu</h2>
          <p>
            Un webhook, ajouté dans <a href="/admin/dashboard?section=integrations">Intégrations</a>, envoie chaque
            étape choisie à votre adresse par <code>POST</code>, avec
            <code>{ "id", "type", "version", "timestamp", "data" }</code> : <code>data</code> est la ligne telle qu’un
            administrateur la lit, à cette étape.
          </p>
          <dl>
            <dt>Signature</dt>
            <dd>
              Selon Standard Webhooks : les en-têtes <code>webhook-id</code>, <code>webhook-timestamp</code> et
              <code>webhook-signature</code>. Refusez ce qui n’est pas signé de votre secret <code>whsec_…</code>.
            </dd>
            <dt>Réponse</dt>
            <dd>
              Répondez 2xx en quelques secondes. Sinon l’envoi est répété, avec le même <code>webhook-id</code>, neuf
              fois en 24 heures ; 410 arrête tout de suite. Le même message peut arriver deux fois : reconnaissez-le à
              son <code>webhook-id</code>.
            </dd>
            <dt>Ordre</dt>
            <dd>Les étapes d’une même vente, demande ou personne arrivent dans leur ordre.</dd>
            ${(Object.keys(webhookTopics) as WebhookTopic[]).map(topicOf)}
          </dl>
          <p class="soft">Recevoir, en JavaScript (Node.js) :</p>
          <pre tabindex="0"><code>${receiverText()}</code></pre>
          <p>
            Un CRM, n8n, Make ou Node-RED n’ont besoin de rien d’autre. Dans les sources du produit,
            <code>npm run node-red</code> montre Node-RED qui crée un parrainage et en reçoit les étapes.
          </p>
        </main>
      </body>
    </html> `.html;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return {
    // Put in whole: the policy names the style sheet by its hash, to the letter.
    html: page.replace('<style></style>', () => `<style>${STYLE}</style>`),
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
  };
}

/** The example of each action. */
const EXAMPLE_OF: Readonly<Record<string, Example>> = {
  'receive-referral/': 'refer',
  'payment-request/update_status': 'pay',
};

function actionOf(action: KeyAction): Html {
  const example = EXAMPLE_OF[`${action.name}/${action.action}`];
  return html`<h3><code>POST ${addressOf(action)}</code></h3>
    <p>${action.summary} <span class="soft">Droit « ${apiKeyScopeLabels[action.scope]} ».</span></p>
    <dl>
      ${Object.entries(action.fields).map(
        ([name, field]) =>
          html`<dt><code>${name}</code></dt>
            <dd>${field.description}</dd>`,
      )}
    </dl>
    ${example === undefined ? '' : exampleOf(example)}`;
}

function topicOf(topic: WebhookTopic): Html {
  return html`<dt>${webhookTopicLabels[topic]}</dt>
    ${webhookTopics[topic].map((event) => html`<dd><code>${event}</code> ${webhookEventLabels[event]}</dd>`)}`;
}

function exampleOf(example: Example): Html {
  return html`<p class="soft">Avec curl :</p>
    <pre tabindex="0"><code>${exampleText(example, 'sh')}</code></pre>
    <p class="soft">En JavaScript (Node.js) :</p>
    <pre tabindex="0"><code>${exampleText(example, 'mjs')}</code></pre>`;
}

function tableOf({ name, summary, columns }: ReadTable): Html {
  return html`<h3><code>GET /rest/v1/${name}</code></h3>
    <p>${summary}</p>
    <p class="soft"><code>${columns.map((column) => column.name).join(', ')}</code></p>`;
}
