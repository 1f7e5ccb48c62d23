import { formatDate } from '@parrain/domain/date';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { regularPayeeQuery } from '#api/payments/regular-payees';
import { Notice } from '#ui/notice';
import { DealtButton } from './dealt-button.tsx';
import { regularCounts, regularMeaning } from './regular-words.ts';

/** AC-10: on the panel of a particulier who has become regular, what it means and what to do; once dealt with, the fact alone. */
export function RegularNote({ payeeId }: { payeeId: string }) {
  const { t } = useTranslation();
  const { data: payee } = useQuery(regularPayeeQuery(payeeId));
  if (!payee) return null;
  if (payee.dealtAt !== null) {
    return (
      <Notice title={t('Activité régulière')}>
        {`${regularCounts(payee, t)}. ${t('C’est traité depuis le {{day}}.', { day: formatDate(payee.dealtAt) })}`}
      </Notice>
    );
  }
  return (
    <Notice tone="warning" title={t('Activité régulière')}>
      <p>{`${regularCounts(payee, t)}.`}</p>
      <p className="mt-1 mb-3">{t(regularMeaning)}</p>
      <DealtButton payee={payee} />
    </Notice>
  );
}
