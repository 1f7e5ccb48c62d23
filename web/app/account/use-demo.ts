import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { publicConfig, type PublicConfig } from '#api/transport/public-config';
import type { SessionState } from '#api/transport/session-store';

type Demo = NonNullable<PublicConfig['demo']>;

/** the demo of this installation; null where there is none, undefined until it is known. */
export function useDemo(): Demo | null | undefined {
  const [demo, setDemo] = useState<Demo | null>();
  // The server's configuration is outside React.
  useEffect(() => {
    let left = false;
    publicConfig().then(
      (config) => !left && setDemo(config.demo),
      // Without a configuration there is no hint; signing in will say that the server does not answer.
      () => !left && setDemo(null),
    );
    return () => {
      left = true;
    };
  }, []);
  return demo;
}

/**
 * UI-14: « /auth/login?demo=client », a click on the public page: the form is filled and sent once. True while that is to come or under
 * way. Who is signed in as themselves stays so, and a link from elsewhere opens nothing (DF-28).
 */
export function useDemoEntry(
  demo: Demo | null | undefined,
  session: SessionState,
  send: (credentials: { email: string; password: string }) => Promise<void>,
): boolean {
  const role = useSearchParams()[0].get('demo');
  const [isOver, setIsOver] = useState(false);
  const hasBegun = useRef(false);
  const accounts = demo?.accounts ?? [];
  const email = accounts.find((account) => account.role === role)?.email;
  const isAsked = role !== null && !isOver && isFromHere();
  const isKnown = demo !== undefined && session.status !== 'loading';
  // From one role of the demo to another too.
  const isFree =
    session.status === 'visitor' ||
    (session.status === 'signed-in' &&
      session.profile.email !== email &&
      accounts.some((account) => account.email === session.profile.email));
  const isEntering = isAsked && isKnown && isFree && email !== undefined;
  useEffect(() => {
    if (!isEntering || hasBegun.current || email === undefined || !demo) return;
    hasBegun.current = true;
    void send({ email, password: demo.password }).finally(() => setIsOver(true));
  });
  return isAsked && (!isKnown || isEntering);
}

/** True for a page that a link of this site led to. */
function isFromHere(): boolean {
  return typeof document !== 'undefined' && document.referrer.startsWith(`${location.origin}/`);
}
