import { setTimeout as wait } from 'node:timers/promises';

import type { Services } from '#platform/services';

import { post } from './post.ts';
import type { PostOutcome } from './post.ts';
import { signedHeaders } from './signature.ts';

/** Sends what is written for webhooks: soon after an act of this process, and each minute whatever is due. */
export type WebhookSender = {
  readonly wake: () => void;
  /** Leaves what is under way to another node, or to the next start. */
  readonly stop: () => Promise<void>;
};

const TASK = 'send_webhooks';
/** What is decided in one go is read in one go. */
const GATHER_MS = 200;
const TIMEOUT_MS = 10_000;
/** A try that is due sooner than the next look of the job is waited for. */
const NEXT_LOOK_S = 60;
/** After a look that failed. */
const LOOK_AGAIN_S = 5;
/** With the try itself less than the lease of a minute. */
const SETTLE_AGAIN_MS = [500, 1000, 2000, 4000, 8000] as const;
/** A delivery that was lost on the way is due again once its lease is over. */
const LEASE_OVER_S = 61;
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

/**
 * Any node sends: a delivery is leased to the one that claims it, for a minute. One whose node died is sent again after that,
 * with the same id. A receiver that is slow keeps no connection to the database, and no other receiver, waiting.
 */
export function defineWebhookSender(services: Services): WebhookSender {
  const { jobs, log, db } = services;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let gathering: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;

  jobs.define(TASK, () => look());
  jobs.schedule(TASK, '* * * * *', { maxAttempts: 1 });

  /** Claims what is due and begins to send it; one look at a time. */
  function look(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    if (looking !== undefined) {
      isAskedAgain = true;
      return looking;
    }
    looking = claimAll()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Webhooks wait to be sent');
        lookIn(LOOK_AGAIN_S);
      })
      .finally(() => {
        looking = undefined;
        if (isAskedAgain) {
          isAskedAgain = false;
          void look();
        }
      });
    return looking;
  }

  async function claimAll(): Promise<void> {
    const { rows: due } = await db.queryAsService(
      TASK,
      {
        text: `select from private.webhook_deliveries where status = 'pending' and run_at <= now() and leased_until < now() limit 1`,
      },
      { readOnly: true },
    );
    if (due.length === 0) return;
    const { rows } = await db.queryAsService<Claim>(TASK, { text: 'select * from private.claim_webhook_deliveries()' });
    for (const claim of rows) {
      const sending = deliver(claim)
        .catch((error: unknown) => {
          log.warn({ err: error, delivery: claim.id }, 'A webhook is sent again later');
          lookIn(LEASE_OVER_S);
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }

  async function deliver(claim: Claim): Promise<void> {
    const { id, attempts, webhook_id: webhookId, url, body } = claim;
    const secrets = [claim.secret_sealed, claim.former_secret_sealed]
      .filter((sealed) => sealed !== null)
      .map((sealed) => services.secrets.open(PURPOSE, sealed, webhookId).toString());
    // Receivers compare it with their own clock: a repetition has the time of its own try.
    const at = Math.floor(services.clock.now().getTime() / 1000);
    let outcome;
    try {
      outcome = await post(
        url,
        { body, headers: signedHeaders({ id, at, body }, secrets) },
        { isPrivateAllowed: services.config.isOfThisMachine, timeoutMs: TIMEOUT_MS, signal: stopping.signal },
      );
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
      await db.queryAsService(TASK, {
        text: `update private.webhook_deliveries set leased_until = '-infinity', attempts = attempts - 1
          where id = $1 and attempts = $2 and status = 'pending'`,
        values: [id, attempts],
      });
      return;
    }
    const next = await settle(claim, outcome);
    if (next !== null && next < NEXT_LOOK_S) lookIn(next);
    // The next of the same object may leave now.
    void look();
  }

  /**
   * Writes down what came of a try. Where the database does not take it at once, a busy one or one that fails over, it is
   * asked again while the lease lasts: else the receiver would get the message twice, and its object would wait for the lease.
   * @returns in how many seconds it is tried again; null where it is over.
   */
  async function settle({ id, attempts }: Claim, outcome: PostOutcome): Promise<number | null> {
    for (const waitMs of [...SETTLE_AGAIN_MS, null]) {
      try {
        const { rows } = await db.queryAsService<{ next_s: number | null }>(TASK, {
          text: 'select private.settle_webhook_delivery($1, $2, $3, $4, $5, $6, $7) as next_s',
          values: [id, attempts, outcome.status, outcome.answer, outcome.error, outcome.tookMs, outcome.retryAfter],
        });
        return rows[0]?.next_s ?? null;
      } catch (error) {
        if (waitMs === null || stopping.signal.aborted) throw error;
        log.warn({ err: error, delivery: id }, 'What came of a webhook is written down again');
        await wait(waitMs, undefined, { signal: stopping.signal });
      }
    }
    return null;
  }

  function lookIn(seconds: number): void {
    if (stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void look();
    }, seconds * 1000);
    timers.add(timer);
  }

  return {
    wake() {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        void look();
      }, GATHER_MS);
    },
    async stop() {
      stopping.abort();
      clearTimeout(gathering);
      for (const timer of timers) clearTimeout(timer);
      await looking;
      await Promise.all(underWay);
    },
  };
}

/** Seals a secret for the webhook whose it is. */
export function sealWebhookSecret({ secrets }: Pick<Services, 'secrets'>, webhookId: string, secret: string): Buffer {
  return secrets.seal(PURPOSE, secret, webhookId);
}
