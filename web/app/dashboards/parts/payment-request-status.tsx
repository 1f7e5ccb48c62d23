import {
  paymentRequestLabels,
  paymentRequestTones,
  type PaymentRequestStatus as Status,
} from '@parrain/domain/payment-request';
import { BadgeCheck, Banknote, CircleX, Clock3, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

/** The status of a payment request (S-09): paid is green and filled. */
export function PaymentRequestStatus({ status }: { status: Status }) {
  const { t } = useTranslation();
  return (
    <Badge
      tone={status === 'paid' ? 'green-filled' : paymentRequestTones[status]}
      icon={icons[status]}
      className="whitespace-nowrap"
    >
      {t(paymentRequestLabels[status])}
    </Badge>
  );
}

const icons: Readonly<Record<Status, ReactNode>> = {
  pending: <Clock3 aria-hidden />,
  approved: <BadgeCheck aria-hidden />,
  rejected: <CircleX aria-hidden />,
  paid: <Banknote aria-hidden />,
  returned: <Undo2 aria-hidden />,
};
