import { apiKeyScopeLabels, apiKeyState } from '@parrain/domain/api-key';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Ban, CalendarX, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiKeysQuery, revokeApiKey, type ApiKey } from '#api/company/api-keys';
import { reasonOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { Line } from '../../parts/profile/line.tsx';

const ApiKeyDialog = lazyPart(() => import('./api-key-dialog.tsx'));

/** WH-01: the company's keys: what each may do, when it was last used, and a way to end it. */
export function ApiKeysCard() {
  const { t } = useTranslation();
  const keys = useQuery(apiKeysQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const create = (
    <Button size="sm" variant="primary" icon={<Plus />} onClick={() => setIsCreating(true)}>
      {t('Créer une clé')}
    </Button>
  );
  return (
    <Card className="overflow-clip" aria-label={t('Clés d’API')}>
      <CardHeader
        title={t('Clés d’API')}
        description={
          <>
            {t('Une clé par logiciel : elle n’ouvre que ce que vous choisissez, et se révoque seule.')}{' '}
            <a href="/docs/api" target="_blank" rel="noreferrer" className="text-sapin underline underline-offset-2">
              {t('Documentation de l’API')}
            </a>
          </>
        }
        level={3}
        actions={keys.data !== undefined && keys.data.length > 0 && create}
      />
      {keys.data === undefined ? (
        <CardBody>
          {keys.isError ? (
            <ErrorState onRetry={() => void keys.refetch()} pending={keys.isFetching} />
          ) : (
            <Skeleton className="h-12 w-full" />
          )}
        </CardBody>
      ) : keys.data.length === 0 ? (
        <EmptyState
          icon={<KeyRound />}
          title={t('Aucune clé pour le moment')}
          description={t('Créez-en une pour le logiciel qui doit lire vos parrainages ou en ajouter.')}
          action={create}
        />
      ) : (
        <CardBody className="py-2 sm:py-2">
          <ul className="divide-y divide-hairline">
            {keys.data.map((key) => (
              <KeyLine key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
            ))}
          </ul>
        </CardBody>
      )}
      {isCreating && <ApiKeyDialog onClose={() => setIsCreating(false)} />}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Card>
  );
}

function KeyLine({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { t } = useTranslation();
  const [now] = useState(() => Date.now());
  const state = apiKeyState(apiKey, now);
  return (
    <Line
      icon={<KeyRound />}
      title={apiKey.name}
      mark={
        state === 'revoked' ? (
          <Badge tone="neutral" icon={<Ban aria-hidden />}>
            {t('Révoquée')}
          </Badge>
        ) : (
          state === 'expired' && (
            <Badge tone="amber" icon={<CalendarX aria-hidden />}>
              {t('Expirée')}
            </Badge>
          )
        )
      }
      detail={
        <>
          <span className="tabular-digits">{apiKey.prefix}…</span>
          {' · '}
          {apiKey.scopes.map((scope) => t(apiKeyScopeLabels[scope])).join(', ')}
          <br />
          {state === 'revoked' ? (
            <>
              {t('Révoquée le')} <DateText value={apiKey.revokedAt} withTime />
            </>
          ) : (
            <>
              {apiKey.lastUsedAt === null ? (
                t('Jamais utilisée')
              ) : (
                <>
                  {t('Dernière utilisation le')} <DateText value={apiKey.lastUsedAt} withTime />
                </>
              )}
              {apiKey.expiresAt !== null && (
                <>
                  {' · '}
                  {t('jusqu’au')} <DateText value={lastMomentOf(apiKey.expiresAt)} />
                </>
              )}
            </>
          )}
        </>
      }
      actions={
        state !== 'revoked' && (
          <Button
            size="sm"
            icon={<Ban aria-hidden />}
            aria-label={t('Révoquer la clé {{name}}', { name: apiKey.name })}
            className="max-sm:w-9 max-sm:px-0"
            onClick={onRevoke}
          >
            <span className="max-sm:hidden">{t('Révoquer')}</span>
          </Button>
        )
      }
    />
  );
}

/** A key ends at midnight: its last day is the one before. */
function lastMomentOf(expiresAt: string): string {
  return new Date(Date.parse(expiresAt) - 1).toISOString();
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const revocation = useMutation({
    mutationFn: () => revokeApiKey(apiKey.id),
    onSuccess: () => {
      toast.success(t('Clé révoquée'));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Révoquer la clé « {{name}} » ?', { name: apiKey.name })}
      description={t('Le logiciel qui s’en sert n’aura plus accès à rien, tout de suite et pour toujours.')}
      confirmLabel={t('Révoquer la clé')}
      pending={revocation.isPending}
      error={revocation.isError ? reasonOf(revocation.error) : undefined}
      onConfirm={() => revocation.mutate()}
    />
  );
}
