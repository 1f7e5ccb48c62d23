import { useTranslation } from 'react-i18next';
import { useOffline } from '#api/transport/connection';
import { Notice } from '#ui/notice';

/** RT-02: the page is cut off. The rows on screen stay, marked as possibly old; the banner leaves when the connection is back. */
export function OfflineBanner() {
  const { t } = useTranslation();
  const offline = useOffline();
  // The place that is announced stands before what it announces.
  return (
    <div aria-live="polite" className="not-empty:mb-4">
      {offline && (
        <Notice tone="warning" title={t('Hors ligne')}>
          {t('Ce qui est affiché n’est peut-être plus à jour. Nouvelle tentative de connexion en cours…')}
        </Notice>
      )}
    </div>
  );
}
