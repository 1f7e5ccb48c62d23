import type { Webhook } from '#api/company/webhooks';

/** What a webhook is called: its description, else the host of its address. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description ?? new URL(url).host;
}
