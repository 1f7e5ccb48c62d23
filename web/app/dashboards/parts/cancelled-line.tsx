import { validationCancelled } from '@parrain/domain/messages';
import { Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';

/** Under a name: the validation was taken back, and why (S-11). */
export function CancelledLine({ reason }: { reason: string | null }) {
  const { t } = useTranslation();
  return (
    <span title={reason ?? undefined}>
      <Undo2 aria-hidden className="mr-1 inline size-3.5 align-text-bottom" />
      {t(validationCancelled)}
      {reason !== null && ` · ${reason}`}
    </span>
  );
}
