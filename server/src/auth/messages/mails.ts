import type { Transaction } from '#platform/database';
import type { Mail } from '#platform/mail';
import { button, mail as letter, paragraph, readSender, small, title } from '#platform/mail-layout';

import type { Scope } from '../protocol/operation.ts';

/** The mails of this door, in French, with the company's name and logo. Their links come from the configuration alone. */

type Content = {
  readonly template: string;
  readonly subject: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly button?: { readonly label: string; readonly url: string };
  readonly footnotes: readonly string[];
};

/** « Confirmez votre adresse » after a registration, or of an account that was opened without a mail. */
export async function confirmationMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  {
    issued,
    redirectTo,
    isOpen,
  }: { readonly issued: IssuedToken; readonly redirectTo: string; readonly isOpen: boolean },
): Promise<Mail> {
  const { token, code } = issued;
  return mail(tx, scope, to, (company) => ({
    template: 'confirmation',
    subject: `Confirmez votre adresse – ${company}`,
    title: 'Confirmez votre adresse',
    paragraphs: isOpen
      ? [
          `Un compte client est ouvert à cette adresse chez ${company}.`,
          'Si c’est bien le vôtre, confirmez votre adresse : vous pourrez ensuite inviter vos amis.',
        ]
      : [
          `Vous venez de créer un compte client chez ${company}.`,
          'Pour l’activer, confirmez que cette adresse est bien la vôtre.',
        ],
    button: { label: 'Confirmer mon adresse', url: mailedLink(scope, token, 'signup', redirectTo) },
    footnotes: [
      validity(scope),
      codeSentence(code),
      isOpen
        ? 'Si vous n’avez pas créé de compte, ignorez ce message : rien ne sera confirmé.'
        : 'Si vous n’avez pas créé de compte, ignorez ce message : rien ne sera activé.',
    ],
  }));
}

/** « Vous avez déjà un compte », after a registration with an address that has one: its owner alone learns of it. */
export async function accountExistsMail(tx: Transaction, scope: Scope, to: string): Promise<Mail> {
  const { siteUrl } = scope.settings;
  return mail(tx, scope, to, (company) => ({
    template: 'account_exists',
    subject: `Vous avez déjà un compte – ${company}`,
    title: 'Vous avez déjà un compte',
    paragraphs: [
      `Une inscription chez ${company} vient d’être demandée avec votre adresse, qui a déjà un compte.`,
      'Votre compte et votre mot de passe restent les mêmes.',
    ],
    button: { label: 'Me connecter', url: `${siteUrl}/auth/login` },
    footnotes: [
      `Mot de passe oublié ? Choisissez-en un autre : ${siteUrl}/auth/forgot-password`,
      'Si vous n’avez rien demandé, ignorez ce message.',
    ],
  }));
}

/** « Choisissez un nouveau mot de passe ». */
export async function recoveryMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  { issued, redirectTo }: { readonly issued: IssuedToken; readonly redirectTo: string },
): Promise<Mail> {
  const { token, code } = issued;
  return mail(tx, scope, to, (company) => ({
    template: 'recovery',
    subject: `Choisissez un nouveau mot de passe – ${company}`,
    title: 'Choisissez un nouveau mot de passe',
    paragraphs: [`Un nouveau mot de passe a été demandé pour votre compte ${company}.`],
    button: { label: 'Choisir un nouveau mot de passe', url: recoveryLink(scope, token, redirectTo) },
    footnotes: [
      validity(scope),
      codeSentence(code),
      'Si vous n’avez rien demandé, ignorez ce message : votre mot de passe reste le même.',
    ],
  }));
}

/** « Votre accès est prêt », for an account that someone with the secret key opened. */
export async function inviteMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  { token, code }: IssuedToken,
): Promise<Mail> {
  return mail(tx, scope, to, (company) => ({
    template: 'invite',
    subject: `Votre accès ${company}`,
    title: 'Votre accès est prêt',
    paragraphs: [
      `${company} vous a ouvert un compte sur sa plateforme de parrainage.`,
      'Choisissez votre mot de passe pour y entrer.',
    ],
    button: { label: 'Choisir mon mot de passe', url: newPasswordLink(scope, token, 'invite') },
    footnotes: [validity(scope), codeSentence(code)],
  }));
}

/** « Votre lien de connexion » (AU-07): the account's way in without a password. */
export async function magicLinkMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  { token, code }: IssuedToken,
  redirectTo: string,
): Promise<Mail> {
  return mail(tx, scope, to, (company) => ({
    template: 'magic_link',
    subject: `Votre lien de connexion – ${company}`,
    title: 'Votre lien de connexion',
    paragraphs: [
      `Une connexion à votre compte ${company} a été demandée.`,
      code === null ? 'Appuyez sur le bouton.' : `Appuyez sur le bouton, ou saisissez ce code : ${code}`,
    ],
    button: { label: 'Me connecter', url: mailedLink(scope, token, 'magiclink', redirectTo) },
    footnotes: [
      code === null ? `${validity(scope)} ${codeSentence(null)}` : `${validity(scope)} ${codeValidity(scope)}`,
      `Si vous n’avez rien demandé, ignorez ce message${code === null ? '.' : ', et ne donnez ce code à personne.'}`,
    ],
  }));
}

/** To both sides of a change of address: each confirms it (AU-13). */
export async function emailChangeMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  change: {
    readonly issued: IssuedToken;
    readonly redirectTo: string;
    readonly newEmail: string;
    readonly isForNew: boolean;
  },
): Promise<Mail> {
  const { issued, redirectTo, newEmail, isForNew } = change;
  return mail(tx, scope, to, (company) => ({
    template: isForNew ? 'email_change_new' : 'email_change_current',
    subject: `Confirmez votre nouvelle adresse – ${company}`,
    title: 'Confirmez votre nouvelle adresse',
    paragraphs: isForNew
      ? [
          `Un compte ${company} doit désormais utiliser cette adresse.`,
          'Pour l’accepter, confirmez qu’elle est bien la vôtre.',
        ]
      : [
          `Votre compte ${company} doit désormais utiliser l’adresse ${newEmail}.`,
          'Confirmez que c’est bien votre demande. Le changement se fait quand les deux adresses l’ont confirmé.',
        ],
    button: {
      label: isForNew ? 'Confirmer cette adresse' : 'Confirmer le changement',
      url: mailedLink(scope, issued.token, 'email_change', redirectTo),
    },
    footnotes: [
      validity(scope),
      codeSentence(issued.code),
      isForNew
        ? 'Si ce n’est pas vous, ignorez ce message.'
        : 'Si ce n’est pas vous, ne confirmez rien et changez votre mot de passe.',
    ],
  }));
}

/** The code that a sensitive change asks for. */
export async function reauthenticationMail(tx: Transaction, scope: Scope, to: string, code: string): Promise<Mail> {
  return mail(tx, scope, to, (company) => ({
    template: 'reauthentication',
    subject: `Votre code de confirmation – ${company}`,
    title: 'Votre code de confirmation',
    paragraphs: [`Saisissez ce code pour confirmer que c’est bien vous : ${code}`],
    footnotes: [
      codeValidity(scope),
      'Si vous n’avez rien demandé, changez votre mot de passe : quelqu’un utilise votre compte.',
    ],
  }));
}

/** « Votre mot de passe a été modifié »: an owner who did not do it learns of it. */
export async function passwordChangedMail(tx: Transaction, scope: Scope, to: string): Promise<Mail> {
  return mail(tx, scope, to, (company) => ({
    template: 'password_changed',
    subject: `Votre mot de passe a été modifié – ${company}`,
    title: 'Votre mot de passe a été modifié',
    paragraphs: [
      `Le mot de passe de votre compte ${company} a été modifié ${instant(scope)}.`,
      'Vos autres appareils ont été déconnectés.',
    ],
    button: { label: 'Ce n’était pas moi', url: `${scope.settings.siteUrl}/auth/forgot-password` },
    footnotes: ['Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe.'],
  }));
}

/** A change of the ways to sign in, for the account's owner: `what` is a sentence that the instant ends. */
export async function securityNoticeMail(
  tx: Transaction,
  scope: Scope,
  to: string,
  notice: { readonly template: string; readonly title: string; readonly what: string },
): Promise<Mail> {
  return mail(tx, scope, to, (company) => ({
    template: notice.template,
    subject: `${notice.title} – ${company}`,
    title: notice.title,
    paragraphs: [`${notice.what} ${instant(scope)}.`],
    button: { label: 'Ce n’était pas moi', url: `${scope.settings.siteUrl}/auth/forgot-password` },
    footnotes: ['Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe.'],
  }));
}

function instant({ services }: Scope): string {
  const when = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Europe/Paris' });
  return `le ${when.format(services.clock.now())} (heure de Paris)`;
}

function validity({ settings }: Scope): string {
  const minutes = Math.round(settings.oneTimeTokenSeconds / 60);
  const duration = minutes % 60 === 0 ? `${minutes / 60} heure${minutes >= 120 ? 's' : ''}` : `${minutes} minutes`;
  return `Ce lien est valable ${duration} et ne sert qu’une fois.`;
}

function codeValidity({ settings }: Scope): string {
  return `Le code est valable ${Math.round(settings.oneTimeCodeSeconds / 60)} minutes.`;
}

function codeSentence(code: string | null): string {
  return code === null
    ? 'Trop de codes faux ont été saisis pour ce compte : jusqu’à demain, il s’ouvre par ce lien, et non par un code.'
    : `Si un code vous est demandé, saisissez : ${code}`;
}

/** A page of the site: a button there uses the link up, so a scanner that opens it changes nothing. */
function newPasswordLink({ settings }: Scope, token: string, type: string): string {
  return `${settings.siteUrl}/auth/new-password#${secretPart(token, type)}`;
}

function recoveryLink(scope: Scope, token: string, redirectTo: string): string {
  return isOwnPage(scope, redirectTo)
    ? newPasswordLink(scope, token, 'recovery')
    : mailedLink(scope, token, 'recovery', redirectTo);
}

/**
 * A mailed link to our own application leads straight to its page, on any device. A link that another application asked for
 * leads there by the page of this door with its « Continuer » button.
 */
function mailedLink(scope: Scope, token: string, type: string, redirectTo: string): string {
  const { siteUrl, externalUrl } = scope.settings;
  if (isOwnPage(scope, redirectTo)) return `${siteUrl}/auth/callback#${secretPart(token, type)}`;
  return `${externalUrl}/verify/link?type=${type}&redirect_to=${encodeURIComponent(redirectTo)}#token=${encodeURIComponent(token)}`;
}

/** The pages that our own application names as return addresses; the site itself stands for a request that names none. */
const OWN_PAGES: ReadonlySet<string> = new Set(['/', '/auth/callback', '/auth/login', '/auth/new-password']);

function isOwnPage({ settings }: Scope, redirectTo: string): boolean {
  const target = new URL(redirectTo);
  return target.origin === new URL(settings.siteUrl).origin && OWN_PAGES.has(target.pathname);
}

/** In the fragment, which no server sees and no proxy writes down. */
function secretPart(token: string, type: string): string {
  return `token_hash=${encodeURIComponent(token)}&type=${type}`;
}

/**
 * The link for a holder of the secret key, as the official client expects it: the same page, with the token in the query.
 */
export function verifyLink({ settings }: Scope, token: string, type: string, redirectTo: string): string {
  return `${settings.externalUrl}/verify?token=${encodeURIComponent(token)}&type=${type}&redirect_to=${encodeURIComponent(redirectTo)}`;
}

/** One layout for all mails; small print closes what this door says. */
async function mail(tx: Transaction, { settings }: Scope, to: string, write: (name: string) => Content): Promise<Mail> {
  const sender = await readSender(tx, settings.siteUrl);
  const { template, subject, title: heading, paragraphs, button: link, footnotes } = write(sender.companyName);
  return letter(sender, {
    template,
    to,
    subject,
    blocks: [
      title(heading),
      ...paragraphs.map((text) => paragraph(text)),
      ...(link === undefined ? [] : [button(link.label, link.url)]),
      ...footnotes.map((text) => small(text)),
    ],
    why: `Message envoyé à propos de votre compte ${sender.companyName}.`,
  });
}

/** The secrets of a mail. The database keeps only their hashes. */
export type IssuedToken = {
  /** For the link: 256 random bits, which the code does not reveal. With `pkce_` where it gives a code to exchange. */
  readonly token: string;
  /** Six digits to type; null while the account takes no codes. */
  readonly code: string | null;
};
