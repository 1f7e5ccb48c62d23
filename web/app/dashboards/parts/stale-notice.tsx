import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '#api/transport/connection';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';

export interface StaleNoticeProps {
  query: {
    isError: boolean;
    isFetching: boolean;
    data: unknown;
    refetch: () => unknown;
  };
}

/** The rows on screen could not be read again: they stay, and say that they may be old (E-05). */
export function StaleNotice({ query }: StaleNoticeProps) {
  const { t } = useTranslation();
  const isOffline = useOffline();
  // Cut off, the banner of the dashboard says the same of every row (RT-02).
  if (isOffline || !query.isError || query.data === undefined) return null;
  return (
    <Notice
      tone="warning"
      className="mb-4"
      action={
        <Button size="sm" icon={<RotateCw />} pending={query.isFetching} onClick={() => void query.refetch()}>
          {t('Réessayer')}
        </Button>
      }
    >
      {t('La mise à jour a échoué : ce qui est affiché n’est peut-être plus à jour.')}
    </Notice>
  );
}
