import type { Socket } from 'node:net';

import type { OwnerConnection } from '@parrain/database/embedded';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';

import type { Statement } from './capture.ts';
import type { LimitFigures } from './limit.ts';

export type LoopJob = {
  readonly login: OwnerConnection;
  readonly statements: readonly Statement[];
  readonly connections: number;
  readonly seconds: number;
};

process.on('message', (job: LoopJob) => {
  loop(job).then(
    (figures) => process.send?.(figures),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

/** Stand-in for pgbench: the same prepared statements, one round trip a transaction, answers discarded. */
async function loop({ login, statements, connections, seconds }: LoopJob): Promise<LimitFigures> {
  const settings: ClientConfig & { readonly pipeline: boolean } = { ...login, pipeline: true };
  const clients = Array.from({ length: connections }, () => new Client(settings));
  await Promise.all(clients.map((client) => client.connect()));
  let transactions = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
        stream.cork();
        const answers = Promise.all([
          client.query('begin'),
          ...statements.map(({ text, values }, index) =>
            client.query({ name: `s${index}`, text, values: [...values] }),
          ),
          client.query('commit'),
        ]);
        // One packet for all of them.
        stream.uncork();
        await answers;
        transactions += 1;
      }
    }),
  );
  const elapsed = performance.now() - started;
  await Promise.all(clients.map((client) => client.end()));
  return { perSecond: (transactions / elapsed) * 1000, mean: (elapsed * connections) / transactions };
}
