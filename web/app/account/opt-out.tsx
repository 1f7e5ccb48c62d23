import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { optOut } from '#api/people/opt-out';
import { MailLinkPage } from './mail-link-page.tsx';

export const meta = () => [
  { title: 'Ne plus être contacté – Parrain' },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
];

/** Page where a referred friend says no (F-15), without an account. */
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
    >
      <OwnDataLink />
    </MailLinkPage>
  );
}

/** CS-04: a document of the server, whose address takes the token of this one's fragment. */
function OwnDataLink() {
  const { t } = useTranslation();
  const token = useSyncExternalStore(onHashChange, tokenNow, noToken);
  if (token === '') return null;
  return (
    <p className="mt-6 text-center">
      <a href={`/vos-donnees?token=${token}`} className="text-sapin underline underline-offset-4">
        {t('Voir ou corriger ce qui est gardé de vous')}
      </a>
    </p>
  );
}

function onHashChange(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

function tokenNow(): string {
  return window.location.hash.slice(1);
}

/** The page as it is built, before anybody opens it. */
function noToken(): string {
  return '';
}
