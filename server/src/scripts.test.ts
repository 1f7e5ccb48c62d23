import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { findFixedSleeps } from '../../scripts/fences.mjs';
import { findRiddles } from '../../scripts/prose.mjs';
import { markedLong, matching, ringOf, WORKSPACES } from '../../scripts/lib/rings.mjs';
import { problemsOfRows } from '../../scripts/specification.mjs';

// Tests of scripts/, which run between the command that a person types and the program.

const PROJECT = path.join(import.meta.dirname, '..', '..');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-scripts-'));
  // Under root, PostgreSQL runs as another account, which has to pass through.
  await chmod(folder, 0o755);
});
afterEach(async () => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

describe("the project's .env", () => {
  /** The project in a folder of its own: the same sources, with settings of its own. */
  async function projectWith(settings: string): Promise<string> {
    const project = path.join(folder, 'project');
    await cp(path.join(PROJECT, 'scripts'), path.join(project, 'scripts'), { recursive: true });
    for (const name of ['node_modules', 'package-lock.json', 'server', 'database', 'domain']) {
      await symlink(path.join(PROJECT, name), path.join(project, name));
    }
    await writeFile(path.join(project, '.env'), settings);
    return project;
  }

  async function keys(project: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [path.join(project, 'scripts', 'run.mjs'), 'server/src/commands/keys.ts'],
        { env: { PATH: process.env['PATH'], ...environment }, cwd: folder },
        (_error, out, err) => resolve(out + err),
      );
    });
  }

  test('[FX-27][OP-01] is read by commands as by npm start, wherever they are typed; what the environment says goes before it', async () => {
    const project = await projectWith(`# where it is\nDATA_DIR="${folder}/of file"\nSMPT_URL=x\n`);
    expect(await keys(project)).toContain(`Il n'y a pas d'installation dans ${folder}/of file,`);
    expect(await keys(project)).toContain('Vouliez-vous dire SMTP_URL ?');
    expect(await keys(project, { DATA_DIR: `${folder}/given` })).toContain(`dans ${folder}/given,`);
  });

  test.skipIf(process.getuid?.() === 0)(
    '[FX-27] that this account may not read ends the command: another installation would be meant',
    async () => {
      const project = await projectWith('DATA_DIR=/srv/parrain\n');
      await chmod(path.join(project, '.env'), 0);
      expect(await keys(project)).toContain('.env ne peut pas être lu par ce compte');
    },
  );
});

describe('the rows of the specification', () => {
  const problems = (specification: string, notBegun = '', named: readonly string[] = []): readonly string[] =>
    problemsOfRows({ specification, notBegun, holders: new Map(named.map((id) => [id, new Set(['a.test.ts'])])) });

  test('a row that no test names is a problem unless it is not begun', () => {
    const rows = '- V-01 One.\n- V-02 Two.';
    expect(problems(rows, '', ['V-01', 'V-02'])).toEqual([]);
    expect(problems(rows, '| V-02 | Two |', ['V-01'])).toEqual([]);
    const unnamed = 'V-02';
    expect(problems(rows, '', ['V-01'])).toEqual([
      `${unnamed}: no test names it; a test's title must, as « [${unnamed}] … »`,
    ]);
  });

  test('the list of rows not begun shrinks: a row that a test names stands there no more', () => {
    expect(problems('- V-01 One.', '| V-01 | One |\n| NV-01 | Later |', ['V-01', 'NV-01'])).toEqual([
      'V-01 is begun (a.test.ts): take it off docs/not-begun.md',
      'NV-01 is begun (a.test.ts): take it off docs/not-begun.md',
    ]);
  });

  test('rows stand one a line, in both files', () => {
    expect(problems('- V-01 One. V-02 Two.', '', ['V-01'])).toEqual([
      'V-02 shares a line of docs/specification.md: one row a line',
    ]);
    expect(problems('- V-01 One.', '| NV-01 … NV-03 | Later |', ['V-01'])).toEqual([
      'docs/not-begun.md groups rows, one a line: | NV-01 … NV-03 | Later |',
    ]);
  });
});

describe('npm test -- PATTERN', () => {
  test('a pattern names the files whose path contains it, in every workspace', () => {
    expect(matching('server', ['src/scripts.test'])).toEqual([
      { workspace: 'server', files: ['server/src/scripts.test.ts'], title: null },
    ]);
    expect(matching('domain', ['src/scripts.test'])).toEqual([]);
    expect(matching('e2e', ['.story.ts'])[0]?.files.length).toBeGreaterThan(1);
  });

  test('a pattern that no path contains names tests by their title', () => {
    const title = 'npm start and npm run dev work in the folder of every workspace';
    expect(matching('server', [`[FX-32] ${title}`])).toEqual([
      { workspace: 'server', files: ['server/src/scripts.test.ts'], title: `\\[FX-32\\] ${title}` },
    ]);
  });

  test('a pattern that nothing contains names nothing', () => {
    const pattern = ['no', 'such', 'words'].join('·');
    expect(['domain', 'database', 'server', 'web', 'e2e'].flatMap((name) => matching(name, [pattern]))).toEqual([]);
  });
});

describe('npm test and npm run test:long', () => {
  const everywhere = WORKSPACES.flatMap((workspace) => markedLong(workspace).map((found) => ({ workspace, ...found })));

  test('[DF-64] every file with a long test keeps a quick one of its subject, or says where that is', async () => {
    expect(everywhere.length).toBeGreaterThan(5);
    for (const { workspace, file, quick } of everywhere) {
      const holder = quick === null ? file : `${workspace}/${quick}`;
      expect(everywhere, `${file} names a file that is long itself`).not.toContainEqual(
        expect.objectContaining({ file: holder, quick: expect.any(String) }),
      );
      const text = await readFile(path.join(PROJECT, holder), 'utf8');
      const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
      const tests = count(/^\s*test(?:\.\w+)*\(/gmu);
      expect(tests, `${holder} has no quick test`).toBeGreaterThan(count(/\btags: '\w/gu));
    }
  });

  test('[DF-64] a test is in one ring of the two', () => {
    for (const workspace of WORKSPACES) {
      const whole = everywhere.flatMap((found) =>
        found.workspace === workspace && found.quick !== null ? [path.relative(workspace, found.file)] : [],
      );
      expect(ringOf(workspace, 'quick')).toEqual([
        '--tags-filter=!long',
        ...whole.flatMap((file) => ['--exclude', file]),
      ]);
      const long = ringOf(workspace, 'long');
      for (const file of whole) expect(long).toContain(file);
      expect(long?.[0] ?? '--tags-filter=long').toBe('--tags-filter=long');
    }
  });
});

test('[DF-62, DF-64] a test that sleeps is refused, unless it looks again and again, or time itself is tried', () => {
  const found = (...lines: readonly string[]): number =>
    findFixedSleeps([{ file: 'a.test.ts', text: lines.join('\n') }]).length;
  // Written in parts: the fence reads this file too.
  const sleep = ['await', 'wait(300);'].join(' ');
  expect(found('test(() => {', `  ${sleep}`, '});')).toBe(1);
  expect(found('for (let n = 0; n < 3; n += 1) {', `  ${sleep}`, '}')).toBe(1);
  expect(found(['  await page.waitFor', 'Timeout(100);'].join(''))).toBe(1);
  expect(found(['  await new Promise((resolve) => set', 'Timeout(resolve, 100));'].join(''))).toBe(1);
  expect(found('while (!done) {', '  if (isNot) {', `    ${sleep}`, '  }', '}')).toBe(0);
  expect(found('  // Time itself: the second signal comes while the first is obeyed.', `  ${sleep}`)).toBe(0);
  expect(found('  await wait(0);')).toBe(0);
});

test('a docstring that opens with a question’s word is refused, on its first line or on the next one', () => {
  const found = (text: string): readonly string[] => findRiddles([{ file: 'a.ts', text }]);
  // Written in parts: the check reads this file too.
  const open = ['/', '**'].join('');
  expect(found(`const a = 1;\n${open} Whether it holds. */`)).toEqual(['a.ts:2']);
  expect(found(`${open}\n * What is kept.\n */`)).toEqual(['a.ts:1']);
  expect(found(`${open} True while it holds. */\n// What is kept.\n${open} Whatsoever. */`)).toEqual([]);
});

test('.nvmrc names the Node that the project brings, and CI runs .ci/run with it', async () => {
  const { dependencies } = JSON.parse(await readFile(path.join(PROJECT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect((await readFile(path.join(PROJECT, '.nvmrc'), 'utf8')).trim()).toBe(dependencies['node']);
  const workflow = await readFile(path.join(PROJECT, '.github', 'workflows', 'ci.yml'), 'utf8');
  expect(workflow).toContain('run: .ci/run');
  expect(workflow).toContain('node-version-file: .nvmrc');
});

test('[FX-32] npm start and npm run dev work in the folder of every workspace', async () => {
  const root = JSON.parse(await readFile(path.join(PROJECT, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const workspace of root.workspaces) {
    const { scripts } = JSON.parse(
      await readFile(path.join(PROJECT, workspace, 'package.json'), 'utf8'),
    ) as typeof root;
    for (const name of ['start', 'dev']) {
      expect(scripts[name], `${workspace}: ${name}`).toBe(root.scripts[name]?.replace('scripts/', '../scripts/'));
    }
  }
});

test('[FX-32] the development server starts again for a migration that is new, changed or gone', async () => {
  const watch = `${PROJECT}/scripts/lib/watch.mjs`;
  const { watching } = (await import(watch)) as { readonly watching: (folders?: readonly string[]) => string[] };
  expect(watching()).toContain(`--watch-path=${path.join(PROJECT, 'database', 'migrations')}`);
  const migrations = path.join(folder, 'migrations');
  await mkdir(migrations);
  const program = path.join(folder, 'program.mjs');
  await writeFile(program, 'process.stdout.write("runs\\n"); setInterval(() => undefined, 1000);');
  const child = spawn(process.execPath, [...watching([migrations]), program], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const runs = (): number => printed.split('runs\n').length - 1;
    await expect.poll(runs).toBe(1);
    const file = path.join(migrations, '0001-first.sql');
    for (const change of [() => writeFile(file, 'select 1;'), () => writeFile(file, 'select 2;'), () => rm(file)]) {
      const before = runs();
      await change();
      await expect.poll(runs).toBeGreaterThan(before);
    }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

test.skipIf(process.platform !== 'linux')(
  '[FX-30] on a terminal a first start prints fewer than 25 lines, all of them for a person',
  { tags: 'long' },
  async () => {
    const command = `${process.execPath} ${path.join(PROJECT, 'scripts', 'run.mjs')} server/src/main.ts`;
    // `script` gives the program a terminal.
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], DATA_DIR: path.join(folder, 'data'), PORT: '0', TERM: 'xterm' },
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      await expect.poll(() => printed).toContain("s'affichent à l'écran");
      const origin = /prêt : (http:\S+)/u.exec(printed)?.[1] ?? '';
      expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
    } finally {
      // Ctrl-C.
      child.stdin.write('\u0003');
      await once(child, 'exit');
    }
    const lines = printed.split(/\r?\n/u);
    expect(lines.slice(24)).toEqual([]);
    for (const line of lines) expect(line).not.toMatch(/^\s*[{[]|"level"|\bwarn\b|\binfo\b/u);
    expect(printed).toContain('admin@demo.example');
  },
);
