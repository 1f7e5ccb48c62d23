import { defineLeasedSender, writtenDown } from '#platform/leased-sender';
import type { LeasedSender } from '#platform/leased-sender';
import type { Services } from '#platform/services';

import { post } from './post.ts';
import type { PostOutcome } from './post.ts';
import { signedHeaders } from './signature.ts';

const TASK = 'send_webhooks';
const TIMEOUT_MS = 10_000;
const PURPOSE = 'webhook-secret';

type Claim = {
  readonly id: string;
  readonly attempts: number;
  readonly webhook_id: string;
  readonly url: string;
  readonly body: string;
  readonly secret_sealed: Buffer;
  readonly former_secret_sealed: Buffer | null;
};

/** Sends what is written for webhooks: a delivery whose node died is sent again with the same id. */
export function defineWebhookSender(services: Services): LeasedSender {
  const { db } = services;

  async function claim(): Promise<readonly Claim[]> {
    const { rows: due } = await db.queryAsService(
      TASK,
      {
        text: `select from private.webhook_deliveries where status = 'pending' and run_at <= now() and leased_until < now() limit 1`,
      },
      { readOnly: true },
    );
    if (due.length === 0) return [];
    const { rows } = await db.queryAsService<Claim>(TASK, { text: 'select * from private.claim_webhook_deliveries()' });
    return rows;
  }

  async function deliver(claimed: Claim, stopping: AbortSignal): Promise<number | null> {
    const { id, attempts, webhook_id: webhookId, url, body } = claimed;
    const secrets = [claimed.secret_sealed, claimed.former_secret_sealed]
      .filter((sealed) => sealed !== null)
      .map((sealed) => services.secrets.open(PURPOSE, sealed, webhookId).toString());
    // Receivers compare it with their own clock: a repetition has the time of its own try.
    const at = Math.floor(services.clock.now().getTime() / 1000);
    let outcome: PostOutcome;
    try {
      outcome = await post(
        url,
        { body, headers: signedHeaders({ id, at, body }, secrets) },
        { isPrivateAllowed: services.config.isOfThisMachine, timeoutMs: TIMEOUT_MS, signal: stopping },
      );
    } catch (error) {
      if (!stopping.aborted) throw error;
      await db.queryAsService(TASK, {
        text: `update private.webhook_deliveries set leased_until = '-infinity', attempts = attempts - 1
          where id = $1 and attempts = $2 and status = 'pending'`,
        values: [id, attempts],
      });
      return null;
    }
    return writtenDown(
      services,
      async () => {
        const { rows } = await db.queryAsService<{ next_s: number | null }>(TASK, {
          text: 'select private.settle_webhook_delivery($1, $2, $3, $4, $5, $6, $7) as next_s',
          values: [id, attempts, outcome.status, outcome.answer, outcome.error, outcome.tookMs, outcome.retryAfter],
        });
        return rows[0]?.next_s ?? null;
      },
      stopping,
    );
  }

  return defineLeasedSender(services, { task: TASK, what: 'Webhooks', claim, deliver });
}

/** Seals a secret for the webhook whose it is. */
export function sealWebhookSecret({ secrets }: Pick<Services, 'secrets'>, webhookId: string, secret: string): Buffer {
  return secrets.seal(PURPOSE, secret, webhookId);
}
