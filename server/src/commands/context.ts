import { borrowEmbedded, EmbeddedPostgresError } from '@parrain/database/embedded';
import { migrate, MigrationError } from '@parrain/database/migrate';
import { Failure } from '@parrain/domain/failure';

import { ConfigurationError, readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { openPlatform } from '../platform/open.ts';
import type { Owner, Platform } from '../platform/open.ts';

export type CommandContext = {
  readonly config: Config;
  readonly owner: Owner;
  readonly platform: Platform;
};

/**
 * Runs a command on the database of the server, whether that one runs or not; what was started for it is stopped after.
 * The command's own failure is said in one sentence, with exit code 1.
 */
export async function runCommand(work: (context: CommandContext) => Promise<number>): Promise<void> {
  try {
    const config = readConfig(process.env);
    const postgres = config.databaseUrl === null ? await borrowEmbedded(config.dataDir) : null;
    try {
      const owner: Owner = config.databaseUrl ?? postgres?.owner ?? '';
      // A database that a server uses is that server's to migrate.
      if (postgres?.isBorrowed === false) await migrate(owner);
      const platform = await openPlatform({
        config,
        owner,
        log: createLog('warn'),
        clock: systemClock,
        publicUrl: () => config.publicUrl ?? `http://localhost:${config.port}`,
      });
      try {
        process.exitCode = await work({ config, owner, platform });
      } finally {
        await platform.close();
      }
    } finally {
      await postgres?.stop();
    }
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** What the person who typed the command should know, in a sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const explained = [ConfigurationError, CommandError, EmbeddedPostgresError, MigrationError, Failure];
  return explained.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
