import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('./verdicts.json', import.meta.url));

/** A verdict, and the identities it is for: « 200 all »: « admin, secret key ». */
export type Cells = Readonly<Record<string, string>>;

/**
 * Expected rights (P-04, R3). A verdict is a status and, where rows are given, which: « all », « none » or their names.
 * « ? » is a cell without a verdict yet; the tests fail on it.
 */
export type Verdicts = {
  /** By relation, then verb. */
  readonly relations: Readonly<Record<string, Readonly<Record<string, Cells>>>>;
  /** By relation, then column: the name of one of `patterns`. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Answers to reading and writing a column, by identity. */
  readonly patterns: Readonly<Record<string, { readonly read: Cells; readonly write: Cells }>>;
  /** By function and arguments. */
  readonly functions: Readonly<Record<string, Cells>>;
};

export function readVerdicts(): Verdicts {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Verdicts;
}

export function writeVerdicts(verdicts: Verdicts): void {
  writeFileSync(FILE, `${JSON.stringify(verdicts, null, 2)}\n`);
}

/** The verdict of each identity. @throws Error where one has two. */
export function byIdentity(cells: Cells): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [verdict, identities] of Object.entries(cells)) {
    for (const identity of identities.split(', ')) {
      if (found.has(identity)) throw new Error(`${identity} has two verdicts`);
      found.set(identity, verdict);
    }
  }
  return found;
}

/** The other way round: identities grouped by what was seen. */
export function grouped(seen: ReadonlyMap<string, string>): Cells {
  const cells: Record<string, string> = {};
  for (const [identity, verdict] of seen) {
    cells[verdict] = cells[verdict] === undefined ? identity : `${cells[verdict]}, ${identity}`;
  }
  return cells;
}
