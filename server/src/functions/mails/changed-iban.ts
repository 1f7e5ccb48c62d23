import { formatDateTime } from '@parrain/domain/date';

import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** PO-04: a request names another account than before, or a commercial has given another. Whoever did not give it has two days to say so. */
export function changedIbanMail(
  sender: Sender,
  to: string,
  {
    name,
    shown,
    isRequest,
    usableFrom,
    link,
  }: {
    readonly name: string;
    readonly shown: string;
    readonly isRequest: boolean;
    readonly usableFrom: string;
    readonly link: string;
  },
): Mail {
  return mail(sender, {
    template: 'changed-iban',
    to,
    subject: `Votre IBAN a changé : est-ce bien vous ? – ${sender.companyName}`,
    blocks: [
      title('Votre IBAN a changé'),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(
        isRequest
          ? phrase`Une demande de paiement vient d’être faite sur un autre compte que le vôtre jusqu’ici : ${shown}.`
          : phrase`Un autre compte que le vôtre jusqu’ici vient d’être donné pour payer vos commissions : ${shown}.`,
      ),
      paragraph(
        `Par sécurité, il ne servira qu’à partir du ${formatDateTime(usableFrom)}. Si c’est bien vous, confirmez-le pour être payé sans attendre.`,
      ),
      button('Confirmer cet IBAN', link),
      paragraph(
        'Si ce n’est pas vous, ne confirmez rien : changez votre mot de passe et prévenez votre entreprise tout de suite.',
      ),
    ],
    why: `Message envoyé à propos de votre compte ${sender.companyName}.`,
  });
}
