import { fork } from 'node:child_process';
import path from 'node:path';

import type { Job, Outcome } from './load-worker.ts';
import { median } from './median.ts';

export type Load = {
  /** Sends the requests of one round. @throws Error where an answer is not a success. */
  readonly run: (job: Omit<Job, 'host' | 'port'>) => Promise<Outcome>;
  readonly stop: () => void;
};

/** The people who ask: another process, so that making requests takes nothing from the server's own thread. */
export function startLoad(host: string, port: number): Load {
  const child = fork(path.join(import.meta.dirname, 'load-worker.ts'), { serialization: 'advanced' });
  return {
    async run(job) {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        const onExit = (code: number | null): void => reject(new Error(`The load process ended (${code})`));
        child.once('exit', onExit);
        child.once('message', (message: { readonly outcome: Outcome } | { readonly error: string }) => {
          child.off('exit', onExit);
          if ('error' in message) reject(new Error(message.error));
          else resolve(message.outcome);
        });
        child.send({ ...job, host, port } satisfies Job);
      });
      if (outcome.lastFailure !== null) throw new Error(`The server refused: ${outcome.lastFailure}`);
      return outcome;
    },
    stop: () => child.kill(),
  };
}

/** Median of each measure over several rounds. */
export type Figures = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
};

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  return {
    perSecond: median(outcomes.map(({ answers, seconds }) => answers / seconds)),
    p50: median(outcomes.map(({ p50 }) => p50)),
    p99: median(outcomes.map(({ p99 }) => p99)),
    bytes: median(outcomes.map(({ bytes }) => bytes)),
  };
}
