import type { ContactChannel } from '@parrain/domain/call-consent';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Referral } from '#api/sales/referral';

/** A phone that dials, or the program that writes, takes the screen within seconds; who leaves later leaves for something else. */
const leavesWithinMs = 60_000;

/** Notes by which way a friend is being reached; `onBack` gets it once the person is back from there (UI-06). */
export function useAfterCall(
  onBack: (referral: Referral, way: ContactChannel) => void,
): (referral: Referral, way: ContactChannel) => void {
  const called = useRef<{ referral: Referral; way: ContactChannel; at: number; hasLeft: boolean }>(undefined);
  const back = useEffectEvent(onBack);
  // Whether the page is looked at is outside React.
  useEffect(() => {
    const leave = () => {
      const call = called.current;
      if (call === undefined || call.hasLeft) return;
      if (Date.now() - call.at > leavesWithinMs) called.current = undefined;
      else call.hasLeft = true;
    };
    const comeBack = () => {
      const call = called.current;
      if (call === undefined || !call.hasLeft) return;
      called.current = undefined;
      back(call.referral, call.way);
    };
    const look = () => (document.visibilityState === 'hidden' ? leave() : comeBack());
    document.addEventListener('visibilitychange', look);
    window.addEventListener('blur', leave);
    window.addEventListener('focus', comeBack);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('blur', leave);
      window.removeEventListener('focus', comeBack);
    };
  }, []);
  return (referral, way) => {
    called.current = { referral, way, at: Date.now(), hasLeft: false };
  };
}
