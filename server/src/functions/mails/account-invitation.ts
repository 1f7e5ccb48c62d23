import { TEMPORARY_PASSWORD_HOURS } from '#auth';
import type { Mail } from '#platform/mail';
import { button, facts, mail, paragraph, phrase, small, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

const SPACES = {
  commercial: {
    space: 'votre espace commercial',
    isInvitedTo: 'rejoindre le programme de parrainage',
    uses: 'Vous y inviterez vos clients, suivrez les parrainages reçus et vos commissions.',
  },
  client: {
    space: 'votre espace client',
    isInvitedTo: 'rejoindre le programme de parrainage',
    uses: 'Vous y inviterez vos amis, suivrez vos parrainages et demanderez le paiement de vos commissions.',
  },
  comptable: {
    space: 'votre espace comptable',
    isInvitedTo: 'lire la comptabilité du parrainage',
    uses: 'Vous y lirez et téléchargerez le journal, les relevés, les pièces et la DAS2, sans rien pouvoir modifier.',
  },
} as const;

/** Invitation to a new account, or a new temporary password for one: the credentials of the next sign-in (X-05, V-19). */
export function accountInvitation(
  sender: Sender,
  invitation: {
    readonly as: keyof typeof SPACES;
    readonly isRenewal?: boolean;
    readonly name: string;
    readonly email: string;
    readonly temporaryPassword: string;
    readonly invitedBy: string;
  },
): Mail {
  const { companyName, publicUrl } = sender;
  const { as, isRenewal = false, name, email, temporaryPassword, invitedBy } = invitation;
  const { space, isInvitedTo, uses } = SPACES[as];
  return mail(sender, {
    template: `${as}-invitation`,
    to: email,
    subject: `${companyName} : votre accès à ${space}`,
    preview: isRenewal
      ? `${invitedBy} vous a donné un nouveau mot de passe.`
      : `${invitedBy} vous invite à ${isInvitedTo}.`,
    blocks: [
      title(isRenewal ? 'Votre nouveau mot de passe' : `${space.charAt(0).toUpperCase()}${space.slice(1)} est ouvert`),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(
        isRenewal
          ? phrase`${invitedBy} vous a donné un nouveau mot de passe pour ${space} chez ${companyName}. L’ancien ne fonctionne plus, et vos appareils sont déconnectés.`
          : phrase`${invitedBy} vous invite à ${isInvitedTo} de ${companyName} et vous a ouvert ${space}. ${uses}`,
      ),
      facts([
        ['E-mail de connexion', email],
        ['Mot de passe temporaire', temporaryPassword],
      ]),
      button('Se connecter', `${publicUrl}/auth/login`),
      small(
        `Ce mot de passe ne sert qu’une fois et reste valable ${TEMPORARY_PASSWORD_HOURS} heures : à la ${isRenewal ? 'prochaine' : 'première'} connexion, vous choisirez le vôtre.`,
      ),
    ],
    why: isRenewal
      ? `Vous recevez ce message parce que ${invitedBy} a changé le mot de passe de votre compte chez ${companyName}. Si vous ne l’avez pas demandé, écrivez à votre entreprise.`
      : `Vous recevez ce message parce que ${invitedBy} a créé un compte à votre adresse chez ${companyName}. Si vous ne vous y attendiez pas, ignorez-le : sans connexion, le mot de passe cesse de fonctionner.`,
  });
}
