import { setTimeout as wait } from 'node:timers/promises';

import type { Services } from './services.ts';

/** Sends what is written for others' servers: soon after an act of this process, and each minute whatever is due. */
export type LeasedSender = {
  readonly wake: () => void;
  /** Leaves what is under way to another node, or to the next start. */
  readonly stop: () => Promise<void>;
};

/** Work of a sender: a claim is leased for a minute to the node that sends it. */
export type LeasedWork<Claim> = {
  /** The job that looks each minute, and what it says of itself in the log. */
  readonly task: string;
  readonly what: string;
  /** Leases what is due; nothing where nothing is. */
  readonly claim: () => Promise<readonly Claim[]>;
  /** Sends one and writes down what came of it. Gives in how many seconds it is tried again; null where it is over. */
  readonly deliver: (claim: Claim, stopping: AbortSignal) => Promise<number | null>;
};

/** Delay that gathers the claims of one decision into one look. */
const GATHER_MS = 200;
/** A try that is due sooner than the next look of the job is waited for. */
const NEXT_LOOK_S = 60;
/** After a look that failed. */
const LOOK_AGAIN_S = 5;
/** With the try itself less than the lease of a minute. */
const SETTLE_AGAIN_MS = [500, 1000, 2000, 4000, 8000] as const;
/** Delay after which a claim that was lost on the way is due again: its lease is over. */
const LEASE_OVER_S = 61;

/**
 * Any node sends. What a node had when it died is sent again once its lease is over. A receiver that is slow keeps no connection
 * to the database, and no other receiver, waiting.
 */
export function defineLeasedSender<Claim>({ jobs, log }: Services, work: LeasedWork<Claim>): LeasedSender {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let gathering: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;

  jobs.define(work.task, () => look());
  jobs.schedule(work.task, '* * * * *', { maxAttempts: 1 });

  /** Claims what is due and begins to send it; one look at a time. */
  function look(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    if (looking !== undefined) {
      isAskedAgain = true;
      return looking;
    }
    looking = claimAll()
      .catch((error: unknown) => {
        log.warn({ err: error }, `${work.what} wait to be sent`);
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
    for (const claim of await work.claim()) {
      const sending = deliver(claim)
        .catch((error: unknown) => {
          log.warn({ err: error }, `${work.what} are sent again later`);
          lookIn(LEASE_OVER_S);
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }

  async function deliver(claim: Claim): Promise<void> {
    const next = await work.deliver(claim, stopping.signal);
    if (next !== null && next < NEXT_LOOK_S) lookIn(next);
    // The next of the same object may leave now.
    void look();
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

/**
 * Writes down what came of a try. Where the database does not take it at once, a busy one or one that fails over, it is asked
 * again while the lease lasts: else the receiver would get the message twice.
 */
export async function writtenDown<Result>(
  { log }: Pick<Services, 'log'>,
  write: () => Promise<Result>,
  stopping: AbortSignal,
): Promise<Result> {
  for (const waitMs of SETTLE_AGAIN_MS) {
    try {
      return await write();
    } catch (error) {
      if (stopping.aborted) throw error;
      log.warn({ err: error }, 'What came of a delivery is written down again');
      await wait(waitMs, undefined, { signal: stopping });
    }
  }
  return write();
}
