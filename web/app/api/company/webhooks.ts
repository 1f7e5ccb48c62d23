import type {
  DeliveryError,
  DeliveryStatus,
  WebhookDeliveryRow,
  WebhookEvent,
  WebhookOff,
  WebhookRow,
} from '@parrain/domain/webhook';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';

/** An address of other software, and what it is told of (WH-02). Never its secret. */
export interface Webhook {
  id: string;
  url: string;
  description: string | null;
  events: readonly WebhookEvent[];
  /** Null as long as events are sent. */
  offBecause: WebhookOff | null;
  failingSince: string | null;
  /** Until when the secret before the last change is valid too. */
  formerSecretUntil: string | null;
  waiting: number;
}

/** A line of its log. */
export interface WebhookDelivery {
  id: string;
  number: number;
  type: WebhookDeliveryRow['type'];
  status: DeliveryStatus;
  attempts: number;
  createdAt: string;
  nextTryAt: string | null;
  answerStatus: number | null;
  answer: string | null;
  error: DeliveryError | null;
}

/** Settings of a webhook that an admin chooses. */
export interface WebhookChoice {
  url: string;
  description: string | null;
  events: readonly WebhookEvent[];
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: async (): Promise<readonly Webhook[]> => {
    const { data } = await callFunction<{ data: readonly WebhookRow[] }>('webhooks', {
      method: 'GET',
      query: { action: 'list' },
    });
    return data.map((row) => ({
      id: row.id,
      url: row.url,
      description: row.description,
      events: row.events,
      offBecause: row.off_because,
      failingSince: row.failing_since,
      formerSecretUntil: row.former_secret_until,
      waiting: row.waiting,
    }));
  },
});

const logPageSize = 50;
const POLL_MS = 3000;

/** The log of one, newest first. Realtime tells nothing of it: it is polled while it is on screen. */
export function webhookLogQuery(webhookId: string) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', 'log', webhookId],
    queryFn: async ({ pageParam }): Promise<readonly WebhookDelivery[]> => {
      const { data } = await callFunction<{ data: readonly WebhookDeliveryRow[] }>('webhooks', {
        method: 'GET',
        query: { action: 'log', webhook_id: webhookId, ...(pageParam === null ? {} : { before: String(pageParam) }) },
      });
      return data.map((row) => ({
        id: row.id,
        number: row.number,
        type: row.type,
        status: row.status,
        attempts: row.attempts,
        createdAt: row.created_at,
        nextTryAt: row.run_at,
        answerStatus: row.answer_status,
        answer: row.answer,
        error: row.error,
      }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < logPageSize ? undefined : page.at(-1)?.number),
    refetchInterval: POLL_MS,
  });
}

/** Gives the secret, which no other call gives. */
export async function addWebhook(chosen: WebhookChoice): Promise<string> {
  const { secret } = await act<{ secret: string }>('add', { ...chosen });
  return secret;
}

export async function updateWebhook(id: string, changes: Changes): Promise<void> {
  await act('update', { webhook_id: id, ...changes });
}

export async function removeWebhook(id: string): Promise<void> {
  await act('remove', { webhook_id: id });
}

export async function switchWebhook({ id, isOn }: { id: string; isOn: boolean }): Promise<void> {
  await act('switch', { webhook_id: id, is_on: isOn });
}

/** Gives the new secret, which no other call gives. */
export async function rollWebhookSecret(id: string): Promise<string> {
  const { secret } = await act<{ secret: string }>('roll_secret', { webhook_id: id });
  return secret;
}

export async function testWebhook(id: string): Promise<void> {
  await act('test', { webhook_id: id });
}

export async function sendWebhookAgain(deliveryId: string): Promise<void> {
  await act('send_again', { delivery_id: deliveryId });
}

async function act<ResponseBody>(action: string, body: Readonly<Record<string, unknown>>): Promise<ResponseBody> {
  const answer = await callFunction<ResponseBody>('webhooks', { body: { action, ...body } });
  await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  return answer;
}
