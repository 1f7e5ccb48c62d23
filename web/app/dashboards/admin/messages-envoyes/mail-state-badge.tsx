import { mailStateLabels, mailStateTones, type MailState } from '@parrain/domain/sent-mail';
import { CircleCheck, Clock3, RotateCw, Send, TriangleAlert, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

/** Badge of a mail's state: tone, icon and word. */
export function MailStateBadge({ state }: { state: MailState }) {
  const { t } = useTranslation();
  return (
    <Badge tone={mailStateTones[state]} icon={icons[state]}>
      {t(mailStateLabels[state])}
    </Badge>
  );
}

const icons: Readonly<Record<MailState, ReactNode>> = {
  waiting: <Clock3 aria-hidden />,
  retried: <RotateCw aria-hidden />,
  sending: <Send aria-hidden />,
  accepted: <CircleCheck aria-hidden />,
  refused: <TriangleAlert aria-hidden />,
  given_up: <TriangleAlert aria-hidden />,
  withdrawn: <Undo2 aria-hidden />,
};
