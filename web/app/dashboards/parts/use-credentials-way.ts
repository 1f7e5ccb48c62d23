import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signInWaysQuery } from '#api/account/sign-in-ways';

/** How an invited person gets their credentials: by e-mail, or from the one who invites where no mail server is set (E-03). */
export function useCredentialsWay(): string {
  const { t } = useTranslation();
  const { data: ways } = useQuery(signInWaysQuery);
  return ways?.sendsMail === false
    ? t('Aucun e-mail ne part de cette installation : ses identifiants s’affichent ensuite, à lui transmettre.')
    : t('Il reçoit ses identifiants par e-mail et choisit son mot de passe à la première connexion.');
}
