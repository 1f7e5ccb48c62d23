import { formatDateTime } from '@parrain/domain/date';
import clsx from 'clsx';
import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Batch } from '#api/payments/batches';

interface BatchStep {
  name: string;
  /** The instant it was done; null while it is not. */
  at: string | null;
  by: string | null;
}

/** Steps of a batch on its way to the payees: Préparé → Fichier → Envoyé → Payé, each with its day and who did it (UI-04). */
export function BatchSteps({ batch }: { batch: Batch }) {
  const { t } = useTranslation();
  const steps: readonly BatchStep[] = [
    { name: t('Préparé'), at: batch.createdAt, by: batch.madeByName },
    { name: t('Fichier'), at: batch.releasedAt, by: batch.releasedByName },
    { name: t('Envoyé'), at: batch.sentAt, by: null },
    { name: t('Payé'), at: batch.settledAt, by: null },
  ];
  // A batch may be paid without having been marked as sent.
  const last = steps.findLastIndex(({ at }) => at !== null);
  return (
    <ol aria-label={t('Étapes du virement')} className="grid gap-3 sm:grid-cols-4">
      {steps.map(({ name, at, by }, index) => {
        const isDone = index <= last;
        return (
          <li
            key={name}
            aria-current={index === last ? 'step' : undefined}
            className={clsx('border-t-2 pt-2', isDone ? 'border-sapin' : 'border-hairline text-encre-faint')}
          >
            <p className="flex items-center gap-1.5 font-medium">
              {isDone && <Check aria-hidden className="size-4 shrink-0 text-sapin" />}
              {name}
              <span className="sr-only">{isDone ? t('fait') : t('à faire')}</span>
            </p>
            {at !== null && (
              <p className="text-sm text-encre-soft">
                {by === null ? formatDateTime(at) : t('{{date}}, par {{name}}', { date: formatDateTime(at), name: by })}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}
