import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signInWaysQuery } from '#api/account/sign-in-ways';

/** False where no mail server is configured: no screen promises an e-mail there (E-03). */
export function useSendsMail(): boolean {
  return useQuery(signInWaysQuery).data?.sendsMail !== false;
}

/** Sentence on how an invited person gets their credentials: by e-mail, or from the one who invites. */
export function useCredentialsWay(): string {
  const { t } = useTranslation();
  return useSendsMail()
    ? t('Il reçoit ses identifiants par e-mail et choisit son mot de passe à la première connexion.')
    : t('L’envoi d’e-mails n’est pas configuré : ses identifiants s’affichent ensuite, à lui transmettre.');
}

/** The button that makes an invited person's account: « Envoyer l’invitation » where one leaves (E-03). */
export function useInvitationAction(): string {
  const { t } = useTranslation();
  return useSendsMail() ? t('Envoyer l’invitation') : t('Créer le compte');
}
