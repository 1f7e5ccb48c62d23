// Before everything else.
import { stopTracing } from './tracing.ts';

import { EmbeddedPostgresError, startEmbedded } from '@parrain/database/embedded';
import { MigrationError } from '@parrain/database/migrate';
import closeWithGrace from 'close-with-grace';

import { ConfigurationError, readConfig } from './config.ts';
import { isConnectionLoss } from './platform/database-errors.ts';
import { openLog } from './platform/log.ts';
import { createSupervisor } from './platform/supervisor.ts';

/** More than draining takes at most; less than a supervisor waits before it kills (`TimeoutStopSec=40`). */
const GRACE_MS = 35_000;

try {
  const config = readConfig(process.env);
  const log = openLog(config);
  const supervisor = createSupervisor(process.env, log);
  // PostgreSQL starts in a process of its own, while this one reads the rest of the program.
  const embedded =
    config.databaseUrl === null
      ? startEmbedded({
          dataDir: config.dataDir,
          onRestart: () => log.warn('PostgreSQL had ended and was started again'),
          onLost(error) {
            log.fatal({ err: error }, 'The database is lost');
            process.exitCode = 1;
            void closing.close();
          },
        })
      : null;
  embedded?.catch(() => undefined);
  const { startServer } = await import('./start.ts');
  const server = await startServer(config, log, embedded);
  const closing = closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'The server stops on an error nobody handled');
    else if (signal !== undefined) log.info({ signal }, 'The server stops');
    supervisor.stopping();
    await server.close();
    await stopTracing?.();
  });
  process.stdout.write(`\n${await server.welcome()}\n`);
  supervisor.ready(server.services.db);
} catch (error) {
  const isExplained =
    error instanceof ConfigurationError || error instanceof EmbeddedPostgresError || error instanceof MigrationError;
  process.stderr.write(`\n${isExplained ? error.message : `Le serveur n'a pas pu démarrer : ${describe(error)}`}\n\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return 'le port est déjà utilisé par un autre programme. Choisissez-en un autre avec la variable PORT.';
  }
  if (isConnectionLoss(error)) {
    return `la base de données indiquée par DATABASE_URL ne répond pas (${error.message}).`;
  }
  return error.stack ?? error.message;
}
