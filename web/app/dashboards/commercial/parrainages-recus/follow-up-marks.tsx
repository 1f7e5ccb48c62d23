import { dayOf } from '@parrain/domain/date';
import { isLate, isOpen } from '@parrain/domain/sale';
import { CalendarClock, MessageCircleQuestionMark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Badge } from '#ui/badge';
import { DateText } from '#ui/date';

interface FollowUpMarksProps {
  sale: Referral;
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  /** Late and to be called back are said beside them. */
  isReasonSaid: boolean;
}

/** TM-05: late, to be called back, or news asked for, as long as the referral is open. */
export function FollowUpMarks({ sale, followUpDays, isReasonSaid }: FollowUpMarksProps) {
  const { t } = useTranslation();
  if (!isOpen(sale)) return null;
  const callBackOn = sale.followUp?.callBackOn ?? null;
  return (
    <p className="mt-1.5 flex flex-wrap gap-1.5 empty:hidden">
      {!isReasonSaid && isLateNow(sale, followUpDays) && (
        <Badge tone="red" icon={<CalendarClock aria-hidden />}>
          {t('En retard')}
        </Badge>
      )}
      {!isReasonSaid && callBackOn !== null && (
        <Badge tone={hasCome(callBackOn) ? 'amber' : 'neutral'} icon={<CalendarClock aria-hidden />}>
          {t('À relancer le')} <DateText value={`${callBackOn}T12:00:00`} />
        </Badge>
      )}
      {sale.newsAskedAt !== null && (
        <Badge tone="blue" icon={<MessageCircleQuestionMark aria-hidden />}>
          {t('Nouvelles demandées le')} <DateText value={sale.newsAskedAt} />
        </Badge>
      )}
    </p>
  );
}

/** The colour at the edge of a referral that is late, to be called back, or decided. */
export function edgeClass(sale: Referral, followUpDays: number | null): string | false {
  if (isLateNow(sale, followUpDays)) return 'shadow-[inset_3px_0_0_var(--color-danger)]';
  if (isCallDue(sale)) return 'shadow-[inset_3px_0_0_var(--color-amber)]';
  return !isOpen(sale) && 'bg-papier/60';
}

function isLateNow(sale: Referral, followUpDays: number | null): boolean {
  return isLate(sale, followUpDays, new Date());
}

/** The day to call an open referral back has come. */
function isCallDue(sale: Referral): boolean {
  const day = sale.followUp?.callBackOn ?? null;
  return isOpen(sale) && day !== null && hasCome(day);
}

function hasCome(day: string): boolean {
  return day <= dayOf(new Date());
}
