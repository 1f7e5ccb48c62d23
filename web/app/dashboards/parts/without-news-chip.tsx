import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import type { ListState } from './use-list-state.ts';

/** A filter that only a view sets is said above the list, with a way out of it. */
export function WithoutNewsChip({ list, days }: { list: ListState; days: number | null }) {
  const { t } = useTranslation();
  if (days === null) return null;
  const words = t('Sans nouvelles depuis {{days}} jours', { days });
  return (
    <Button
      size="sm"
      aria-label={t('Retirer le filtre « {{filter}} »', { filter: words })}
      onClick={() => list.set({ 'sans-nouvelles': undefined })}
    >
      {words}
      <X aria-hidden />
    </Button>
  );
}
