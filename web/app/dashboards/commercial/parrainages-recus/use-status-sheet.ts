import type { ContactChannel } from '@parrain/domain/call-consent';
import { isEditableByCommercial } from '@parrain/domain/sale';
import { useState } from 'react';
import type { Referral } from '#api/sales/referral';
import { useAfterCall } from './use-after-call.ts';

interface Moving {
  referral: Referral;
  /** By which way the friend has just been reached. */
  after?: ContactChannel;
}

/** The referral whose sheet is open. Back from a call, the sheet of who was called waits for the one that is being filled in (UI-06). */
export function useStatusSheet() {
  const [queue, setQueue] = useState<readonly Moving[]>([]);
  return {
    moving: queue[0],
    update: (referral: Referral) => setQueue([{ referral }]),
    noteReach: useAfterCall((referral, after) => {
      if (!isEditableByCommercial(referral)) return;
      setQueue((open) => (open.some((one) => one.referral.id === referral.id) ? open : [...open, { referral, after }]));
    }),
    close: () => setQueue((open) => open.slice(1)),
  };
}
