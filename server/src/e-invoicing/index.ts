import type { Services } from '#platform/services';

import { defineEInvoiceSender } from './sender.ts';
import { TIMEOUT_MS } from './settings.ts';
import { defineEInvoiceStatuses } from './statuses.ts';

export { createPlatformClient, PlatformTrouble } from './platform-client.ts';
export type { PlatformAccess } from './platform-client.ts';
export { keptAccess, sealPlatformSecret, TIMEOUT_MS } from './settings.ts';

/** EI-01: what leaves through a plateforme agréée, and what it says of it. */
export function defineEInvoicing(services: Services): {
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
} {
  const sender = defineEInvoiceSender(services, TIMEOUT_MS);
  const statuses = defineEInvoiceStatuses(services, TIMEOUT_MS);
  return {
    wake: sender.wake,
    async stop() {
      statuses.stop();
      await sender.stop();
    },
  };
}
