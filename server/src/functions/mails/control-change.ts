import { formatDateTime } from '@parrain/domain/date';

import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** To every admin: a control that binds them is about to be lifted or raised (DF-24). */
export function controlChangeMail(
  sender: Sender,
  asked: {
    readonly email: string;
    readonly askedBy: string;
    /** « ne plus demander de second administrateur ». */
    readonly change: string;
    readonly dueAt: string;
    readonly settingsUrl: string;
  },
): Mail {
  const { email, askedBy, change, dueAt, settingsUrl } = asked;
  return mail(sender, {
    template: 'control-change',
    to: email,
    subject: 'Un contrôle va être levé',
    blocks: [
      title('Un contrôle va être levé'),
      paragraph(phrase`${askedBy} demande de ${change}.`),
      paragraph(
        phrase`Ce changement s’applique quand un autre administrateur le confirme, et sinon le ${formatDateTime(dueAt)}. D’ici là, chaque administrateur peut le retirer, sur sa vue d’ensemble.`,
      ),
      button('Ouvrir mon espace', settingsUrl),
    ],
    why: `Message envoyé à tous les administrateurs de ${sender.companyName}.`,
  });
}
