import type { Services } from '#platform/services';

import { defineEInvoiceReceiver, defineReceivedStatusSender } from './receiver.ts';
import { defineEInvoiceSender } from './sender.ts';
import { TIMEOUT_MS } from './settings.ts';
import { defineEInvoiceStatuses } from './statuses.ts';

export { createPlatformClient, PlatformTrouble } from './platform-client.ts';
export type { PlatformAccess } from './platform-client.ts';
export { keptAccess, sealPlatformSecret, TIMEOUT_MS } from './settings.ts';

/** EI-01, EI-02: what leaves and comes in through a plateforme agréée, and what is said of it either way. */
export function defineEInvoicing(services: Services): {
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
} {
  const sender = defineEInvoiceSender(services, TIMEOUT_MS);
  const statuses = defineEInvoiceStatuses(services, TIMEOUT_MS);
  const receiver = defineEInvoiceReceiver(services, TIMEOUT_MS);
  const told = defineReceivedStatusSender(services, TIMEOUT_MS);
  return {
    wake() {
      sender.wake();
      told.wake();
    },
    async stop() {
      statuses.stop();
      receiver.stop();
      await Promise.all([sender.stop(), told.stop()]);
    },
  };
}
