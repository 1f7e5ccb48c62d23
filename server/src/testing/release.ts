import type { DumpTrailer } from '@parrain/database/dump';
import type { EmbeddedPostgres, OwnerConnection } from '@parrain/database/embedded';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { PROJECT, temporaryFolder } from './deployment.ts';
import { startServerProcess } from './processes.ts';
import type { ServerProcess } from './processes.ts';

// A former release as a program that runs: its files out of Git, this installation's dependencies beside them.

export type ReleaseProgram = {
  readonly folder: string;
  /** The full name of its commit. */
  readonly commit: string;
  /** Its server, as `npm start` runs it. */
  readonly start: (environment: Readonly<Record<string, string>>) => Promise<ServerProcess>;
  readonly remove: () => void;
};

/** True if Git has this commit: a shallow clone has the newest alone. */
export function hasRelease(commit: string): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** Puts the program of a commit into a temporary folder. */
export function unpackRelease(commit: string): ReleaseProgram {
  const { folder, remove } = temporaryFolder('release');
  const archive = git('archive', commit, '--', 'package.json', 'database', 'domain', 'server');
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = path.join(folder, 'node_modules');
  mkdirSync(path.join(modules, '@parrain'), { recursive: true });
  for (const name of readdirSync(path.join(PROJECT, 'node_modules'))) {
    if (name !== '@parrain') symlinkSync(path.join(PROJECT, 'node_modules', name), path.join(modules, name));
  }
  for (const name of ['database', 'domain', 'server']) {
    symlinkSync(path.join(folder, name), path.join(modules, '@parrain', name));
  }
  return {
    folder,
    commit: git('rev-parse', commit).toString().trim(),
    start: (environment) => startServerProcess(environment, path.join(folder, 'server', 'src')),
    remove,
  };
}

export type RunningRelease = {
  readonly url: string;
  readonly commit: string;
  /** All that its embedded database holds, as its own program takes it. */
  readonly dump: (secretKey: string) => Promise<Buffer>;
  readonly stop: () => Promise<void>;
};

/** The server of a commit over an embedded database of its own. */
export async function startRelease(
  commit: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningRelease> {
  const program = unpackRelease(commit);
  const dataDir = path.join(program.folder, 'data');
  const server = await program.start({ ...environment, DATA_DIR: dataDir });
  const load = <T>(file: string): Promise<T> =>
    import(pathToFileURL(path.join(program.folder, 'database', 'src', file)).href) as Promise<T>;
  return {
    url: server.url,
    commit: program.commit,
    async dump(secretKey) {
      const { borrowEmbedded } = await load<{ borrowEmbedded: (folder: string) => Promise<EmbeddedPostgres> }>(
        'embedded.ts',
      );
      const { dump } = await load<{
        dump: (owner: OwnerConnection, options: { masterKey: Buffer }) => AsyncGenerator<Buffer, DumpTrailer>;
      }>('dump.ts');
      const { owner } = await borrowEmbedded(dataDir);
      const chunks: Buffer[] = [];
      for await (const chunk of dump(owner, { masterKey: Buffer.from(secretKey, 'hex') })) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    async stop() {
      await server.stop();
      program.remove();
    },
  };
}

const git = (...parameters: readonly string[]): Buffer =>
  execFileSync('git', [...parameters], { cwd: PROJECT, maxBuffer: 1024 ** 3, stdio: ['ignore', 'pipe', 'pipe'] });
