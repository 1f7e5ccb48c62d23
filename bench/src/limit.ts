import { execFile, fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import type { OwnerConnection } from '@parrain/database/embedded';

import type { Statement } from './capture.ts';
import type { LoopJob } from './limit-loop.ts';

const run = promisify(execFile);

/** Throughput of PostgreSQL alone on the same statements: the ceiling of any server in front of it. */
export type Limit = {
  /** Tool that ran them. */
  readonly name: string;
  /**
   * Against so many connections of ours: on a machine of few cores PostgreSQL may do more with fewer, and the limit is
   * what it does best.
   */
  readonly best: (statements: readonly Statement[], connections: number, seconds: number) => Promise<LimitFigures>;
};

/** Transactions per second, and their mean time in milliseconds. */
export type LimitFigures = { readonly perSecond: number; readonly mean: number };

type Run = (statements: readonly Statement[], connections: number, seconds: number) => Promise<LimitFigures>;

/** pgbench where the system has one, else a loop of ours. */
export async function findLimit(login: OwnerConnection): Promise<Limit> {
  const version = await run('pgbench', ['--version']).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
  if (version === null) {
    return { name: 'a loop in Node with pg (no pgbench here)', best: bestOf((...args) => runLoop(login, ...args)) };
  }
  return { name: version, best: bestOf((...args) => runPgbench(login, ...args)) };
}

function bestOf(runOnce: Run): Run {
  return async (statements, connections, seconds) => {
    const full = await runOnce(statements, connections, seconds);
    if (connections <= 4) return full;
    const fewer = await runOnce(statements, 4, seconds);
    return fewer.perSecond > full.perSecond ? fewer : full;
  };
}

/**
 * One transaction is one round trip: identity and statements in one pipeline, prepared, with the values sent apart, as the
 * server does it.
 */
async function runPgbench(
  login: OwnerConnection,
  statements: readonly Statement[],
  connections: number,
  seconds: number,
): Promise<LimitFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-pgbench-'));
  try {
    const script = scriptOf(statements);
    const file = path.join(folder, 'script.sql');
    await writeFile(file, script.text);
    const options = [
      '--no-vacuum',
      '--protocol=prepared',
      `--file=${file}`,
      `--client=${connections}`,
      `--jobs=${Math.min(connections, 2)}`,
      `--time=${Math.ceil(seconds)}`,
      ...script.variables.flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    ];
    const { stdout } = await run('pgbench', options, {
      env: {
        ...process.env,
        PGHOST: login.host,
        PGPORT: String(login.port),
        PGUSER: login.user,
        PGPASSWORD: login.password,
        PGDATABASE: login.database,
      },
    });
    const perSecond = Number(/tps = ([\d.]+)/u.exec(stdout)?.[1]);
    const mean = Number(/latency average = ([\d.]+)/u.exec(stdout)?.[1]);
    if (!(perSecond > 0)) throw new Error(`pgbench said no figure: ${stdout}`);
    return { perSecond, mean };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function scriptOf(statements: readonly Statement[]): {
  readonly text: string;
  readonly variables: readonly (readonly [string, string])[];
} {
  const variables: [string, string][] = [];
  const texts = statements.map(({ text, values }, index) => {
    const foreign = /(?<![:\w]):[a-z_]\w*/iu.exec(text);
    if (foreign !== null) throw new Error(`pgbench would read ${foreign[0]} as a variable of its own`);
    const pgbenchText = text.replaceAll(/\$(\d+)/gu, (_place, number: string) => {
      const value = values[Number(number) - 1];
      if (value === undefined || value === null) return 'null';
      // A variable of pgbench may not be empty.
      return value === '' ? `''` : `:v${index}_${number}`;
    });
    values.forEach((value, at) => value !== null && value !== '' && variables.push([`v${index}_${at + 1}`, value]));
    return pgbenchText.replace(/;?\s*$/u, ';');
  });
  // Everything is prepared at the first statement, which may not stand in a pipeline.
  const text = [
    '\\if :cold',
    'select 1;',
    '\\set cold 0',
    '\\endif',
    '\\startpipeline',
    ...texts,
    '\\endpipeline',
    '',
  ].join('\n');
  return { text, variables: [...variables, ['cold', '1']] };
}

async function runLoop(
  login: OwnerConnection,
  statements: readonly Statement[],
  connections: number,
  seconds: number,
): Promise<LimitFigures> {
  const child = fork(path.join(import.meta.dirname, 'limit-loop.ts'));
  try {
    return await new Promise<LimitFigures>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The loop ended (${code})`)));
      child.once('message', (message: LimitFigures | { readonly error: string }) => {
        if ('error' in message) reject(new Error(message.error));
        else resolve(message);
      });
      child.send({ login, statements, connections, seconds } satisfies LoopJob);
    });
  } finally {
    child.kill();
  }
}
