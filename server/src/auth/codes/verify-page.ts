import { createHash } from 'node:crypto';

import { escaped } from '#platform/html';
import { readSender } from '#platform/mail-layout';

import { validationFailed } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { queryValue } from '../protocol/request.ts';
import { isLinkLive } from './verify-token.ts';

/**
 * GET /verify, the page of a link whose token stands in the query. Mail scanners open every link: opening uses nothing up,
 * the page's button does (AU-08). The page of a dead link tells so.
 */
export const verifyPage: Operation = {
  method: 'GET',
  url: '/verify',
  access: 'browser',
  async handle(call) {
    const token = queryValue(call.request, 'token') ?? '';
    const type = queryValue(call.request, 'type') ?? '';
    if (token === '') throw validationFailed('Verify requires a token');
    if (type === '') throw validationFailed('Verify requires a verification type');
    const target = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
    const { company, isLive } = await call.db.asService(
      'auth: page',
      async (tx) => ({
        company: await readSender(tx, call.settings.siteUrl),
        isLive: await isLinkLive(tx, call, type, token),
      }),
      { readOnly: true },
    );
    return {
      status: isLive ? 200 : 410,
      body: page(company.companyName, isLive ? live(type) : DEAD, { token, type, redirect_to: target }),
      headers: headersFor(target),
    };
  },
};

/**
 * GET /verify/link, the same for a link whose token stands in the fragment: the page's own script puts it into the form,
 * and a dead link shows after the button.
 */
export const verifyLinkPage: Operation = {
  method: 'GET',
  url: '/verify/link',
  access: 'browser',
  async handle(call) {
    const type = queryValue(call.request, 'type') ?? '';
    if (type === '') throw validationFailed('Verify requires a verification type');
    const target = redirectTarget(queryValue(call.request, 'redirect_to'), call.settings);
    const company = await call.db.asService('auth: page', (tx) => readSender(tx, call.settings.siteUrl), {
      readOnly: true,
    });
    const html = page(company.companyName, live(type), { token: '', type, redirect_to: target }, 'continue');
    return {
      body: html.replace('</body>', `<script>${FILL}</script>\n</body>`),
      headers: headersFor(target, `; script-src 'sha256-${createHash('sha256').update(FILL).digest('base64')}'`),
    };
  },
};

/** Removes the token from the address bar and the history. */
const FILL = `document.forms[0].elements.token.value=new URLSearchParams(location.hash.slice(1)).get('token')||'';history.replaceState(null,'',location.pathname+location.search)`;

function headersFor(target: string, scripts = ''): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    // The browser follows the button's redirect only to where the form may lead.
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${new URL(target).origin}; base-uri 'none'; frame-ancestors 'none'${scripts}`,
    // Not `no-referrer`: the browser would then not send the form's origin, which proves that the form is ours.
    'referrer-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  };
}

/** A map, because the type is whatever an address says: a property that every object has (`constructor`) is no title. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['signup', 'Confirmez votre adresse'],
  ['invite', 'Votre accès est prêt'],
  ['recovery', 'Choisissez un nouveau mot de passe'],
  ['email_change', 'Confirmez votre nouvelle adresse'],
]);

type Words = { readonly title: string; readonly text: string; readonly button: string };

function live(type: string): Words {
  return {
    title: TITLES.get(type) ?? 'Connexion',
    text: 'Appuyez sur le bouton pour continuer. Ce lien ne sert qu’une fois.',
    button: 'Continuer',
  };
}

/** The button of a dead link leads on as well: the application shows the next step from the error in the address. */
const DEAD: Words = {
  title: 'Ce lien n’est plus valable',
  text: 'Il a expiré, a déjà servi ou a été remplacé par un plus récent. Retournez sur le site pour en demander un autre.',
  button: 'Retourner sur le site',
};

function page(
  company: string,
  { title, text, button }: Words,
  fields: Readonly<Record<string, string>>,
  action = 'verify/continue',
): string {
  const inputs = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join('');
  return `<!doctype html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} – ${escaped(company)}</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 24rem; padding: 2rem; text-align: center; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 0.5rem; }
p { margin: 0 0 1.5rem; opacity: 0.75; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.5rem; border: 0; border-radius: 0.5rem; background: #1d4ed8; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #93c5fd; outline-offset: 2px; }
</style>
</head>
<body>
<main>
<p>${escaped(company)}</p>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<form method="post" action="${action}">${inputs}<button type="submit" autofocus>${escaped(button)}</button></form>
</main>
</body>
</html>`;
}
