import {
  commissionPeriodLabels,
  commissionPeriodTones,
  type CommissionPeriodStatus,
} from '@parrain/domain/commission-period';
import { Banknote, CalendarClock, Clock3, Landmark, Redo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommissionPeriod } from '#api/payments/commission-periods';
import { Badge } from '#ui/badge';
import { DateText } from '#ui/date';

/** Badge of a commercial's month, and since when it is paid (PO-05). */
export function CommissionPeriodStatusBadge({ period }: { period: CommissionPeriod }) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <Badge tone={commissionPeriodTones[period.status]} icon={icons[period.status]} className="whitespace-nowrap">
        {t(commissionPeriodLabels[period.status])}
      </Badge>
      {period.paidAt !== null && (
        <span className="text-sm whitespace-nowrap text-encre-soft">
          {t('le')} <DateText value={period.paidAt} />
        </span>
      )}
      {/* A transfer that the bank rejected is carried on without a word; one that was paid and came back is not. */}
      {(period.status === 'due' || (period.status === 'carried' && period.returnedAt !== null)) &&
        period.rejection !== null && (
          <span className="w-full text-sm break-words text-danger">
            {period.returnedAt !== null && (
              <>
                {t('Virement revenu de la banque le')} <DateText value={period.returnedAt} />
                {' : '}
              </>
            )}
            {period.rejection}
          </span>
        )}
    </span>
  );
}

const icons: Readonly<Record<CommissionPeriodStatus, ReactNode>> = {
  open: <CalendarClock aria-hidden />,
  due: <Clock3 aria-hidden />,
  in_batch: <Landmark aria-hidden />,
  carried: <Redo2 aria-hidden />,
  paid: <Banknote aria-hidden />,
};
