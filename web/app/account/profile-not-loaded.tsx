import { profileNotLoaded } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiError } from '#api/transport/api-error';
import { refreshProfile, signOut } from '#api/transport/session';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';

/** A session is open, and who it is could not be read: once more, or out. */
export function ProfileNotLoaded({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  const retry = async () => {
    setPending(true);
    await refreshProfile();
    setPending(false);
  };
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Votre espace n’a pas pu s’ouvrir')}
      </h1>
      <Notice tone="error" title={t(profileNotLoaded)} className="mt-6">
        {error.message}
      </Notice>
      <div className="mt-6 flex gap-2 max-sm:flex-col">
        <Button variant="primary" size="lg" pending={pending} onClick={() => void retry()}>
          {t('Réessayer')}
        </Button>
        <Button size="lg" onClick={() => void signOut()}>
          {t('Se déconnecter')}
        </Button>
      </div>
    </>
  );
}
