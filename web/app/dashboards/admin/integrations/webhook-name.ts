import type { Webhook } from '#api/company/webhooks';

/** Name of a webhook: its description, else the host of its address. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description ?? new URL(url).host;
}
