import type { Cents } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ownHoldsQuery } from '#api/payments/own-holds';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';

/** « À venir » (LG-03): what is kept of a payee's commissions, each amount with the day of its end, or that a check is under way (FD-01). Nothing where nothing is kept. */
export function Upcoming({ held }: { held: Cents | undefined }) {
  const { t } = useTranslation();
  const profile = useProfile();
  const isAny = held !== undefined && held > 0n;
  const holds = useQuery({ ...ownHoldsQuery(profile.id), enabled: isAny });
  if (!isAny) return null;
  return (
    <Notice tone="info" title={t('À venir')} className="mt-4">
      <p>
        {holds.data?.some(({ isUnderCheck }) => isUnderCheck)
          ? t(
              'Ces commissions sont gagnées. Elles deviennent disponibles une fois la vérification terminée et leur délai passé.',
            )
          : t('Ces commissions sont gagnées. Elles deviennent disponibles à la fin de leur délai.')}
      </p>
      <ul aria-label={t('À venir')} className="mt-1 max-h-40 overflow-y-auto">
        {holds.data?.map(({ id, amount, until, isUnderCheck }) => (
          <li key={id} className="flex flex-wrap gap-x-2">
            <Amount cents={amount} className="font-medium text-encre" />
            <span>
              {isUnderCheck ? (
                t('une vérification est en cours')
              ) : (
                <>
                  {t('le')} <DateText value={until} withTime />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
