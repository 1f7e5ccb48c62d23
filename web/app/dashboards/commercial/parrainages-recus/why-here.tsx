import { ageText } from '@parrain/domain/age-text';
import { awaitingCompanyValidation } from '@parrain/domain/messages';
import { isOpen, saleState } from '@parrain/domain/sale';
import { todayReason, type TodayReason } from '@parrain/domain/today';
import clsx from 'clsx';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { DateText } from '#ui/date';
import { countText } from '../../parts/count-text.ts';

interface WhyHereProps {
  sale: Referral;
  followUpDays: number | null;
}

/** The reason for which a referral is to be acted on today (UI-06), else whom it waits for, the day to call back, the day it came. */
export function WhyHere({ sale, followUpDays }: WhyHereProps) {
  const { t } = useTranslation();
  const reason = reasonNow(sale, followUpDays, t);
  if (reason !== null) return <span className={clsx('font-medium', tones[reason.why])}>{reason.text}</span>;
  if (saleState(sale) === 'awaiting_admin_validation' && sale.cancellation === null)
    return <span className="text-purple">{t(awaitingCompanyValidation)}</span>;
  const callBackOn = sale.followUp?.callBackOn ?? null;
  if (isOpen(sale) && callBackOn !== null)
    return (
      <>
        {t('À relancer le')} <DateText value={`${callBackOn}T12:00:00`} />
      </>
    );
  return (
    <>
      {t('Reçu le')} <DateText value={sale.createdAt} />
    </>
  );
}

const tones = {
  late: 'text-danger',
  due: 'text-amber',
  to_correct: 'text-amber',
  new: 'text-encre',
  waiting: 'text-encre',
} as const;

function reasonNow(
  sale: Referral,
  followUpDays: number | null,
  t: TFunction,
): { why: TodayReason['why']; text: string } | null {
  const now = new Date();
  const reason = todayReason(sale, followUpDays, now);
  return reason && { why: reason.why, text: textOf(reason, sale, now, t) };
}

function textOf({ why, days }: TodayReason, sale: Referral, now: Date, t: TFunction): string {
  switch (why) {
    case 'late':
      return days === 0 ? t('En retard') : t('En retard de {{days}}', { days: countText(days, t('jour'), t('jours')) });
    case 'due':
      if (days === 0) return t('À rappeler aujourd’hui');
      return days === 1
        ? t('À rappeler depuis hier')
        : t('À rappeler depuis {{days}}', { days: countText(days, t('jour'), t('jours')) });
    case 'to_correct':
      return t('Contrat à corriger');
    case 'new':
      return t('Nouveau · {{age}}', { age: ageText(sale.createdAt, now) });
    case 'waiting':
      return t('En attente depuis {{days}}', { days: countText(days, t('jour'), t('jours')) });
  }
}
