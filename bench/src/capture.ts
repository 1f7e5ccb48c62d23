import { loginRoleOf } from '@parrain/database/roles';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

import type { Product } from './product.ts';

/** One statement as the server sent it, with the values it was given. */
export type Statement = {
  readonly text: string;
  /** In the order of $1, $2…; null is null. */
  readonly values: readonly (string | null)[];
};

/**
 * Makes one request and gives the statements that the server sent for it, in order, without the transaction's own. They
 * are read in PostgreSQL's log, so that the limit runs exactly the same ones.
 */
export async function captureStatements(product: Product, request: () => Promise<unknown>): Promise<Statement[]> {
  const log = path.join(product.dataDir, 'postgres.log');
  const owner = new Client(await product.owner());
  await owner.connect();
  const login = await loginRoleOf(owner);
  try {
    await owner.query(`alter role ${login} set log_min_duration_statement = 0;
      alter role ${login} set log_min_messages = 'log'; alter role ${login} set log_error_verbosity = 'default'`);
    await renewConnections(owner, login);
    // The first request opens connections and reads the schema; the second is like all those that follow.
    await request();
    await request();
    const { size } = await stat(log);
    await request();
    await wait(100);
    return statementsOf((await readFile(log)).subarray(size).toString());
  } finally {
    await owner.query(`alter role ${login} reset log_min_duration_statement;
      alter role ${login} reset log_min_messages; alter role ${login} reset log_error_verbosity`);
    await renewConnections(owner, login);
    await owner.end();
  }
}

/** Settings of a role hold from its next connection on. */
async function renewConnections(owner: Client, login: string): Promise<void> {
  await owner.query('select pg_terminate_backend(pid, 2000) from pg_stat_activity where usename = $1', [login]);
}

const ENTRY = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+ \[(\d+)\] (\w+): +/mu;
const EXECUTED = /^duration: [\d.]+ ms +(?:execute [^:]+|statement): /u;

type Captured = { readonly text: string; readonly values: (string | null)[] };

/**
 * Reads « execute <name>: <text> » entries, each followed by its parameters where it has some, and keeps the transaction
 * that acted for a person: the server has work of its own at the same time, on other connections.
 */
function statementsOf(log: string): Statement[] {
  const open = new Map<string, Captured[]>();
  let last: Captured[] = [];
  const parts = log.split(ENTRY);
  for (let at = 1; at < parts.length; at += 3) {
    const [process = '', level, entry = ''] = parts.slice(at, at + 3);
    const text = entry.trimEnd();
    const executed = level === 'LOG' ? EXECUTED.exec(text) : null;
    const transaction = open.get(process);
    if (executed !== null) {
      const sql = text.slice(executed[0].length);
      // A transaction of one statement begins with its identity, and ends with the packet it came in.
      if (sql.includes('private.identify()')) {
        last = [{ text: sql, values: [] }];
        open.set(process, last);
      } else if (/^begin\b|set_config\('role'/iu.test(sql)) open.delete(process);
      else if (!/^commit\b/iu.test(sql)) transaction?.push({ text: sql, values: [] });
    } else if (level === 'DETAIL') {
      const statement = transaction?.at(-1);
      if (statement?.values.length === 0) statement.values.push(...valuesOf(text));
    }
  }
  if (last.length < 2) throw new Error('The statements of the request were not found in the log of PostgreSQL');
  return [...last];
}

/** `Parameters: $1 = 'it''s', $2 = NULL` (earlier versions write « parameters »). */
function valuesOf(detail: string): (string | null)[] {
  return [...detail.matchAll(/\$\d+ = (?:'((?:[^']|'')*)'|NULL)/gu)].map(
    ([, value]) => value?.replaceAll("''", "'") ?? null,
  );
}
