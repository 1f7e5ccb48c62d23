import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, MonitorSmartphone, Smartphone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { receiveHere, stopHere, thisPhoneQuery, type ThisPhone as Phone } from '#api/account/phones';
import { ApiError, reasonOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { deviceOf } from './device-name.ts';
import { Line } from './line.tsx';

/** UI-16: whether this device gets notifications; the browser is asked on the press of the button alone. */
export function ThisPhone({ isAnyTopicOn }: { isAnyTopicOn: boolean }) {
  const phone = useQuery(thisPhoneQuery);
  if (phone.data) return <Standing phone={phone.data} isAnyTopicOn={isAnyTopicOn} />;
  return phone.isError ? (
    <ErrorState onRetry={() => void phone.refetch()} pending={phone.isFetching} />
  ) : (
    <Skeleton className="h-14 w-full" />
  );
}

function Standing({ phone, isAnyTopicOn }: { phone: Phone; isAnyTopicOn: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { state, publicKey, devices } = phone;
  const { isHandheld } = deviceOf(navigator.userAgent);
  const failed = (error: unknown) =>
    toast.error(
      // What is no answer of ours is the browser's own.
      error instanceof ApiError
        ? reasonOf(error)
        : t('Votre navigateur n’a pas pu le faire. Réessayez, ou essayez-en un autre.'),
    );
  const receive = useMutation({
    mutationFn: () => receiveHere(publicKey),
    onSuccess: (isGranted) =>
      isGranted
        ? toast.success(t('Cet appareil reçoit vos notifications'))
        : toast.error(t('Votre navigateur n’a pas reçu votre autorisation')),
    onError: failed,
  });
  const stop = useMutation({
    mutationFn: stopHere,
    onSuccess: () => toast.success(t('Cet appareil ne reçoit plus vos notifications')),
    onError: failed,
  });
  return (
    <ul>
      <Line
        icon={isHandheld ? <Smartphone /> : <MonitorSmartphone />}
        title={isHandheld ? t('Notifications sur ce téléphone') : t('Notifications sur cet appareil')}
        mark={
          state === 'on' && (
            <Badge tone="green" icon={<CircleCheck aria-hidden />}>
              {t('Activées')}
            </Badge>
          )
        }
        detail={t(detailOf(state, isAnyTopicOn, devices))}
        actions={
          state === 'on' ? (
            <Button size="sm" pending={stop.isPending} onClick={() => stop.mutate()}>
              {t('Ne plus recevoir ici')}
            </Button>
          ) : (
            state === 'off' && (
              <Button size="sm" pending={receive.isPending} onClick={() => receive.mutate()}>
                {isHandheld ? t('Recevoir sur ce téléphone') : t('Recevoir sur cet appareil')}
              </Button>
            )
          )
        }
      />
    </ul>
  );
}

function detailOf(state: Phone['state'], isAnyTopicOn: boolean, devices: number): string {
  switch (state) {
    case 'unsupported':
      return isApple()
        ? 'Sur iPhone et iPad, ajoutez d’abord cette page à l’écran d’accueil (« Partager », puis « Sur l’écran d’accueil »), ouvrez-la de là, et revenez ici.'
        : 'Ce navigateur ne sait pas recevoir de notifications.';
    case 'refused':
      return 'Votre navigateur refuse les notifications de ce site. Autorisez-les dans ses réglages, puis rechargez cette page.';
    case 'on':
      return isAnyTopicOn
        ? 'Sans nom ni coordonnées, car d’autres peuvent voir votre écran. Elles cessent quand vous vous déconnectez.'
        : 'Cochez « Notification » ci-dessus pour choisir ce que vous recevez.';
    case 'off':
      return devices === 0
        ? 'Aucun de vos appareils ne les reçoit encore : appuyez sur ce bouton sur chacun de ceux que vous voulez.'
        : 'Chaque appareil se choisit à part : celui-ci n’en reçoit pas.';
  }
}

/** An iPad says that it is a Mac. */
function isApple(): boolean {
  return (
    /iPhone|iPad/u.test(navigator.userAgent) ||
    (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
  );
}
