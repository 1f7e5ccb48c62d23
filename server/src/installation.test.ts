import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

// Packages that `npm ci` installs, and those that a running server needs.

const PROJECT = path.join(import.meta.dirname, '..', '..');

type LockEntry = {
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const packages = (read('package-lock.json') as { readonly packages: Readonly<Record<string, LockEntry>> }).packages;
const installed = Object.entries(packages).filter(([location]) => location.includes('node_modules/'));
const nameOf = (location: string): string => location.slice(location.lastIndexOf('node_modules/') + 13);

describe('the lock file', () => {
  test('[FX-30] has an integrity for every package, but for links and for what comes inside another one', () => {
    expect(installed.length).toBeGreaterThan(500);
    const without = installed.filter(
      ([, entry]) => entry.integrity === undefined && entry.inBundle !== true && entry.link !== true,
    );
    expect(without.map(([location]) => location)).toEqual([]);
  });

  test('[FX-30] names every package that an optional dependency of any system may need', () => {
    const known = new Set(installed.map(([location]) => nameOf(location)));
    const missing = Object.entries(packages).flatMap(([location, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !known.has(name))
        .map((name) => `${location}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('a production installation (npm ci --omit=dev)', () => {
  const workspaces = ['domain', 'database', 'server'];

  test.each(workspaces)('[FX-30] holds all that %s imports while it runs', (workspace) => {
    const { dependencies = {} } = read(workspace, 'package.json') as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    const imported = new Set(
      runningFiles(path.join(PROJECT, workspace, 'src')).flatMap((file) => importsOf(readFileSync(file, 'utf8'))),
    );
    expect([...imported].filter((name) => !(name in dependencies)).sort()).toEqual([]);
  });

  test('[FX-30] holds the Node that runs it, and neither a test tool nor a build tool', () => {
    const inProduction = new Set(
      installed
        .filter(([, entry]) => entry.dev !== true && entry.devOptional !== true)
        .map(([location]) => nameOf(location)),
    );
    expect(inProduction).toContain('node');
    for (const { devDependencies = {} } of ['.', 'server', 'web', 'e2e', 'bench'].map(
      (folder) => read(folder, 'package.json') as { readonly devDependencies?: Readonly<Record<string, string>> },
    )) {
      for (const name of Object.keys(devDependencies)) {
        const isShared = name.startsWith('@parrain/') || SHARED.has(name);
        if (!isShared) expect(inProduction).not.toContain(name);
      }
    }
  });
});

/** Development's, and needed by a dependency of production too. */
const SHARED = new Set([
  '@types/node',
  '@types/pg',
  'ajv',
  'ajv-formats',
  'fflate',
  'otpauth',
  'pg',
  'typescript',
  'uqr',
  'xml-crypto',
  'zod',
]);

function read(...parts: readonly string[]): unknown {
  return JSON.parse(readFileSync(path.join(PROJECT, ...parts), 'utf8'));
}

/** Sources but for tests and what only tests use. */
function runningFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : runningFiles(file);
    const isForTests = /\.test\.ts$|^testing(?:-setup)?\.ts$/u.test(entry.name);
    return entry.name.endsWith('.ts') && !isForTests ? [file] : [];
  });
}

/** The packages that a source imports at run time: types are gone by then. */
function importsOf(source: string): string[] {
  const specifiers = source.matchAll(/^(?:import|export) (?!type\b)(?:[^'"]*? from )?'([^']+)'|import\('([^']+)'\)/gmu);
  return [...specifiers]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((specifier) => !/^[.#]/u.test(specifier) && !isBuiltin(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
}
