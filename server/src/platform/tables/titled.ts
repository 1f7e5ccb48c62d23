import type { ImportLine } from '@parrain/domain/forms/import-file';
import { headLinesMax } from '@parrain/domain/table-file';

/** A file of lines: the titles of its columns, and the lines under them. */
export type Table = {
  readonly titles: readonly string[];
  readonly lines: readonly ImportLine[];
  /** The number of the line of titles; 0 where there is none. */
  readonly header: number;
  /** The first lines of the file, any of which may be the titles. */
  readonly head: readonly ImportLine[];
};

/**
 * Cuts lines into titles and what stands under them. Without a choice the titles are the line that has most of the known ones; else
 * the first that is as wide as a table and has no address.
 * @param chosen the number of the line of titles, 0 for none
 */
export function titled(
  lines: readonly ImportLine[],
  isKnown: (title: string) => boolean,
  chosen: number | null = null,
): Table {
  const head = lines.slice(0, headLinesMax);
  const byHand = chosen === null ? -1 : head.findIndex(({ number }) => number === chosen);
  const place = byHand >= 0 ? byHand : chosen === 0 ? -1 : titlesPlace(head, isKnown);
  const under = lines.slice(place + 1);
  const titles = lines[place]?.cells ?? [];
  const width = Math.max(titles.length, ...new Set(under.map(({ cells }) => cells.length)));
  return {
    titles: Array.from({ length: width }, (_, column) =>
      place < 0 ? `Colonne ${column + 1}` : (titles[column] ?? ''),
    ),
    lines: under,
    header: lines[place]?.number ?? 0,
    head,
  };
}

function titlesPlace(head: readonly ImportLine[], isKnown: (title: string) => boolean): number {
  const judged = head.map(({ cells }, place) => ({
    place,
    // A title is no address.
    isPerson: cells.some((cell) => cell.includes('@')),
    known: cells.filter(isKnown).length,
    filled: cells.filter((cell) => cell !== '').length,
  }));
  const most = judged
    .filter(({ isPerson, known }) => !isPerson && known > 1)
    .reduce<{ place: number; known: number }>((best, one) => (one.known > best.known ? one : best), {
      place: -1,
      known: 0,
    });
  if (most.place >= 0) return most.place;
  const widest = Math.max(0, ...judged.map(({ filled }) => filled));
  const first = judged.find(({ filled }) => filled * 2 > widest);
  return first === undefined || first.isPerson ? -1 : first.place;
}
