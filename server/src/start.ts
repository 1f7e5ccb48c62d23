import type { Owner } from '@parrain/database/connect';
import type { EmbeddedPostgres } from '@parrain/database/embedded';
import { migrate, pendingMigrations } from '@parrain/database/migrate';

import { buildApp, readDoors } from './app.ts';
import { scheduleBackups } from './backup/schedule.ts';
import type { Config } from './config.ts';
import { demoHint, loadDemoCompany, openOrCloseDemo } from './demo.ts';
import { systemClock } from './platform/clock.ts';
import { addressRefused } from './platform/free-address.ts';
import type { Log } from './platform/log.ts';
import { watchDescriptors } from './platform/descriptors.ts';
import { openPlatform } from './platform/open.ts';
import type { Services } from './platform/services.ts';
import { openWaitingPort } from './platform/waiting-port.ts';

export type Server = {
  readonly publicUrl: string;
  readonly services: Services;
  /** Start-up message: the address and the demo accounts. */
  readonly welcome: () => Promise<string>;
  /** In order: requests, jobs, connections, database. */
  readonly close: () => Promise<void>;
};

/**
 * Starts everything: migrations, demo company, doors and site, then the jobs. The embedded database may still be on its
 * way when this is called; null means the one that the configuration names.
 */
export async function startServer(
  config: Config,
  log: Log,
  embedded: Promise<EmbeddedPostgres> | null,
): Promise<Server> {
  const doors = readDoors();
  doors.catch(() => undefined);
  const postgres = await embedded;
  const owner: Owner = config.databaseUrl ?? postgres?.owner ?? '';
  try {
    await doors;
    await bringUpToDate(config, owner, log);
    let address = config.publicUrl ?? `http://localhost:${config.port}`;
    const platform = await openPlatform({
      config,
      owner,
      log,
      clock: systemClock,
      publicUrl: () => address,
      isServer: true,
    });
    scheduleBackups(platform, owner);
    const unwatch = watchDescriptors(log);
    const [app] = await Promise.all([
      buildApp(platform),
      config.demo ? loadDemoCompany(owner, platform) : null,
      openOrCloseDemo(platform),
    ]);
    await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw addressRefused(error, config);
    });
    const bound = app.server.address();
    if (config.publicUrl === null && typeof bound === 'object' && bound !== null) {
      address = `http://localhost:${bound.port}`;
    }
    // After the server listens: the start does not wait for the job queue.
    const jobs = platform.jobs.start().catch((error: unknown) => log.error({ err: error }, 'The jobs did not start'));
    return {
      publicUrl: address,
      services: platform,
      welcome: async () => welcome(address, platform),
      async close() {
        if (config.drainSeconds > 0) await app.drain(config.drainSeconds * 1000);
        await app.close();
        await jobs;
        await platform.close();
        unwatch();
        await postgres?.stop();
      },
    };
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
}

/** A schema that changes may take its time: whoever asks meanwhile is told so. */
async function bringUpToDate(config: Config, owner: Owner, log: Log): Promise<void> {
  const pending = await pendingMigrations(owner);
  const close = pending.length === 0 || config.port === 0 ? null : await openWaitingPort(config);
  if (pending.length > 0) log.info({ migrations: pending.length }, 'The database is brought up to date');
  try {
    await migrate(owner, { onApplied: (name) => log.info({ migration: name }, 'Migrated') });
  } finally {
    await close?.();
  }
}

async function welcome(address: string, services: Services): Promise<string> {
  const lines = [`  Parrain est prêt : ${address}`, ''];
  const demo = await demoHint(services);
  if (demo !== null) {
    lines.push(`  Comptes de démonstration (mot de passe : ${demo.password})`);
    for (const account of demo.accounts) lines.push(`    ${account.role.padEnd(12)}${account.email}`);
    if (services.config.isDemoPublic) {
      lines.push("  Ce mot de passe est public, et d'autres que cette machine atteignent cette adresse (DEMO=public).");
    }
    lines.push('');
  }
  if (services.config.smtpUrl === null) {
    lines.push("  Aucun serveur d'e-mail (SMTP_URL) : les identifiants à transmettre s'affichent à l'écran.", '');
  }
  return lines.join('\n');
}
