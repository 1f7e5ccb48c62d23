import {
  webhookEvents,
  webhookOffLabels,
  webhookRemoved,
  webhookSaved,
  webhookTestSent,
} from '@parrain/domain/webhook';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  Ban,
  Check,
  EllipsisVertical,
  KeyRound,
  Pause,
  Pencil,
  Play,
  Plus,
  ScrollText,
  Send,
  Trash2,
  TriangleAlert,
  Webhook as WebhookIcon,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  removeWebhook,
  rollWebhookSecret,
  switchWebhook,
  testWebhook,
  webhooksQuery,
  type Webhook,
} from '#api/company/webhooks';
import { reasonOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { IconButton } from '#ui/icon-button';
import { lazyPart } from '#ui/lazy-part';
import { Menu } from '#ui/menu';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { Line } from '../../parts/profile/line.tsx';
import { webhookName } from './webhook-name.ts';

const WebhookDialog = lazyPart(() => import('./webhook-dialog.tsx'));
const WebhookSecret = lazyPart(() => import('./webhook-secret.tsx'));
const WebhookLog = lazyPart(() => import('./webhook-log.tsx'));

type Opened = { of: Webhook | null; as: 'form' } | { of: Webhook; as: 'log' | 'removal' | 'new-secret' };

/** WH-02: the addresses of other software that is told of events, how they do, and what was sent to them. */
export function WebhooksCard() {
  const { t } = useTranslation();
  const webhooks = useQuery(webhooksQuery);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const add = (
    <Button size="sm" variant="primary" icon={<Plus />} onClick={() => setOpened({ of: null, as: 'form' })}>
      {t('Ajouter un webhook')}
    </Button>
  );
  return (
    <Card className="overflow-clip" aria-label={t('Webhooks')}>
      <CardHeader
        title={t('Webhooks')}
        description={t('Parrain prévient vos autres logiciels de chaque étape, dès qu’elle est franchie.')}
        level={3}
        actions={webhooks.data !== undefined && webhooks.data.length > 0 && add}
      />
      {webhooks.data === undefined ? (
        <CardBody>
          {webhooks.isError ? (
            <ErrorState onRetry={() => void webhooks.refetch()} pending={webhooks.isFetching} />
          ) : (
            <Skeleton className="h-12 w-full" />
          )}
        </CardBody>
      ) : webhooks.data.length === 0 ? (
        <EmptyState
          icon={<WebhookIcon />}
          title={t('Aucun webhook pour le moment')}
          description={t(
            'Ajoutez l’adresse que votre CRM, Make, n8n ou Zapier vous donne pour recevoir des événements.',
          )}
          action={add}
        />
      ) : (
        <CardBody className="py-2 sm:py-2">
          <ul className="divide-y divide-hairline">
            {webhooks.data.map((webhook) => (
              <WebhookLine key={webhook.id} webhook={webhook} onOpen={setOpened} />
            ))}
          </ul>
        </CardBody>
      )}
      {opened?.as === 'form' && <WebhookDialog webhook={opened.of} onClose={close} />}
      {opened?.as === 'log' && <WebhookLog webhook={opened.of} onClose={close} />}
      {opened?.as === 'removal' && <RemovalDialog webhook={opened.of} onClose={close} />}
      {opened?.as === 'new-secret' && <NewSecretDialog webhook={opened.of} onClose={close} />}
    </Card>
  );
}

function WebhookLine({ webhook, onOpen }: { webhook: Webhook; onOpen: (opened: Opened) => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const failed = (error: Error) => toast.error(reasonOf(error));
  const test = useMutation({
    mutationFn: testWebhook,
    onSuccess: () => {
      toast.success(t(webhookTestSent));
      onOpen({ of: webhook, as: 'log' });
    },
    onError: failed,
  });
  const change = useMutation({
    mutationFn: switchWebhook,
    onSuccess: () => toast.success(t(webhookSaved)),
    onError: failed,
  });
  const isOn = webhook.offBecause === null;
  const name = webhookName(webhook);
  return (
    <Line
      icon={<WebhookIcon />}
      title={name}
      mark={<StateBadge webhook={webhook} />}
      detail={
        <>
          <span className="break-all">{webhook.url}</span>
          <br />
          {webhook.events.length === webhookEvents.length
            ? t('Tous les événements')
            : t('Événements choisis : {{chosen}} sur {{all}}', {
                chosen: webhook.events.length,
                all: webhookEvents.length,
              })}
          {webhook.waiting > 0 && ` · ${t('En attente : {{waiting}}', { waiting: webhook.waiting })}`}
          {webhook.offBecause !== null && webhook.offBecause !== 'admin' && (
            <>
              <br />
              {t(webhookOffLabels[webhook.offBecause])}
            </>
          )}
          {webhook.failingSince !== null && isOn && (
            <>
              <br />
              {t('En échec depuis le')} <DateText value={webhook.failingSince} withTime />
            </>
          )}
          {webhook.formerSecretUntil !== null && (
            <>
              <br />
              {t('L’ancien secret reste valable jusqu’au')} <DateText value={webhook.formerSecretUntil} withTime />
            </>
          )}
        </>
      }
      actions={
        <>
          <Button
            size="sm"
            icon={<ScrollText aria-hidden />}
            aria-label={t('Journal de {{name}}', { name })}
            className="max-sm:w-9 max-sm:px-0"
            onClick={() => onOpen({ of: webhook, as: 'log' })}
          >
            <span className="max-sm:hidden">{t('Journal')}</span>
          </Button>
          <Menu
            trigger={<IconButton label={t('Actions pour {{name}}', { name })} icon={<EllipsisVertical />} />}
            items={[
              {
                id: 'edit',
                label: t('Modifier'),
                icon: <Pencil />,
                onSelect: () => onOpen({ of: webhook, as: 'form' }),
              },
              { id: 'test', label: t('Envoyer un essai'), icon: <Send />, onSelect: () => test.mutate(webhook.id) },
              {
                id: 'secret',
                label: t('Changer le secret'),
                icon: <KeyRound />,
                onSelect: () => onOpen({ of: webhook, as: 'new-secret' }),
              },
              {
                id: 'switch',
                label: isOn ? t('Désactiver') : t('Activer'),
                icon: isOn ? <Pause /> : <Play />,
                onSelect: () => change.mutate({ id: webhook.id, isOn: !isOn }),
              },
              {
                id: 'remove',
                label: t('Supprimer'),
                icon: <Trash2 />,
                tone: 'danger',
                onSelect: () => onOpen({ of: webhook, as: 'removal' }),
              },
            ]}
          />
        </>
      }
    />
  );
}

function StateBadge({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  if (webhook.offBecause !== null) {
    return (
      <Badge tone="neutral" icon={<Ban aria-hidden />}>
        {t('Désactivé')}
      </Badge>
    );
  }
  return webhook.failingSince === null ? (
    <Badge tone="green" icon={<Check aria-hidden />}>
      {t('Actif')}
    </Badge>
  ) : (
    <Badge tone="red" icon={<TriangleAlert aria-hidden />}>
      {t('En échec')}
    </Badge>
  );
}

function RemovalDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const removal = useMutation({
    mutationFn: () => removeWebhook(webhook.id),
    onSuccess: () => {
      toast.success(t(webhookRemoved));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Supprimer le webhook « {{name}} » ?', { name: webhookName(webhook) })}
      description={t(
        'L’autre logiciel n’est plus prévenu de rien, et le journal de ce qui lui a été envoyé disparaît.',
      )}
      confirmLabel={t('Supprimer le webhook')}
      pending={removal.isPending}
      error={removal.isError ? reasonOf(removal.error) : undefined}
      onConfirm={() => removal.mutate()}
    />
  );
}

function NewSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation();
  const roll = useMutation({ mutationFn: () => rollWebhookSecret(webhook.id) });
  if (roll.data !== undefined) return <WebhookSecret secret={roll.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Changer le secret de « {{name}} » ?', { name: webhookName(webhook) })}
      description={t(
        'L’ancien et le nouveau signent ensemble pendant 24 heures : le temps de mettre l’autre logiciel à jour.',
      )}
      confirmLabel={t('Changer le secret')}
      tone="primary"
      pending={roll.isPending}
      error={roll.isError ? reasonOf(roll.error) : undefined}
      onConfirm={() => roll.mutate()}
    />
  );
}
