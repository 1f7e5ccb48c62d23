import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, quotation, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** The one message of a commercial to a friend who has not said whether they may be called (CS-03); an answer goes to the commercial. */
export function friendMessageMail(
  sender: Sender,
  written: {
    readonly name: string;
    readonly email: string;
    /** « Camille B. »; null where nobody referred them. */
    readonly referrerName: string | null;
    readonly commercial: { readonly name: string; readonly email: string };
    readonly message: string;
    /** Page where they say whether they may be called. */
    readonly answerUrl: string;
    readonly optOut: { readonly url: string; readonly oneClickUrl: string };
  },
): Mail {
  const { companyName } = sender;
  const { name, email, referrerName, commercial, message, answerUrl, optOut } = written;
  return mail(sender, {
    template: 'friend-message',
    to: email,
    // An account of a telephone has no address.
    replyTo: commercial.email === '' ? undefined : commercial.email,
    subject: `${commercial.name}, de ${companyName}, vous écrit`,
    blocks: [
      title(phrase`${commercial.name}, de ${companyName}, vous écrit`),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(
        referrerName === null
          ? 'Voici son message :'
          : phrase`${referrerName} vous a recommandé ${companyName}. Voici le message de ${commercial.name} :`,
      ),
      quotation(message),
      paragraph('Acceptez-vous d’être appelé ? Répondez oui ou non : votre réponse sera suivie.'),
      button('Dire oui ou non', answerUrl),
    ],
    why: `Sans réponse de votre part, ${commercial.name} ne vous écrira plus et ne vous appellera pas. Si vous ne souhaitez pas être recontacté, dites-le en un clic : vos coordonnées seront effacées.`,
    unsubscribe: { label: 'Ne plus me contacter', ...optOut },
  });
}
