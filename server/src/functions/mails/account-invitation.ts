import { TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Mail } from '#platform/mail';

import { html } from './html.ts';
import { button, facts, mail, paragraph } from './layout.ts';
import type { Sender } from './layout.ts';

/** Invitation to a new account, with the credentials of the first sign-in (X-05, V-19). */
export function accountInvitation(
  sender: Sender,
  invitation: {
    readonly as: 'commercial' | 'client';
    readonly name: string;
    readonly email: string;
    readonly temporaryPassword: string;
    readonly invitedBy: string;
  },
): Mail {
  const { companyName, publicUrl } = sender;
  const { as, name, email, temporaryPassword, invitedBy } = invitation;
  const space = as === 'commercial' ? 'votre espace commercial' : 'votre espace client';
  const purpose =
    as === 'commercial'
      ? 'Vous y inviterez vos clients, suivrez les parrainages reçus et vos commissions.'
      : 'Vous y inviterez vos amis, suivrez vos parrainages et demanderez le paiement de vos commissions.';
  return mail(sender, {
    template: `${as}-invitation`,
    to: email,
    subject: `${companyName} : votre accès à ${space}`,
    blocks: [
      paragraph(html`Bonjour ${name},`, `Bonjour ${name},`),
      paragraph(
        html`<bdi>${invitedBy}</bdi> vous invite à rejoindre le programme de parrainage de ${companyName} et vous a
          ouvert ${space}. ${purpose}`,
        `${invitedBy} vous invite à rejoindre le programme de parrainage de ${companyName} et vous a ouvert ${space}. ${purpose}`,
      ),
      facts([
        ['Email de connexion', email],
        ['Mot de passe temporaire', temporaryPassword],
      ]),
      button('Se connecter', `${publicUrl}/auth/login`),
      paragraph(
        html`Ce mot de passe ne sert qu'une fois et reste valable ${String(TEMPORARY_PASSWORD_HOURS)} heures : à la
        première connexion, vous choisirez le vôtre.`,
        `Ce mot de passe ne sert qu'une fois et reste valable ${TEMPORARY_PASSWORD_HOURS} heures : à la première connexion, vous choisirez le vôtre.`,
      ),
    ],
    why: `Vous recevez cet email parce que ${invitedBy} a créé un compte à votre adresse chez ${companyName}. Si vous ne vous y attendiez pas, ignorez-le : sans connexion, le mot de passe cesse de fonctionner.`,
  });
}
