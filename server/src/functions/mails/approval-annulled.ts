import { formatEuros } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';

import type { Mail } from '#platform/mail';

import { html, lines } from './html.ts';
import { button, mail, paragraph, quotation } from './layout.ts';
import type { Sender } from './layout.ts';

/** Tells a client that the approval of their request was annulled, and why (FX-10). */
export function approvalAnnulledMail(
  sender: Sender,
  to: string,
  annulled: { readonly name: string; readonly amount: Cents; readonly reason: string },
): Mail {
  const { name, amount, reason } = annulled;
  const said = `L’approbation de votre demande de paiement de ${formatEuros(amount)} a été annulée : elle n’est pas payée et attend une nouvelle décision. Ce montant reste réservé pour vous.`;
  return mail(sender, {
    template: 'approval-annulled',
    to,
    subject: `Votre demande de paiement attend une nouvelle décision – ${sender.companyName}`,
    blocks: [
      paragraph(html`Bonjour ${name},`, `Bonjour ${name},`),
      paragraph(html`${said}`, said),
      paragraph(html`La raison :`, 'La raison :'),
      quotation(lines(reason), reason),
      button('Voir mes demandes', `${sender.publicUrl}/client/dashboard`),
    ],
    why: `Message envoyé parce que vous avez demandé un paiement à ${sender.companyName}.`,
  });
}
