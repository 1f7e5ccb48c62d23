import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestionMark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { openDisputesQuery } from '#api/payments/disputes';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';

/** LG-06: lines that their payees question, the oldest first; here only while one waits. */
export function OpenDisputes({ onOpen }: { onOpen: (disputeId: string) => void }) {
  const { t } = useTranslation();
  const { data: disputes = [] } = useQuery(openDisputesQuery);
  if (disputes.length === 0) return null;
  return (
    <Card className="mb-5 overflow-clip">
      <CardHeader
        title={disputes.every(({ openedBy }) => openedBy === null) ? t('Lignes contestées') : t('Comptes à décider')}
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
      </ul>
    </Card>
  );
}
