import { actAsOwner, borrowEmbedded } from '@parrain/database/embedded';
import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { requireMigrated } from '@parrain/database/migrate';
import { RestoreRefused } from '@parrain/database/restore';
import type { Client } from 'pg';

import { UnreadableBackup } from '../backup/open.ts';
import { misspeltSettings } from '../config-names.ts';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { explain, isExplained as isExplainedAtStart } from '../explain.ts';
import { systemClock } from '../platform/clock.ts';
import { openCommandLog } from '../platform/log.ts';
import { openPlatform } from '../platform/open.ts';
import type { Platform } from '../platform/open.ts';

export type CommandContext = {
  readonly config: Config;
  readonly owner: Owner;
};

/**
 * Runs a command with all that the server stands on. It makes no key, no role and no schema: what is missing is a server's
 * to make, and a wrong key is said before anything is written.
 */
export async function runCommand(
  work: (context: CommandContext & { readonly platform: Platform }) => Promise<number>,
): Promise<void> {
  await runOwnerCommand((context) => withPlatform(context, (platform) => work({ ...context, platform })));
}

/** Opens what the server stands on, for as long as the work. */
export async function withPlatform<T>(
  { config, owner }: CommandContext,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const platform = await openPlatform({
    config,
    owner,
    log: openCommandLog(config),
    clock: systemClock,
    publicUrl: () => config.publicUrl ?? `http://localhost:${config.port}`,
    isServer: false,
  });
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}

/**
 * Runs a command on the database of the server, whether that one runs or not; what was started for it is stopped after.
 * The command's own failure is said in one sentence, with exit code 1.
 */
export async function runOwnerCommand(
  work: (context: CommandContext) => Promise<number>,
  requireSchema: (client: Client) => Promise<void> = requireMigrated,
): Promise<void> {
  await explained(async (config) => {
    const postgres = config.databaseUrl === null ? await borrowEmbedded(config.dataDir) : null;
    // A command that is interrupted leaves no PostgreSQL behind which it started.
    for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
      process.once(signal, () => void (postgres?.stop() ?? Promise.resolve()).finally(() => process.exit(130)));
    }
    // A command ends when its work does: to hear of the channel's end must not keep it.
    process.channel?.unref();
    try {
      const owner: Owner = config.databaseUrl ?? postgres?.owner ?? '';
      const client = await connectAsOwner(owner);
      try {
        await requireSchema(client);
      } finally {
        await client.end();
      }
      return await work({ config, owner });
    } finally {
      await postgres?.stop();
    }
  });
}

/**
 * Runs a command's work, whose exit code it gives, with the server's configuration and as the account that owns its data; its
 * failure is said in one sentence, with exit code 1.
 */
export async function explained(work: (config: Config) => Promise<number>): Promise<void> {
  let databaseUrl: string | null = null;
  try {
    for (const sentence of misspeltSettings(process.env)) process.stderr.write(`${sentence}\n`);
    const config = readConfig(process.env);
    ({ databaseUrl } = config);
    if (databaseUrl === null) await actAsOwner(config.dataDir);
    process.exitCode = await work(config);
  } catch (error) {
    const isOwn = error instanceof Error && isExplained(error);
    process.stderr.write(`${isOwn ? error.message : explain(error, databaseUrl)}\n`);
    process.exitCode = 1;
  }
}

/** A message for the person who typed the command, one sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Options of a command beyond the server's own configuration. */
const OWN_ERRORS = [CommandError, RestoreRefused, UnreadableBackup];

/** True if the error's message is a sentence for the person who typed the command. */
export function isExplained(error: unknown): boolean {
  return isExplainedAtStart(error) || OWN_ERRORS.some((kind) => error instanceof kind);
}
