import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ClientCards } from '#api/payments/client-figures';
import { ownHoldsQuery } from '#api/payments/own-holds';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';

/** « À venir » (LG-03): what the scale keeps for some days, each amount with the day of its end. Nothing where nothing is kept. */
export function Upcoming({ cards }: { cards: ClientCards | undefined }) {
  const { t } = useTranslation();
  const profile = useProfile();
  const isAny = cards !== undefined && cards.held > 0n;
  const holds = useQuery({ ...ownHoldsQuery(profile.id), enabled: isAny });
  if (!isAny) return null;
  return (
    <Notice tone="info" title={t('À venir')} className="mt-4">
      <p>{t('Ces commissions sont gagnées. Elles deviennent disponibles à la fin de leur délai.')}</p>
      <ul aria-label={t('À venir')} className="mt-1 max-h-40 overflow-y-auto">
        {holds.data?.map(({ id, amount, until }) => (
          <li key={id} className="flex flex-wrap gap-x-2">
            <Amount cents={amount} className="font-medium text-encre" />
            <span>
              {t('le')} <DateText value={until} withTime />
            </span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
