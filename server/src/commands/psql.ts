import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { connectAsOwner, primaryOf } from '@parrain/database/connect';
import { requireInstallation } from '@parrain/database/migrate';
import type { Client, QueryArrayResult } from 'pg';

import { runOwnerCommand } from './context.ts';

// npm run psql: the database, as its owner. PostgreSQL's own client where this machine has it, else statements one by one.
await runOwnerCommand(async ({ owner }) => {
  const primary = await primaryOf(owner);
  const given = process.argv.slice(2);
  const settings =
    typeof primary === 'string'
      ? { args: [primary], env: {} }
      : {
          args: [],
          env: {
            PGHOST: primary.host,
            PGPORT: String(primary.port),
            PGUSER: primary.user,
            PGPASSWORD: primary.password,
            PGDATABASE: primary.database,
          },
        };
  const client = spawn('psql', [...settings.args, ...given], {
    stdio: 'inherit',
    env: { ...process.env, ...settings.env },
  });
  const exit = await new Promise<number | null>((resolve) => {
    client.once('exit', (code) => resolve(code ?? 130));
    client.once('error', () => resolve(null));
  });
  if (exit !== null) return exit;
  return withoutPsql(await connectAsOwner(owner), given);
}, requireInstallation);

/** `-c "select 1"`, or statements as they are typed, each ended by a semicolon. */
async function withoutPsql(client: Client, given: readonly string[]): Promise<number> {
  try {
    if (given.length > 0) {
      const [flag, statement] = given;
      if (flag !== '-c' || statement === undefined || given.length > 2) {
        process.stderr.write(
          'Sans psql sur cette machine, une seule forme est connue : npm run psql -- -c "select 1"\n',
        );
        return 1;
      }
      return (await tell(client, statement)) ? 0 : 1;
    }
    process.stderr.write(
      'psql n’est pas sur cette machine : les instructions sont passées une à une (« ; » termine, Ctrl D quitte).\n',
    );
    const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: 'parrain=> ' });
    let typed = '';
    terminal.prompt();
    for await (const line of terminal) {
      typed += `${line}\n`;
      if (typed.trimEnd().endsWith(';')) {
        await tell(client, typed);
        typed = '';
      }
      terminal.prompt();
    }
    return 0;
  } finally {
    await client.end();
  }
}

/** Runs a statement and writes its rows, tab by tab; a refusal in PostgreSQL's words. */
async function tell(client: Client, text: string): Promise<boolean> {
  try {
    const results: readonly QueryArrayResult<unknown[]>[] = [await client.query({ text, rowMode: 'array' })].flat();
    for (const { fields, rows, command, rowCount } of results) {
      if (fields.length === 0) process.stdout.write(`${command} ${rowCount ?? ''}\n`);
      else {
        const lines = [fields.map(({ name }) => name), ...rows.map((row) => row.map(shown))];
        process.stdout.write(`${lines.map((cells) => cells.join('\t')).join('\n')}\n`);
      }
    }
    return true;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}

function shown(value: unknown): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
