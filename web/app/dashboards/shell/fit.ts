import { plainLetters } from '@parrain/domain/without-accents';

/**
 * Score of a label against what was typed, from 1 (its beginning) down to 0 (not at all): whatever the case and the accents, each typed
 * word begins or stands in a word of the label, or nearly.
 */
export function fit(label: string, asked: string): number {
  const plain = plainLetters(label);
  const wanted = plainLetters(asked).trim();
  if (plain.startsWith(wanted)) return 1;
  const words = plain.split(/[\s’']+/u);
  const parts = wanted.split(/[\s’']+/u).filter((part) => part !== '');
  const telling = parts.filter((part) => !littleWords.has(part));
  const scores = (telling.length === 0 ? parts : telling).map((part) =>
    Math.max(...words.map((word) => fitOfWord(word, part))),
  );
  return scores.length === 0 ? 0 : Math.min(...scores);
}

/**
 * Score of an entry by its label, else by other words that people use for it, which count for less (`weight`): a mistake in such a word is
 * no match.
 */
export function fitOfEntry(
  { label, also = '' }: { label: string; also?: string | undefined },
  asked: string,
  weight = 0.85,
): number {
  const other = also === '' ? 0 : fit(`${label} ${also}`, asked);
  return Math.max(fit(label, asked), other < withoutMistake ? 0 : weight * other);
}
const withoutMistake = 0.7;

/** « exporter les ventes » is « exporter ventes ». */
const littleWords = new Set([
  'le',
  'la',
  'les',
  'l',
  'un',
  'une',
  'des',
  'de',
  'du',
  'd',
  'mon',
  'ma',
  'mes',
  'a',
  'au',
  'aux',
  'et',
  'en',
]);

function fitOfWord(word: string, part: string): number {
  if (word.startsWith(part)) return 0.9;
  if (part.length > 2 && word.includes(part)) return 0.7;
  // One mistake in a word of four letters, two from eight on; what is typed may be its beginning only.
  const allowed = part.length >= 8 ? 2 : part.length >= 4 ? 1 : 0;
  return allowed > 0 && mistakes(word, part) <= allowed ? 0.5 : 0;
}

/** Number of letters to add, leave out, replace or swap to make the beginning of a word of what was typed. */
function mistakes(word: string, part: string): number {
  let before: number[] = [];
  let row = Array.from({ length: word.length + 1 }, (_, at) => at);
  for (let i = 1; i <= part.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= word.length; j += 1) {
      const isSame = part[i - 1] === word[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && part[i - 1] === word[j - 2] && part[i - 2] === word[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return Math.min(...row);
}
