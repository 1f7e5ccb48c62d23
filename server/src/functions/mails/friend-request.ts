import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** To a friend who came in by a personal link (CS-01): what they asked for, what happens next, how to be left alone. */
export function friendRequestMail(
  sender: Sender,
  request: {
    readonly name: string;
    readonly email: string;
    /** « Camille B. », as the page has it. */
    readonly referrerName: string;
    readonly commercialName: string | null;
    readonly mayCall: boolean;
    /** « sous 2 jours ouvrés ». */
    readonly delay: string;
    /** Page where they say whether they may be called. */
    readonly answerUrl: string;
    readonly optOut: { readonly url: string; readonly oneClickUrl: string };
  },
): Mail {
  const { companyName } = sender;
  const { name, email, referrerName, commercialName, mayCall, delay, answerUrl, optOut } = request;
  const who = commercialName === null ? `Un commercial de ${companyName}` : `${commercialName}, de ${companyName},`;
  return mail(sender, {
    template: 'friend-request',
    to: email,
    subject: `Votre demande à ${companyName}`,
    blocks: [
      title('Votre demande est bien arrivée'),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(phrase`Sur la recommandation de ${referrerName}, vous avez écrit à ${companyName}.`),
      paragraph(
        mayCall
          ? phrase`${who} vous appellera, comme vous l’avez accepté, ${delay} et sans engagement de votre part.`
          : phrase`${who} vous répondra par e-mail, ${delay} et sans engagement de votre part. Vous n’avez pas accepté d’être appelé.`,
      ),
      button(mayCall ? 'Changer ma réponse' : 'Accepter d’être appelé', answerUrl),
    ],
    why: `Vous recevez ce message parce que votre adresse a été saisie sur notre page. Si ce n’était pas vous, ou si vous ne souhaitez plus être contacté, dites-le en un clic : vos coordonnées seront effacées.`,
    unsubscribe: { label: 'Ne plus me contacter', ...optOut },
  });
}
