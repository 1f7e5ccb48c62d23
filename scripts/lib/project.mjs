import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A path inside the project. */
export const inProject = (...parts) => path.join(root, ...parts);

/** The Node that the project brings along: it runs TypeScript as it stands, which the machine's own may not. */
export function projectNode() {
  const own = inProject('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath;
  throw new Error(
    "Node 26 n'a pas été installé avec les dépendances (les scripts d'installation sont-ils désactivés ?). " +
      'Lancez « npm ci », ou utilisez Node 26.',
  );
}

/** The environment in which the project's own tools are found first. */
export function projectEnvironment(more = {}) {
  return {
    ...process.env,
    PATH: [inProject('node_modules', '.bin'), process.env.PATH].join(path.delimiter),
    // glibc keeps for each thread what it gave back: hashing passwords would hold 80 MB for ever.
    MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '1',
    // Node reads its compiled code again at the next start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? inProject('node_modules', '.cache', 'node'),
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--disable-warning=ExperimentalWarning'].filter(Boolean).join(' '),
    ...more,
  };
}

/** Node's parameter that reads the project's `.env`, where there is one; what the environment says goes before it. */
export function envFile() {
  const file = inProject('.env');
  if (!existsSync(file)) return [];
  try {
    accessSync(file, constants.R_OK);
  } catch {
    // To go on without it would be to start another installation.
    throw new Error(
      `Le fichier ${file} ne peut pas être lu par ce compte : lancez la commande sous le compte du serveur.`,
    );
  }
  return [`--env-file=${file}`];
}

/** Runs a command to its end. Gives its exit code, and its output where it was captured. */
export function run(command, parameters, options = {}) {
  const { capture = false, cwd = root, env = projectEnvironment() } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      cwd,
      env,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell: process.platform === 'win32' && command === 'npm',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? 1, signal, output }));
  });
}

/** A command of a dependency, run by the project's Node: `[node, [script]]`. */
export function tool(packageName, command = packageName.split('/').at(-1)) {
  const folder = inProject('node_modules', ...packageName.split('/'));
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const script = typeof bin === 'string' ? bin : bin?.[command];
  if (script === undefined) throw new Error(`${packageName} n'a pas de commande ${command}.`);
  return [projectNode(), [path.join(folder, script)]];
}

/** One hash over everything in these files and folders. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder).sort()) {
    hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(file) {
  const full = path.isAbsolute(file) ? file : inProject(file);
  if (!existsSync(full)) return [];
  const entries = readdirSync(path.dirname(full), { withFileTypes: true });
  const entry = entries.find((candidate) => candidate.name === path.basename(full));
  if (!entry?.isDirectory()) return [full];
  return readdirSync(full, { withFileTypes: true })
    .filter((child) => child.name !== 'node_modules' && !child.name.startsWith('.'))
    .flatMap((child) => filesUnder(path.join(full, child.name)));
}
