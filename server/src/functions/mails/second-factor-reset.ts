import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** Tells a person that an admin removed their second factor (AU-17): an unexpected reset does not go unnoticed. */
export function secondFactorResetMail(sender: Sender, to: string, name: string): Mail {
  const { companyName, publicUrl } = sender;
  return mail(sender, {
    template: 'second-factor-reset',
    to,
    subject: `Votre double authentification a été retirée – ${companyName}`,
    blocks: [
      title('Votre double authentification a été retirée'),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(
        `Un administrateur de ${companyName} a retiré la double authentification de votre compte, et vos appareils ont été déconnectés.`,
      ),
      paragraph('Vous pouvez vous connecter avec votre mot de passe, puis activer de nouveau une deuxième étape.'),
      paragraph('Si vous ne l’avez pas demandé, changez votre mot de passe et prévenez votre entreprise.'),
      button('Se connecter', `${publicUrl}/auth/login`),
    ],
    why: `Message envoyé à propos de votre compte ${companyName}.`,
  });
}
