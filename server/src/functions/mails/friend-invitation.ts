import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, quotation, title } from '#platform/mail-layout';
import type { Block, Sender } from '#platform/mail-layout';

/** The message a referred friend gets by itself: who gave their address, what happens next, how to be left alone (F-15). */
export function friendInvitation(
  sender: Sender,
  invitation: {
    readonly name: string;
    readonly email: string;
    readonly referrerName: string;
    readonly commercialName: string | null;
    readonly personalMessage: string | null;
    /** Without the friend's word nobody calls, and the commercial may write once (CS-03). */
    readonly isConsentRequired: boolean;
    /** Page where they say whether they may be called (CS-03). */
    readonly answerUrl: string;
    /** The company’s page of this referral (DF-09). */
    readonly discoverUrl: string;
    /** The opt-out page, which needs no account, and the address that mail programs post to. */
    readonly optOut: { readonly url: string; readonly oneClickUrl: string };
  },
): Mail {
  const { companyName } = sender;
  const {
    name,
    email,
    referrerName,
    commercialName,
    personalMessage,
    isConsentRequired,
    answerUrl,
    discoverUrl,
    optOut,
  } = invitation;
  const who = commercialName === null ? `Un commercial de ${companyName}` : `${commercialName}, de ${companyName},`;
  const message: readonly Block[] =
    personalMessage === null ? [] : [paragraph('Son message :'), quotation(personalMessage)];
  return mail(sender, {
    template: 'friend-invitation',
    to: email,
    subject: `${referrerName} vous recommande ${companyName}`,
    blocks: [
      title(phrase`${referrerName} vous recommande ${companyName}`),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(
        phrase`${referrerName} fait confiance à ${companyName} et pense que nos services peuvent vous intéresser.`,
      ),
      ...message,
      paragraph(
        isConsentRequired
          ? phrase`${who} pourra vous écrire une seule fois, et ne vous appellera que si vous l’acceptez.`
          : phrase`${who} pourra vous recontacter pour en parler, sans engagement de votre part.`,
      ),
      paragraph('Acceptez-vous d’être appelé ? Répondez oui ou non : votre réponse sera suivie.'),
      button('Dire oui ou non', answerUrl),
      button(`Découvrir ${companyName}`, discoverUrl),
    ],
    why: `${referrerName} nous a transmis votre adresse pour cette recommandation : nous ne vous enverrons aucun autre message automatique et ne l’utiliserons pas à d’autres fins. Si vous ne souhaitez pas être recontacté, dites-le en un clic : vos coordonnées seront effacées.`,
    unsubscribe: { label: 'Ne plus me contacter', ...optOut },
  });
}
