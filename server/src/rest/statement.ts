/** A statement whose text is made of the schema's identifiers and of words of ours; the request's values are bound. */
export type Statement = {
  readonly text: string;
  readonly values: readonly unknown[];
};

/** Collects the values of a statement and gives their places. */
export type Parameters = {
  readonly bind: (value: unknown) => string;
  readonly values: readonly unknown[];
};

/** An empty list of values. */
export function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** An identifier as PostgreSQL reads it literally. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** The alias of the outermost level, which a write's conditions refer to as well. */
export const ROOT = 't0';

/** SQL: true where the policies let the caller see every row of the product's tables. */
export const SEES_EVERY_ROW = `(current_user = 'service_role' or private.user_role() is not distinct from 'admin')`;

/** The one row of a result. */
export async function only<Row>(result: Promise<{ readonly rows: readonly Row[] }>): Promise<Row> {
  const { rows } = await result;
  const [row] = rows;
  if (row === undefined) throw new Error('A statement gave no row');
  return row;
}
