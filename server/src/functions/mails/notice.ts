import { noticeWords } from '@parrain/domain/notice';
import type { NoticeFacts, NoticeKind } from '@parrain/domain/notice';
import { noticePlace, placePath } from '@parrain/domain/notice-place';
import { dashboardPathFor } from '@parrain/domain/role';

import type { Mail } from '#platform/mail';
import { amount, button, items, mail, paragraph, phrase, title } from '#platform/mail-layout';
import type { Block, Refusal, Sender } from '#platform/mail-layout';

type Recipient = { readonly name: string; readonly email: string };

/** One event, told to one person (TM-01). */
export function noticeMail(sender: Sender, recipient: Recipient, notice: NoticeFacts, unsubscribe: Refusal): Mail {
  const words = noticeWords(notice);
  return mail(sender, {
    template: `notice-${notice.kind}`,
    to: recipient.email,
    subject: `${words.title} – ${sender.companyName}`,
    preview: words.text,
    blocks: [
      title(words.title),
      paragraph(phrase`Bonjour ${recipient.name},`),
      ...amountOf(notice),
      paragraph(words.text),
      button(buttonOf(notice), addressOf(sender, notice)),
    ],
    why: whyOf(sender),
    unsubscribe,
  });
}

/** Several events, told together: those of an instant, or of a day. */
export function noticesMail(
  sender: Sender,
  recipient: Recipient,
  notices: readonly NoticeFacts[],
  unsubscribe: Refusal,
): Mail {
  const shown = notices.slice(0, LINES_MAX).map((notice) => ({
    ...noticeWords(notice),
    url: addressOf(sender, notice),
  }));
  const left = notices.length - shown.length;
  const [first] = notices;
  return mail(sender, {
    template: 'notices',
    to: recipient.email,
    subject: `${notices.length} nouvelles de votre programme de parrainage – ${sender.companyName}`,
    preview: shown.map(({ title: line }) => line).join(' · '),
    blocks: [
      title(`${notices.length} nouvelles`),
      paragraph(phrase`Bonjour ${recipient.name},`),
      items(shown),
      ...(left > 0 ? [paragraph(`Et ${left} autres, dans votre espace.`)] : []),
      button('Voir dans mon espace', `${sender.publicUrl}${dashboardPathFor(first?.role ?? 'client')}`),
    ],
    why: whyOf(sender),
    unsubscribe,
  });
}

const LINES_MAX = 30;

/** The record itself: whoever is not signed in comes to it once they are. */
function addressOf({ publicUrl }: Sender, notice: NoticeFacts): string {
  return publicUrl + placePath(notice.role, noticePlace(notice));
}

function buttonOf({ kind, role, requestId, disputeId }: NoticeFacts): string {
  if (kind === 'archive_ready') return 'Télécharger l’archive';
  if (kind === 'appointment_asked') return 'Voir la demande';
  if (kind === 'client_alone' || kind === 'commercial_asked') return 'Attribuer un commercial';
  if (kind === 'client_received') return 'Voir ce client';
  if (kind === 'commercial_given') return 'Inviter un ami';
  if (kind === 'archive_failed') return 'Ouvrir les paramètres';
  if (kind === 'month_rejected' || kind === 'month_returned') return 'Voir mon compte';
  if (requestId === null && kind.startsWith('invoice_')) return role === 'admin' ? 'Ouvrir le mois' : 'Voir mon compte';
  if (kind === 'iban_checked') return role === 'commercial' ? 'Voir mon profil' : 'Voir mes demandes';
  if (kind === 'referrals_imported') return 'Voir ces parrainages';
  if (disputeId) return role === 'admin' ? 'Ouvrir la contestation' : 'Voir ma contestation';
  if (requestId !== null) return role === 'admin' ? 'Ouvrir la demande' : 'Voir ma demande';
  if (kind === 'contract_to_validate') return 'Ouvrir le contrat';
  return kind === 'contract_annulled' ? 'Voir dans mon espace' : 'Voir ce parrainage';
}

/** The figure that the mail is about, on a line of its own. */
const AMOUNTS: Readonly<Partial<Record<NoticeKind, string>>> = {
  contract_validated: 'Votre commission',
  payment_received: 'Montant demandé',
  payment_to_decide: 'Montant demandé',
  payment_approved: 'Montant approuvé',
  payment_refused: 'Montant demandé',
  payment_paid: 'Montant payé',
  payment_annulled: 'Montant demandé',
  payment_returned: 'Montant revenu',
  invoice_received: 'Montant à payer',
  invoice_accepted: 'Montant à payer',
  month_rejected: 'Commissions',
  month_returned: 'Commissions',
};

function amountOf({ kind, amount: cents }: NoticeFacts): readonly Block[] {
  const name = AMOUNTS[kind];
  return name === undefined || cents === null ? [] : [amount(name, cents)];
}

function whyOf({ companyName }: Sender): string {
  return `Message envoyé parce que vous avez un compte chez ${companyName}. Vous choisissez ce que vous recevez dans « Profil ».`;
}
