import type { ImportLine } from '@parrain/domain/forms/import-file';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A line that is left out, and all that is wrong with it. */
export type RefusedLine = { readonly line: number; readonly problems: readonly string[] };

/** The lines of a file that are right, each as its kind has it, and the others. */
export type CheckedLines<Ready extends { readonly line: number }> = {
  readonly ready: readonly Ready[];
  readonly refused: readonly RefusedLine[];
};

/** Lines checked before other requests have their turn. */
const TURN = 500;

/** Reads each line: what it says, or what is wrong with it. */
export async function readEach<Ready extends { readonly line: number }>(
  lines: readonly ImportLine[],
  readLine: (line: number, cells: readonly string[]) => Ready | readonly string[],
): Promise<CheckedLines<Ready>> {
  const ready: Ready[] = [];
  const refused: RefusedLine[] = [];
  for (const [place, { number, cells }] of lines.entries()) {
    if (place % TURN === TURN - 1) await nextTurn();
    const read = readLine(number, cells);
    if ('line' in read) ready.push(read);
    else refused.push({ line: number, problems: read });
  }
  return { ready, refused };
}

/** The same lines without those that `problems` names. */
export function without<Ready extends { readonly line: number }>(
  { ready, refused }: CheckedLines<Ready>,
  problems: ReadonlyMap<number, readonly string[]>,
): CheckedLines<Ready> {
  return {
    ready: ready.filter(({ line }) => !problems.has(line)),
    refused: [...refused, ...[...problems].map(([line, found]) => ({ line, problems: found }))].toSorted(
      (a, b) => a.line - b.line,
    ),
  };
}
