import {
  batchLabels,
  batchLineLabels,
  batchTones,
  type BatchLineStatus,
  type BatchStatus,
} from '@parrain/domain/payment-batch';
import { BadgeCheck, Banknote, CircleX, Clock3, PencilLine, Send, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

/** The status of a batch (PO-02). */
export function BatchStatusBadge({ status }: { status: BatchStatus }) {
  const { t } = useTranslation();
  return (
    <Badge
      tone={status === 'settled' ? 'green-filled' : batchTones[status]}
      icon={batchIcons[status]}
      className="whitespace-nowrap"
    >
      {t(batchLabels[status])}
    </Badge>
  );
}

const batchIcons: Readonly<Record<BatchStatus, ReactNode>> = {
  draft: <PencilLine aria-hidden />,
  released: <BadgeCheck aria-hidden />,
  sent: <Send aria-hidden />,
  settled: <Banknote aria-hidden />,
};

/** Badge of a line's outcome at the bank. */
export function LineStatusBadge({ status }: { status: BatchLineStatus }) {
  const { t } = useTranslation();
  return (
    <Badge tone={lineTones[status]} icon={lineIcons[status]} className="whitespace-nowrap">
      {t(batchLineLabels[status])}
    </Badge>
  );
}

const lineTones = { queued: 'amber', paid: 'green', rejected: 'red', returned: 'red' } as const;

const lineIcons: Readonly<Record<BatchLineStatus, ReactNode>> = {
  queued: <Clock3 aria-hidden />,
  paid: <Banknote aria-hidden />,
  rejected: <CircleX aria-hidden />,
  returned: <Undo2 aria-hidden />,
};
