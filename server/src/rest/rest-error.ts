/** The failure of a request to this door: the body that the official client reads, and its status. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly details?: unknown;
      readonly hint?: string | null;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = status;
    this.code = code;
    this.details = more.details ?? null;
    this.hint = more.hint ?? null;
    this.headers = more.headers ?? {};
  }
}

/** The query string is outside the grammar. */
export function unparsable(what: string, column: number, details: string): RestError {
  return new RestError(400, 'PGRST100', `"failed to parse ${what}" (line 1, column ${column})`, { details });
}

/** The request is larger than this door accepts. */
export function tooMuch(sentence: string): RestError {
  return new RestError(400, 'PGRST100', sentence);
}

export function unknownColumn(relation: string, column: string): RestError {
  return new RestError(400, '42703', `column ${relation}.${column} does not exist`);
}

export function unknownBodyColumn(relation: string, column: string): RestError {
  return new RestError(400, 'PGRST204', `Could not find the '${column}' column of '${relation}' in the schema cache`);
}

/** More or less than one row where one was asked for. */
export function notOneRow(rows: number): RestError {
  return new RestError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
}

/** More rows than `max-affected` allows: the transaction is rolled back. */
export function tooManyAffected(rows: number): RestError {
  return new RestError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
    details: `The query affects ${rows} rows`,
  });
}
