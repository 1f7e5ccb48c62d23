import { doubtfulCaseStatusLabels, type DoubtfulCaseStatus } from '@parrain/domain/doubt';
import { CircleCheck, Eye, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

/** Badge of a doubtful case's status (FD-01). */
export function CaseStatus({ status }: { status: DoubtfulCaseStatus }) {
  const { t } = useTranslation();
  return (
    <Badge tone={tones[status]} icon={icons[status]} className="whitespace-nowrap">
      {t(doubtfulCaseStatusLabels[status])}
    </Badge>
  );
}

const tones = { open: 'amber', confirmed: 'red', cleared: 'green' } as const;

const icons: Readonly<Record<DoubtfulCaseStatus, ReactNode>> = {
  open: <Eye aria-hidden />,
  confirmed: <ShieldAlert aria-hidden />,
  cleared: <CircleCheck aria-hidden />,
};
