import { formatTime } from '@parrain/domain/date';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { claimsOf } from '#api/transport/claims';
import { keptSession } from '#api/transport/client';
import { expireSession } from '#api/transport/session';
import { onSessionEvent } from '#api/transport/session-events';
import { useToast } from '#ui/toast';

const warningMs = 5 * 60_000;

/** Says five minutes ahead that the session ends, and leads to the sign-in page at once for who wants to be done with it (DF-85). */
export function useSessionEnd(): void {
  const { t } = useTranslation();
  const toast = useToast();
  const warn = useEffectEvent((end: number) =>
    toast.error(t('Votre session se termine à {{time}}', { time: formatTime(new Date(end).toISOString()) }), {
      description: t('Terminez ce que vous faites, ou reconnectez-vous dès maintenant.'),
      action: { label: t('Se reconnecter'), onClick: () => void expireSession() },
    }),
  );
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let told: number | undefined;
    const plan = () => {
      clearTimeout(timer);
      const session = endOfSession();
      if (session === undefined || session.endsAt === told) return;
      timer = setTimeout(
        () => {
          told = session.endsAt;
          warn(session.end);
        },
        Math.max(0, session.end - warningMs - Date.now()),
      );
    };
    plan();
    const stop = onSessionEvent(plan);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}

/** The end that nothing prolongs: as the token names it, and in milliseconds of this computer's clock. Undefined where there is none. */
function endOfSession(): { endsAt: number; end: number } | undefined {
  const session = keptSession();
  const { session_ends_at: endsAt, exp } = claimsOf(session?.access_token ?? '') ?? {};
  if (typeof endsAt !== 'number' || typeof exp !== 'number' || session?.expires_at === undefined) return undefined;
  return { endsAt, end: (session.expires_at + endsAt - exp) * 1000 };
}
