import { randomUUID } from 'node:crypto';
import { borrowEmbedded } from '@parrain/database/embedded';
import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { pendingMigrations } from '@parrain/database/migrate';
import type { Client } from 'pg';

import { placeAt } from '../backup/place.ts';
import type { Config } from '../config.ts';
import { explain } from '../explain.ts';
import { settingsOfNodes } from '../platform/same-settings.ts';
import { s3Store } from '../platform/s3.ts';
import { diskUnder } from '../platform/system-figures.ts';
import { explained } from './context.ts';

// npm run doctor: tries each thing that an installation stands on, and says what to do about what does not work. It sends no mail, and
// leaves nothing behind.

/** Gives a sentence, or null where the thing is not set. @throws Error with a sentence that says what to do. */
type Check = { readonly name: string; readonly run: () => Promise<string | null> };

const TIMEOUT_MS = 10_000;
const CLOCK_SECONDS_MAX = 5;
const GIB = 1024 ** 3;
const FREE_BYTES_MIN = GIB;

await explained(async (config) => {
  let owner: Owner | null = null;
  let stop = async (): Promise<void> => undefined;
  const withOwner = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    if (owner === null) throw new Error('la base ne répond pas, voyez plus haut.');
    const client = await connectAsOwner(owner, { connectionTimeoutMillis: TIMEOUT_MS });
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const checks: readonly Check[] = [
    {
      name: 'Base de données',
      async run() {
        if (config.databaseUrl === null) {
          const postgres = await borrowEmbedded(config.dataDir);
          owner = postgres.owner;
          stop = () => postgres.stop();
        } else owner = config.databaseUrl;
        const pending = await pendingMigrations(owner).catch((error: unknown) => {
          owner = null;
          throw error;
        });
        if (pending.length > 0) {
          throw new Error(
            `${pending.length} migrations attendent (${pending.join(', ')}) : faites npm run migrate, ou redémarrez le serveur.`,
          );
        }
        const version = await withOwner(async (client) => {
          const { rows } = await client.query<{ version: string }>(
            `select current_setting('server_version') as version`,
          );
          return rows[0]?.version;
        });
        return `PostgreSQL ${version}, au schéma de cette version`;
      },
    },
    { name: 'Horloge', run: () => withOwner(checkClock) },
    { name: 'Disque', run: () => checkDisk(config) },
    { name: 'E-mail', run: () => checkMail(config) },
    { name: 'Adresse publique', run: () => checkAddress(config) },
    { name: 'Fichiers envoyés (S3)', run: () => checkFiles(config) },
    { name: 'Sauvegardes', run: () => checkBackups(config) },
    { name: 'Autres nœuds', run: () => withOwner((client) => checkNodes(config, client)) },
  ];
  try {
    process.stdout.write('✓ Réglages : lus\n');
    let failures = 0;
    for (const { name, run } of checks) {
      try {
        const told = await run();
        process.stdout.write(told === null ? `– ${name} : non réglé\n` : `✓ ${name} : ${told}\n`);
      } catch (error) {
        failures += 1;
        process.stdout.write(`✗ ${name} : ${sentenceOf(error, config)}\n`);
      }
    }
    return failures === 0 ? 0 : 1;
  } finally {
    await stop();
  }
});

/** The sentence of an error that is explained, else its one line: a trace helps nobody here. */
function sentenceOf(error: unknown, config: Config): string {
  return (
    explain(error, config.databaseUrl)
      .split('\n', 1)[0]
      ?.replace(/^Error: /u, '') ?? ''
  );
}

async function checkClock(client: Client): Promise<string> {
  const { rows } = await client.query<{ now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now');
  return clockSentence(Number.parseFloat(rows[0]?.now ?? '0'), 'la base');
}

function clockSentence(theirs: number, whose: string): string {
  const seconds = Math.abs(Date.now() - theirs) / 1000;
  if (seconds > CLOCK_SECONDS_MAX) {
    throw new Error(`${Math.round(seconds)} s d’écart avec ${whose} : mettez les machines à l’heure (NTP).`);
  }
  return `à l’heure de ${whose}`;
}

async function checkDisk(config: Config): Promise<string | null> {
  if (config.databaseUrl !== null) return null;
  const { freeBytes } = await diskUnder(config.dataDir);
  const text = `${(freeBytes / GIB).toLocaleString('fr-FR', { maximumFractionDigits: 1 })} Gio libres`;
  if (freeBytes < FREE_BYTES_MIN) throw new Error(`${text} seulement : agrandissez le disque, ou libérez de la place.`);
  return text;
}

/** The server's greeting and the account are tried; no message leaves. */
async function checkMail({ smtpUrl }: Config): Promise<string | null> {
  if (smtpUrl === null) return null;
  const { hostname } = new URL(smtpUrl);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    await transport.verify();
  } catch (error) {
    throw new Error(
      `${hostname} refuse ou ne répond pas (${error instanceof Error ? error.message : String(error)}) : corrigez SMTP_URL.`,
      { cause: error },
    );
  } finally {
    transport.close();
  }
  return `${hostname} prend le compte`;
}

/** Checks that PUBLIC_URL leads to a server of ours that knows this address, and that its clock is right. */
async function checkAddress({ publicUrl }: Config): Promise<string | null> {
  if (publicUrl === null) return null;
  const ask = (path: string) =>
    fetch(`${publicUrl}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' }).catch(
      (error: unknown) => {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
        throw new Error(
          `${publicUrl} ne répond pas (${cause}) : vérifiez le nom, le certificat et le serveur mandataire.`,
        );
      },
    );
  const health = await ask('/health');
  if (!health.ok)
    throw new Error(`${publicUrl}/health répond ${health.status} : le serveur n’est pas prêt, ou n’est pas celui-ci.`);
  const config = (await ask('/config.json')
    .then((reply) => reply.json())
    .catch(() => ({}))) as { apiUrl?: string };
  if (config.apiUrl !== publicUrl) {
    throw new Error(
      `${publicUrl} mène à un serveur qui s’appelle « ${config.apiUrl ?? 'autrement'} » : mettez-y le même PUBLIC_URL.`,
    );
  }
  const date = health.headers.get('date');
  if (date !== null) clockSentence(Date.parse(date), publicUrl);
  return publicUrl;
}

async function checkFiles({ s3Url }: Config): Promise<string | null> {
  if (s3Url === null) return null;
  const store = s3Store(s3Url);
  const name = `essai-${randomUUID()}`;
  await store.put(name, Buffer.from('essai'));
  const read = await store.get(name);
  await store.remove(name);
  if (read?.toString() !== 'essai') throw new Error('ce qui est écrit n’est pas relu : vérifiez STORAGE_S3_URL.');
  return `${new URL(s3Url).host} garde et rend un fichier`;
}

async function checkBackups({ backupTo }: Config): Promise<string | null> {
  if (backupTo === null) return null;
  const place = placeAt(backupTo);
  const name = `essai-${randomUUID()}`;
  await place.write(
    name,
    (async function* () {
      yield Buffer.from('essai');
    })(),
  );
  await place.remove(name);
  return `${place.description} prend un fichier`;
}

async function checkNodes(config: Config, client: Client): Promise<string> {
  const nodes = await settingsOfNodes(client, config);
  const different = new Set(nodes.flat());
  if (different.size > 0) {
    throw new Error(
      `un serveur qui tourne a d’autres réglages (${[...different].join(', ')}) : donnez-leur les mêmes.`,
    );
  }
  return nodes.length === 0 ? 'aucun serveur ne tourne' : 'mêmes réglages';
}
