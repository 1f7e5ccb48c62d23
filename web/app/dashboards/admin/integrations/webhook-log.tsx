import {
  deliveryErrorLabels,
  deliveryLabels,
  webhookEventLabels,
  webhookSentAgain,
  webhookTopicLabels,
  type DeliveryStatus,
  type WebhookEvent,
  type WebhookTopic,
} from '@parrain/domain/webhook';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Ban, Check, Clock, RotateCw, ScrollText, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { sendWebhookAgain, webhookLogQuery, type Webhook, type WebhookDelivery } from '#api/company/webhooks';
import { reasonOf } from '#api/transport/api-error';
import { Badge, type BadgeTone } from '#ui/badge';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { SidePanel } from '#ui/side-panel';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { webhookName } from './webhook-name.ts';

const states: Readonly<Record<DeliveryStatus, { tone: BadgeTone; icon: ReactNode }>> = {
  pending: { tone: 'amber', icon: <Clock aria-hidden /> },
  delivered: { tone: 'green', icon: <Check aria-hidden /> },
  failed: { tone: 'red', icon: <TriangleAlert aria-hidden /> },
  dropped: { tone: 'neutral', icon: <Ban aria-hidden /> },
};

/** WH-02: what was sent to one address, what came back, and « Renvoyer ». */
export default function WebhookLog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation();
  const log = useInfiniteQuery(webhookLogQuery(webhook.id));
  const deliveries = log.data?.pages.flat();
  return (
    <SidePanel
      open
      onOpenChange={onClose}
      title={t('Journal de {{name}}', { name: webhookName(webhook) })}
      subtitle={t('Ce qui a été envoyé depuis 30 jours, le plus récent d’abord.')}
    >
      {deliveries === undefined ? (
        log.isError ? (
          <ErrorState onRetry={() => void log.refetch()} pending={log.isFetching} />
        ) : (
          <Skeleton className="h-40 w-full" />
        )
      ) : deliveries.length === 0 ? (
        <EmptyState
          icon={<ScrollText />}
          title={t('Rien n’a encore été envoyé')}
          description={t('Envoyez un essai pour vérifier que l’autre logiciel répond.')}
        />
      ) : (
        <>
          <ol className="divide-y divide-hairline" aria-label={t('Envois')}>
            {deliveries.map((delivery) => (
              <Delivery key={delivery.id} delivery={delivery} />
            ))}
          </ol>
          {log.hasNextPage && (
            <Button className="mt-4" pending={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              {t('Afficher les envois plus anciens')}
            </Button>
          )}
        </>
      )}
    </SidePanel>
  );
}

function Delivery({ delivery }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const toast = useToast();
  const again = useMutation({
    mutationFn: sendWebhookAgain,
    onSuccess: () => toast.success(t(webhookSentAgain)),
    onError: (error) => toast.error(reasonOf(error)),
  });
  const { tone, icon } = states[delivery.status];
  const name = t(eventName(delivery.type));
  return (
    <li className="flex flex-col gap-1.5 py-3.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">{name}</p>
        <Badge tone={tone} icon={icon}>
          {t(deliveryLabels[delivery.status])}
        </Badge>
      </div>
      <p className="text-sm text-encre-soft">
        <DateText value={delivery.createdAt} withTime />
        {delivery.attempts > 0 && ` · ${t('Essais : {{attempts}}', { attempts: delivery.attempts })}`}
        {delivery.answerStatus !== null && ` · ${t('Réponse : {{status}}', { status: delivery.answerStatus })}`}
      </p>
      {delivery.error !== null && <p className="text-sm text-red">{t(deliveryErrorLabels[delivery.error])}</p>}
      {delivery.nextTryAt !== null && delivery.attempts > 0 && (
        <p className="text-sm text-encre-soft">
          {t('Prochain essai le')} <DateText value={delivery.nextTryAt} withTime />
        </p>
      )}
      {delivery.answer !== null && delivery.answer !== '' && (
        <pre className="max-h-32 overflow-y-auto rounded-field border border-hairline bg-papier p-2.5 text-sm break-all whitespace-pre-wrap">
          {delivery.answer}
        </pre>
      )}
      <div>
        <Button
          size="sm"
          icon={<RotateCw />}
          aria-label={t('Renvoyer : {{name}}', { name })}
          pending={again.isPending}
          onClick={() => again.mutate(delivery.id)}
        >
          {t('Renvoyer')}
        </Button>
      </div>
    </li>
  );
}

/** « Ventes · Validée ». */
function eventName(type: WebhookDelivery['type']): string {
  if (type === 'webhook.test') return 'Essai';
  const topic = type.slice(0, type.indexOf('.')) as WebhookTopic;
  return `${webhookTopicLabels[topic]} · ${webhookEventLabels[type satisfies WebhookEvent]}`;
}
