import { useTranslation } from 'react-i18next';
import { refuseMails } from '#api/account/notices';
import { MailLinkPage } from './mail-link-page.tsx';

export const meta = () => [
  { title: 'Ne plus recevoir ces messages – Parrain' },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
];

/** Page where a person of the programme refuses some of its mails (TM-02), without signing in. */
export default function RefuseMails() {
  const { t } = useTranslation();
  return (
    <MailLinkPage
      title={t('Ne plus recevoir ces messages')}
      text={t(
        'Vous ne recevrez plus d’e-mails de ce genre. Ceux qui concernent la sécurité de votre compte et vos droits continueront.',
      )}
      button={t('Ne plus recevoir ces messages')}
      act={async (token) =>
        t(
          'Vous ne recevrez plus d’e-mails sur : {{topics}}. Tout reste lisible dans votre espace, et votre profil permet de changer d’avis.',
          { topics: (await refuseMails(token)).join(', ') },
        )
      }
    />
  );
}
