import { formatEuros } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { HandCoins, MessageCircleQuestionMark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { openDisputesQuery } from '#api/payments/disputes';
import { secondDecisionsQuery } from '#api/payments/second-decisions';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';

export interface OpenDisputesProps {
  onOpen: (disputeId: string) => void;
  /** Opens a payee's account, where a waiver is confirmed. */
  onAccount: (payeeId: string) => void;
}

/** LG-06, AC-05: lines that their payees question and what waits for a second admin, the oldest first; here only while one waits. */
export function OpenDisputes({ onOpen, onAccount }: OpenDisputesProps) {
  const { t } = useTranslation();
  const { data: disputes = [] } = useQuery(openDisputesQuery);
  const { data: decisions = [] } = useQuery(secondDecisionsQuery);
  const waivers = decisions.filter(({ kind }) => kind === 'waiver');
  if (disputes.length + waivers.length === 0) return null;
  return (
    <Card className="mb-5 overflow-clip">
      <CardHeader
        title={
          waivers.length === 0 && disputes.every(({ openedBy }) => openedBy === null)
            ? t('Lignes contestées')
            : t('Comptes à décider')
        }
        description={t('Une réponse est attendue.')}
        level={3}
      />
      <ul className="divide-y divide-hairline">
        {disputes.map((dispute) => (
          <li key={dispute.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
            <MessageCircleQuestionMark aria-hidden className="size-5 shrink-0 text-corail" />
            <p className="min-w-0 flex-1 basis-48">
              <span className="font-medium wrap-anywhere">{dispute.payeeName ?? '—'}</span>{' '}
              <span className="block text-sm text-encre-soft">
                {dispute.openedBy === null ? t('depuis le') : t('Ajustement à confirmer, depuis le')}{' '}
                <DateText value={dispute.createdAt} withTime />
              </span>
            </p>
            <Button size="sm" onClick={() => onOpen(dispute.id)}>
              {dispute.openedBy === null ? t('Répondre') : t('Lire')}
            </Button>
          </li>
        ))}
        {waivers.map(({ id, payeeId, name, createdAt, amount }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
            <HandCoins aria-hidden className="size-5 shrink-0 text-corail" />
            <p className="min-w-0 flex-1 basis-48">
              <span className="font-medium wrap-anywhere">{name}</span>{' '}
              <span className="block text-sm text-encre-soft">
                {t('Abandon de {{amount}} à confirmer, depuis le', { amount: formatEuros(amount) })}{' '}
                <DateText value={createdAt} withTime />
              </span>
            </p>
            <Button size="sm" onClick={() => onAccount(payeeId ?? '')}>
              {t('Lire')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
