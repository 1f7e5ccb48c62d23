import { useTranslation } from 'react-i18next';
import { Notice } from '#ui/notice';

/** Said in the place of a form that would promise an e-mail, where none ever leaves. */
export function NoMailNotice() {
  const { t } = useTranslation();
  return (
    <Notice tone="info" className="mt-6" title={t('L’envoi d’e-mails n’est pas configuré')}>
      {t(
        'Cette plateforme n’envoie pas d’e-mails : demandez à votre entreprise de vous rouvrir l’accès. Si vous l’administrez, demandez à la personne qui s’occupe du serveur d’en indiquer un pour les e-mails.',
      )}
    </Notice>
  );
}
