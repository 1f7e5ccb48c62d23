import { Query } from 'pg';
import type { PoolClient, QueryResultRow } from 'pg';

/** A statement with its values as PostgreSQL reads them; `name` is '' where it is not kept prepared. */
export type WireStatement = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
};

export type WireResult = {
  readonly rows: QueryResultRow[];
  readonly rowCount: number;
  readonly command: string;
};

/** The columns that a prepared statement gives: they cannot change while it lives, so they are asked for once. */
export type Described = Map<string, readonly ResultField[]>;

export type ResultField = { readonly name: string; readonly parse: (text: string) => unknown };

export type TypeParsers = (oid: number, format: 'text') => unknown;

/**
 * Sends statements as one packet that ends with one `Sync`: PostgreSQL runs them in order as one transaction, skips the rest
 * at the first error, commits at the end, and answers once. Half the wake-ups, on both sides, of as many queries.
 */
export async function sendTogether(
  client: PoolClient,
  statements: readonly WireStatement[],
  described: Described,
  parserOf: TypeParsers,
): Promise<WireResult[]> {
  return new Promise((resolve, reject) => {
    const results: WireResult[] = [];
    let rows: QueryResultRow[] = [];
    let hasFailed = false;
    // The interface of pg's own queries; only these are allowed on a pipelined connection.
    const query: PgQuery = Object.assign(new Query(''), {
      // Of the statement that is being answered: pg notes under this name that it was parsed.
      name: statements[0]?.name,
      // Until it is sent, of the statement that all this is for: what a trace is named after.
      text: statements.at(-1)?.text ?? '',
      // A trace replaces it with its own, which ends with this one.
      callback(error: Error | null) {
        if (error === null) resolve(results);
        else reject(error);
      },
      submit(connection: PgConnection) {
        query.text = statements[0]?.text ?? '';
        connection.stream.cork();
        for (const { name, text, values } of statements) {
          if (name === '' || connection.parsedStatements[name] === undefined) connection.parse({ name, text });
          if (name === '' || !described.has(name)) connection.describe({ type: 'S', name });
          connection.bind({ statement: name, values });
          connection.execute({});
        }
        connection.sync();
        connection.stream.uncork();
        return null;
      },
      handleRowDescription({ fields }: RowDescription) {
        described.set(
          query.name ?? '',
          fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID, 'text') as ResultField['parse'] })),
        );
      },
      handleDataRow({ fields }: DataRow) {
        rows.push(rowOf(fields, described.get(query.name ?? '') ?? []));
      },
      handleCommandComplete({ text }: CommandComplete) {
        // A statement without rows has no description.
        if (!described.has(query.name ?? '')) described.set(query.name ?? '', []);
        described.delete('');
        const [command = '', ...counts] = text.split(' ');
        results.push({ rows, rowCount: Number(counts.at(-1) ?? 0), command });
        rows = [];
        const next = statements[results.length];
        query.name = next?.name;
        query.text = next?.text ?? '';
      },
      handleError(error: Error) {
        hasFailed = true;
        query.callback(error);
      },
      handleReadyForQuery() {
        if (!hasFailed) query.callback(null);
      },
    });
    client.query(query);
  });
}

function rowOf(values: readonly (string | null)[], fields: readonly ResultField[]): QueryResultRow {
  const row: QueryResultRow = {};
  for (const [index, { name, parse }] of fields.entries()) {
    const value = values[index] ?? null;
    row[name] = value === null ? null : parse(value);
  }
  return row;
}

/** A value as PostgreSQL reads it: bytes as they are, everything else as text. */
export function toWireText(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return arrayText(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return `${value as string | number | boolean | bigint}`;
}

function arrayText(values: readonly unknown[]): string {
  const members = values.map((value) => {
    if (Array.isArray(value)) return arrayText(value);
    const text = toWireText(value);
    if (text === null) return 'NULL';
    const plain = typeof text === 'string' ? text : `\\x${text.toString('hex')}`;
    return `"${plain.replace(/[\\"]/gu, '\\$&')}"`;
  });
  return `{${members.join(',')}}`;
}

type PgQuery = Query & { name: string | undefined; text: string; readonly callback: (error: Error | null) => void };

/** The part of pg's own connection that a query writes to. */
type PgConnection = {
  readonly stream: { readonly cork: () => void; readonly uncork: () => void };
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly parse: (statement: { readonly name: string; readonly text: string }) => void;
  readonly describe: (what: { readonly type: 'S'; readonly name: string }) => void;
  readonly bind: (values: { readonly statement: string; readonly values: WireStatement['values'] }) => void;
  readonly execute: (portal: { readonly portal?: string }) => void;
  readonly sync: () => void;
};

type RowDescription = { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] };
type DataRow = { readonly fields: readonly (string | null)[] };
type CommandComplete = { readonly text: string };
