import { formatTime } from '@parrain/domain/date';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { claimsOf } from '#api/transport/claims';
import { keptSession } from '#api/transport/client';
import { expireSession } from '#api/transport/session';
import { onSessionEvent } from '#api/transport/session-events';
import { useToast } from '#ui/toast';

const warningMs = 5 * 60_000;
/** A token that lives shorter than this one ends with its session, which nothing prolongs (SESSION_MAX_HOURS). */
const tokenSeconds = 3600;

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
      const end = sessionEnd();
      // Renewed, the last token ends at the same instant, to a second or two.
      if (end === undefined || Math.abs(end - (told ?? 0)) < warningMs) return;
      timer = setTimeout(
        () => {
          told = end;
          warn(end);
        },
        Math.max(0, end - warningMs - Date.now()),
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

/** The session's end by this computer's clock, in milliseconds; undefined where it may be renewed. */
function sessionEnd(): number | undefined {
  const session = keptSession();
  const { iat, exp } = claimsOf(session?.access_token ?? '') ?? {};
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat >= tokenSeconds) return undefined;
  return session?.expires_at === undefined ? undefined : session.expires_at * 1000;
}
