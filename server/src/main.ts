// Before everything else.
import { stopTracing } from './tracing.ts';

import { actAsOwner, startEmbedded } from '@parrain/database/embedded';
import closeWithGrace from 'close-with-grace';

import { misspeltSettings } from './config-names.ts';
import { readConfig } from './config.ts';
import { explain } from './explain.ts';
import { requireFreeAddress } from './platform/free-address.ts';
import { openLog } from './platform/log.ts';
import { createSupervisor } from './platform/supervisor.ts';

/** More than draining takes at most; less than a supervisor waits before it kills (`TimeoutStopSec=40`). */
const GRACE_MS = 35_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

// From the first moment: a server that is told to stop while it starts would leave its PostgreSQL behind.
const stop = Promise.withResolvers<string>();
// A second signal is the first: npm passes on what the whole group was sent already.
for (const signal of SIGNALS) process.on(signal, () => stop.resolve(signal));
// Orphaned: the parent process is gone, so no other process could stop this one.
process.once('disconnect', () => stop.resolve('disconnect'));
// A terminal or a program that read the output may go first.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

let databaseUrl: string | null = null;
try {
  for (const sentence of misspeltSettings(process.env)) process.stderr.write(`${sentence}\n`);
  const config = readConfig(process.env);
  ({ databaseUrl } = config);
  const log = openLog(config);
  const supervisor = createSupervisor(process.env, log);
  if (databaseUrl === null) await actAsOwner(config.dataDir);
  await requireFreeAddress(config);
  // PostgreSQL starts in a process of its own, while this one reads the rest of the program.
  const embedded =
    databaseUrl === null
      ? startEmbedded({
          dataDir: config.dataDir,
          onRestart: () => log.warn('PostgreSQL had ended and was started again'),
          onLost(error) {
            // Ends this process as an error does, so that its supervisor starts it again.
            setImmediate(() => {
              throw new Error('The database is lost', { cause: error });
            });
          },
        })
      : null;
  embedded?.catch(() => undefined);
  const { startServer } = await import('./start.ts');
  const server = await startServer(config, log, embedded);
  const closing = closeWithGrace({ delay: GRACE_MS, logger: false, skip: [...SIGNALS] }, async ({ err }) => {
    if (err !== undefined) log.fatal({ err }, 'The server stops on an error nobody handled');
    supervisor.stopping();
    await server.close();
    await stopTracing?.();
    log.info('The server has stopped');
  });
  process.stdout.write(`\n${await server.welcome()}\n`);
  supervisor.ready(server.services.db);
  void stop.promise.then((signal) => {
    log.info({ signal }, 'The server stops');
    closing.close();
  });
} catch (error) {
  process.stderr.write(`\n${explain(error, databaseUrl)}\n\n`);
  process.exit(1);
}
