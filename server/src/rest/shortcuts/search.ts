import { LIST_MEMBERS_MAX } from '../limits.ts';
import { amongIds } from '../plan.ts';
import type { Level, PlannedCondition } from '../plan.ts';
import { whereOfLevel } from '../sql.ts';
import { parameters, ROOT } from '../statement.ts';
import type { Statement } from '../statement.ts';

/** A relation whose words are in trigram indexes. */
type WordIndex = {
  /** The function that looks the ids up, given a pattern and the most. */
  readonly find: string;
  /** The column that has these ids. */
  readonly idColumn: string;
  /** Columns with a part of the index's text. */
  readonly columns: readonly string[];
  /** The function that joins the columns into one text without accents, as the one index has it; null where several have a part. */
  readonly words: string | null;
};

const WORD_INDEXES: ReadonlyMap<string, WordIndex> = new Map<string, WordIndex>([
  [
    'sales',
    {
      find: 'private.find_sales',
      idColumn: 'id',
      columns: ['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'contract_description'],
      words: 'private.sale_terms',
    },
  ],
  [
    'profiles',
    {
      find: 'private.find_profiles',
      idColumn: 'id',
      columns: ['full_name', 'email', 'phone', 'company'],
      words: 'private.person_terms',
    },
  ],
  ['payee_accounts', { find: 'private.find_profiles', idColumn: 'id', columns: [], words: null }],
  ['payments_made', { find: 'private.find_payments_made', idColumn: 'source_id', columns: [], words: null }],
  ['sent_mails', { find: 'private.find_sent_mails', idColumn: 'id', columns: [], words: null }],
]);

/** A search with more rows is of something common, and the list is walked in its order instead. */
const FOUND_MAX = 4 * LIST_MEMBERS_MAX;

/**
 * A search for one text: `terms.like.*text*`, `column.ilike.*text*`, or several of them in an `or`. Row level security keeps `ilike` from every
 * index, because the operator may tell of a hidden row by failing on it. So the ids are looked up first with the server's
 * own rights, and their rows are read as the caller (decision 0010).
 */
export type SearchShortcut = {
  /** Gives one row: `ids`, or null where the rows are too many. */
  readonly find: Statement;
  /** The same reading among these ids. Its own conditions stay, so the result is that of a scan. */
  readonly among: (level: Level, ids: readonly string[]) => Level;
  /** Counts the rows of a common search in the index, for a caller who sees every row; null where it cannot. */
  readonly count: (level: Level, from: string) => Statement | null;
};

/** The search that a reading is narrowed by; null without one. */
export function searchShortcut(level: Level): SearchShortcut | null {
  const index = WORD_INDEXES.get(level.source.relation?.name ?? '');
  if (index === undefined) return null;
  for (const condition of level.conditions) {
    const isLogic = condition.kind === 'logic';
    if (isLogic && (condition.negated || condition.operator !== 'or')) continue;
    const arms = isLogic ? condition.conditions : [condition];
    const patterns = arms.map((arm) => patternOf(arm, index));
    const lookedUp = patterns.filter((one) => one !== null);
    const [pattern] = lookedUp;
    if (pattern === undefined) continue;
    const otherArms = arms.filter((_, at) => patterns[at] === null);
    return {
      find: findStatement(index, lookedUp),
      among: (wanted, ids) => amongIds(wanted, ids, otherArms, index.idColumn),
      count: (wanted, from) => (arms.length > 1 ? null : countStatement(wanted, from, index, pattern)),
    };
  }
  return null;
}

/** The ids of all patterns together; null where one of them is of something common. */
function findStatement({ find }: WordIndex, patterns: readonly string[]): Statement {
  const finds = patterns.map((_, at) => `${find}($${at + 1}, ${FOUND_MAX})`);
  const text =
    finds.length === 1
      ? `select ${finds.join('')} as ids`
      : `select case when num_nulls(${finds.map((_, at) => `f.f${at}`).join(', ')}) = 0 then ${finds.map((_, at) => `f.f${at}`).join(' || ')} end as ids
         from (select ${finds.map((one, at) => `${one} as f${at}`).join(', ')}) f`;
  return { text, values: [...patterns] };
}

/** Of words that must all be there, the longest: it narrows the most, and the others are asked of the rows it finds. */
function patternOf(condition: PlannedCondition, index: WordIndex): string | null {
  if (condition.kind !== 'logic' || condition.negated || condition.operator !== 'and') {
    return patternOfWord(condition, index);
  }
  const patterns = condition.conditions.map((word) => patternOfWord(word, index)).filter((one) => one !== null);
  return patterns.toSorted((one, other) => other.length - one.length)[0] ?? null;
}

/** A pattern without an end of its own: a column is a part of the indexed words, so these contain it wherever it does. */
function patternOfWord(condition: PlannedCondition, { columns, words }: WordIndex): string | null {
  if (condition.kind !== 'compare' || condition.negated) return null;
  const { comparison, expression } = condition;
  if (comparison.operator !== 'ilike' && comparison.operator !== 'like') return null;
  if (comparison.quantifier !== null || expression.path.length > 0) return null;
  const { name, computedOf } = expression.column;
  // The computed column is the index's own text; of the others case says nothing.
  const isIndexed = name === 'terms' ? computedOf !== undefined : columns.includes(name);
  if (!isIndexed || (comparison.operator === 'like' && name !== 'terms')) return null;
  const pattern = comparison.operand.replaceAll('*', '%');
  // Several indexes may each hold a part of the text: a wildcard could then match across two of them.
  const isLookedFor = words === null ? /^%(?:[^\\%_]|\\[\s\S])*%$/u : /^%(?:[^\\]|\\[\s\S])*%$/u;
  return isLookedFor.test(pattern) ? pattern : null;
}

function countStatement(level: Level, from: string, { columns, words }: WordIndex, pattern: string): Statement | null {
  if (words === null) return null;
  const bound = parameters();
  const where = whereOfLevel(level, bound);
  const indexed = `${words}(${columns.map((column) => `${ROOT}."${column}"`).join(', ')})`;
  const text = `select count(*) as total from ${from}${where} and ${indexed} like private.terms_pattern(${bound.bind(pattern)})`;
  return { text, values: bound.values };
}
