import { SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';

/** NV-01: an address that names no section says so, and leads back. */
export default function UnknownSection({ label, onBack }: { label: string; onBack: () => void }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<SearchX />}
      title={t('Cette adresse ne mène à rien')}
      description={t('La section qu’elle nomme n’existe pas, ou n’est pas la vôtre.')}
      action={<Button onClick={onBack}>{t('Revenir à « {{label}} »', { label })}</Button>}
    />
  );
}
