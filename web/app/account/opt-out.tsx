import { useTranslation } from 'react-i18next';
import { optOut } from '#api/people/opt-out';
import { MailLinkPage } from './mail-link-page.tsx';

export const meta = () => [
  { title: 'Ne plus être contacté – Parrain' },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
];

/** Where a referred friend says no (F-15), without an account. */
export default function OptOut() {
  const { t } = useTranslation();
  return (
    <MailLinkPage
      title={t('Ne plus être contacté')}
      text={t(
        'Un proche nous a donné votre adresse pour vous recommander nos services. Dites-nous de vous laisser tranquille : vos coordonnées seront effacées, et personne ne pourra plus vous inviter.',
      )}
      button={t('Ne plus me contacter')}
      act={async (token) => {
        await optOut(token);
        return t('Vous ne serez plus contacté, et vos coordonnées sont effacées. Vous pouvez fermer cette page.');
      }}
    />
  );
}
