import { separators } from '@parrain/domain/table-file';
import type { Separator } from '@parrain/domain/table-file';
import { CsvError, parse as parseCsv } from 'csv-parse/sync';

import { UnreadableTable } from './unreadable-table.ts';

/** One line, in characters: a quote that never closes would make one of the whole file. */
const RECORD_LENGTH_MAX = 100_000;
const SAMPLE_LINES = 50;
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** The cells of each line of a CSV, its empty lines too, and the number of its first. */
export type CsvLines = {
  readonly separator: Separator;
  readonly first: number;
  readonly records: readonly (readonly string[])[];
};

/** Reads a CSV. @throws UnreadableTable with the line whose quote never closes. */
export function csvLines(text: string, chosen?: Separator): CsvLines {
  // Excel's own first line says the separator.
  const said = /^"?sep=(.)"?(?:\r\n|\n|\r)/iu.exec(text);
  const body = said === null ? text : text.slice(said[0].length);
  const separator = chosen ?? separators.find((mark) => mark === said?.[1]) ?? separatorOf(body);
  const first = said === null ? 1 : 2;
  let last = 0;
  try {
    const records = parseCsv(body, {
      delimiter: separator,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: RECORD_LENGTH_MAX,
      on_record: (record: string[]) => {
        last += 1;
        return record;
      },
    });
    return { separator, first, records };
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableTable('quote', last + first);
    throw error;
  }
}

/** The mark that cuts most lines into the same number of cells, out of quotes; of several the one that cuts them into most. */
function separatorOf(text: string): Separator {
  const lines = text
    .slice(0, SAMPLE_LINES * 2_000)
    .replaceAll(/"[^"]*"/gu, '')
    .split(/\r\n|\n|\r/u)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  const judged = separators.map((mark) => {
    const lengths = new Map<number, number>();
    for (const line of lines) {
      const cuts = line.split(mark).length - 1;
      if (cuts > 0) lengths.set(cuts, (lengths.get(cuts) ?? 0) + 1);
    }
    const [cuts, alike] = [...lengths].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
    return { mark, cuts, alike };
  });
  const best = judged.reduce((one, other) =>
    other.alike > one.alike || (other.alike === one.alike && other.cuts > one.cuts) ? other : one,
  );
  return best.alike === 0 ? ';' : best.mark;
}
