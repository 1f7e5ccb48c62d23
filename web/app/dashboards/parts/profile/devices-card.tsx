import { formatDateTime } from '@parrain/domain/date';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, LogOut, MonitorOff, MonitorSmartphone, Smartphone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { endSession, ownSessionsQuery, type OwnSession } from '#api/account/own-sessions';
import { queryClient } from '#api/transport/query-client';
import { signOutOthers } from '#api/account/sign-out-others';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { deviceOf } from './device-name.ts';
import { Line } from './line.tsx';

/** Devices where the account is open, and a way to close it there: a phone that was lost, a computer that was lent. */
export function DevicesCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const sessions = useQuery(ownSessionsQuery);
  const reload = () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
  const others = useMutation({
    mutationFn: signOutOthers,
    onSuccess: () => {
      toast.success(t('Vos autres appareils sont déconnectés'));
      void reload();
    },
  });
  const one = useMutation({
    mutationFn: (session: OwnSession) => endSession(session.id),
    onSuccess: () => {
      toast.success(t('Appareil déconnecté'));
      void reload();
    },
  });
  const failure = one.error ?? others.error;
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  return (
    <Card>
      <CardHeader
        title={t('Appareils connectés')}
        level={4}
        actions={
          <Button
            icon={<MonitorOff aria-hidden />}
            pending={others.isPending}
            disabled={sessions.data !== undefined && !hasOthers}
            onClick={() => others.mutate()}
            className="max-w-full max-sm:h-auto max-sm:min-h-11 max-sm:shrink max-sm:py-2 max-sm:whitespace-normal"
          >
            {t('Déconnecter les autres appareils')}
          </Button>
        }
      />
      <CardBody className="py-2 sm:py-2">
        {failure && (
          <Notice tone="error" className="my-3">
            {messageOf(failure, t('L’appareil n’a pas pu être déconnecté. Réessayez.'))}
          </Notice>
        )}
        {sessions.data === undefined ? (
          sessions.isError ? (
            <ErrorState onRetry={() => void sessions.refetch()} pending={sessions.isFetching} />
          ) : (
            <Skeleton className="my-3 h-12 w-full" />
          )
        ) : (
          <ul className="divide-y divide-hairline">
            {sessions.data.map((session) => (
              <DeviceLine
                key={session.id}
                session={session}
                isEnding={one.isPending && one.variables.id === session.id}
                onEnd={() => one.mutate(session)}
              />
            ))}
          </ul>
        )}
      </CardBody>
    </Card>
  );
}

function DeviceLine({ session, isEnding, onEnd }: { session: OwnSession; isEnding: boolean; onEnd: () => void }) {
  const { t } = useTranslation();
  const device = deviceOf(session.userAgent);
  return (
    <Line
      icon={device.isHandheld ? <Smartphone /> : <MonitorSmartphone />}
      title={<span title={session.userAgent ?? undefined}>{device.name}</span>}
      mark={
        session.isCurrent && (
          <Badge tone="green" icon={<CircleCheck aria-hidden />}>
            {t('Cet appareil')}
          </Badge>
        )
      }
      detail={
        <>
          {session.isCurrent ? t('Connecté depuis le') : t('Dernière utilisation vers le')}{' '}
          <DateText value={session.isCurrent ? session.createdAt : session.lastUsedAt} withTime />
        </>
      }
      actions={
        !session.isCurrent && (
          <Button
            size="sm"
            pending={isEnding}
            icon={<LogOut aria-hidden />}
            aria-label={t('Déconnecter {{name}}, utilisé vers le {{instant}}', {
              name: device.name,
              instant: formatDateTime(session.lastUsedAt),
            })}
            className="max-sm:w-9 max-sm:px-0"
            onClick={onEnd}
          >
            <span className="max-sm:hidden">{t('Déconnecter')}</span>
          </Button>
        )
      }
    />
  );
}
