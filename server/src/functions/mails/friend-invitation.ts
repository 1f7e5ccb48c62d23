import type { Mail } from '#platform/mail';

import { html, lines } from './html.ts';
import { button, mail, paragraph, quotation } from './layout.ts';
import type { Block, Sender } from './layout.ts';

/** The one message a referred friend gets: who gave their address, what happens next, how to be left alone (F-15). */
export function friendInvitation(
  sender: Sender,
  invitation: {
    readonly name: string;
    readonly email: string;
    readonly referrerName: string;
    readonly commercialName: string | null;
    readonly personalMessage: string | null;
    /** The opt-out page, which needs no account. */
    readonly optOutUrl: string;
  },
): Mail {
  const { companyName, publicUrl } = sender;
  const { name, email, referrerName, commercialName, personalMessage, optOutUrl } = invitation;
  const who = commercialName === null ? `Un commercial de ${companyName}` : `${commercialName}, de ${companyName},`;
  const message: readonly Block[] =
    personalMessage === null
      ? []
      : [paragraph(html`Son message :`, 'Son message :'), quotation(lines(personalMessage), personalMessage)];
  return mail(sender, {
    template: 'friend-invitation',
    to: email,
    subject: `${referrerName} vous recommande ${companyName}`,
    blocks: [
      paragraph(html`Bonjour ${name},`, `Bonjour ${name},`),
      paragraph(
        html`<bdi>${referrerName}</bdi> est client de ${companyName} et pense que nos services peuvent vous intéresser.`,
        `${referrerName} est client de ${companyName} et pense que nos services peuvent vous intéresser.`,
      ),
      ...message,
      paragraph(
        html`${who} pourra vous recontacter pour en parler, sans engagement de votre part.`,
        `${who} pourra vous recontacter pour en parler, sans engagement de votre part.`,
      ),
      button(`Découvrir ${companyName}`, `${publicUrl}/`),
    ],
    why: `${referrerName} nous a transmis votre adresse pour ce seul message : nous ne vous en enverrons pas d'autre et ne l'utiliserons pas à d'autres fins. Si vous ne souhaitez pas être recontacté, dites-le en un clic : vos coordonnées seront effacées.`,
    unsubscribe: { label: 'Ne plus me contacter', url: optOutUrl },
  });
}
