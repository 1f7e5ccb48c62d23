/** A guess below this share of equal letters is none. */
const SCORE_MIN = 0.33;
/** The candidates whose distance is measured: those that share the most pieces. */
const MEASURED_MAX = 50;

/**
 * The name that was probably meant; null where none is near. As the official server finds it: the names that share pieces of
 * three letters, else of two, and of these the one with the fewest letters to change.
 */
export function nearName(asked: string, names: Iterable<string>): string | null {
  const wanted = asked.toLowerCase();
  const known = [...new Set(names)];
  for (const size of [3, 2]) {
    const [nearest] = known
      .map((name) => ({ name, shared: likenessOf(piecesOf(wanted, size), piecesOf(name.toLowerCase(), size)) }))
      .filter(({ shared }) => shared > 0)
      .toSorted((one, other) => other.shared - one.shared)
      .slice(0, MEASURED_MAX)
      .map(({ name }) => ({ name, score: scoreOf(wanted, name.toLowerCase()) }))
      .filter(({ score }) => score >= SCORE_MIN)
      .toSorted((one, other) => other.score - one.score);
    if (nearest !== undefined) return nearest.name;
  }
  return null;
}

type Pieces = ReadonlyMap<string, number>;

function piecesOf(name: string, size: number): Pieces {
  const text = `-${name.replaceAll(/[^\p{L}\p{N}, ]/gu, '')}-`;
  const pieces = new Map<string, number>();
  for (let at = 0; at + size <= text.length; at += 1) {
    const piece = text.slice(at, at + size);
    pieces.set(piece, (pieces.get(piece) ?? 0) + 1);
  }
  return pieces;
}

/** The cosine of the two counts of pieces. */
function likenessOf(one: Pieces, other: Pieces): number {
  const product = [...one].reduce((sum, [piece, count]) => sum + count * (other.get(piece) ?? 0), 0);
  return product === 0 ? 0 : product / (lengthOf(one) * lengthOf(other));
}

function lengthOf(pieces: Pieces): number {
  return Math.hypot(...pieces.values());
}

/** The share of letters that stay where one name becomes the other. */
function scoreOf(one: string, other: string): number {
  return 1 - distanceBetween(one, other) / Math.max(one.length, other.length);
}

/** Levenshtein's. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [place, another] of [...other].entries()) {
      const change = (row[place] ?? 0) + (letter === another ? 0 : 1);
      next.push(Math.min(change, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
