import { LIST_MEMBERS_MAX } from './limits.ts';
import type { Level, PlannedCondition, PlannedOrder } from './plan.ts';
import type { Relation } from './schema-cache.ts';

/** What the database keeps about a relation so that its lists stay fast (decision 0010). */
type Kept = {
  /** Columns of the view `figures.counted_<relation>`: how many rows have each combination of them. */
  readonly counted?: readonly string[];
  /** Columns of it that only tell whether something is there. */
  readonly countedIfNull?: readonly string[];
  /** The column of it that names who sees all of a row's like. */
  readonly owner?: string;
  /** Columns whose texts the function `private.find_<relation>` looks through. */
  readonly searched?: readonly string[];
  /** The function that makes one text of them, as the index has it. */
  readonly words?: string;
  /** Columns by whose values the view `figures.places_of_<relation>` counts the rows, and what places of each are. */
  readonly placed?: Readonly<Record<string, 'week' | 'amount' | 'name' | 'number'>>;
};

const KEPT: ReadonlyMap<string, Kept> = new Map<string, Kept>([
  [
    'sales',
    {
      counted: ['commercial_id', 'status', 'ready_for_validation', 'admin_validated'],
      countedIfNull: ['corrects_sale_id'],
      owner: 'commercial_id',
      searched: ['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'contract_description'],
      words: 'private.sale_words',
      placed: { created_at: 'week', contract_amount: 'amount', referred_contact_name: 'name' },
    },
  ],
  [
    'profiles',
    { counted: ['role'], searched: ['full_name', 'email', 'phone', 'company'], words: 'private.person_words' },
  ],
  ['payment_requests', { counted: ['status'] }],
  ['commission_payments', { counted: [], placed: { created_at: 'week' } }],
  ['audit_entries', { counted: ['entity'], placed: { id: 'number' } }],
]);

/** Whether the caller sees every row there is of the relations above. */
export const SEES_ALL = `(current_user = 'service_role' or private.user_role() is not distinct from 'admin')`;

export type Counted = {
  /** The view whose sum of `row_count` is how many rows the conditions leave. */
  readonly view: string;
  /** Whose rows alone are asked for; null for everybody's, which only who sees them all may have counted so. */
  readonly owner: string | null;
};

/** Where the total of a reading is kept: its conditions speak of nothing but the columns that are counted. */
export function countedIn(relation: Relation, level: Level): Counted | null {
  const kept = KEPT.get(relation.name);
  if (kept?.counted === undefined || level.required.length > 0) return null;
  if (!level.conditions.every((condition) => isCounted(condition, kept))) return null;
  const owners = level.conditions.map((condition) =>
    condition.kind === 'compare' &&
    !condition.negated &&
    condition.comparison.operator === 'eq' &&
    condition.comparison.quantifier === null &&
    condition.expression.column.name === kept.owner
      ? condition.comparison.operand
      : null,
  );
  return { view: `figures.counted_${relation.name}`, owner: owners.find((owner) => owner !== null) ?? null };
}

/** Pages beyond so many rows are looked up before they are read. */
const FAR = 1000;

/** A page that lies far behind, and what is known of where. */
export type FarPage = {
  /** Whether no two rows are equal in its order, so that it may be looked up from the list's end. */
  readonly isReversible: boolean;
  /** The view that counts the rows of each place, where places follow each other as the page's first order says. */
  readonly places: {
    readonly view: string;
    readonly list: string;
    /** The function that tells where a place starts. */
    readonly startOf: string;
    readonly order: PlannedOrder;
  } | null;
};

/** Whether the ids of a page can be looked up first, with the server's own sight, for who sees all rows. */
export function farPageOf(relation: Relation, level: Level): FarPage | null {
  const kept = KEPT.get(relation.name);
  if (kept === undefined || level.offset < FAR || level.required.length > 0) return null;
  // What is said of other relations, or computed, is worked out with the caller's own sight.
  if (level.order.some(({ embed, expression }) => embed !== null || expression.column.computedOf !== undefined))
    return null;
  if (!level.conditions.every(isOfColumns)) return null;
  const isOrderedBy = (name: string): boolean =>
    level.order.some(({ expression: { column, path } }) => column.name === name && path.length === 0);
  const isReversible = relation.primaryKey.length > 0 && relation.primaryKey.every(isOrderedBy);
  const [first] = level.order;
  const column = first?.expression.path.length === 0 ? first.expression.column.name : '';
  const unit = kept.placed?.[column];
  const places =
    first !== undefined &&
    unit !== undefined &&
    level.conditions.every((condition) => isCounted(condition, withoutOwner(kept)))
      ? {
          view: `figures.places_of_${relation.name}`,
          list: `${relation.name}.${column}`,
          startOf: `private.start_of_${unit}`,
          order: first,
        }
      : null;
  return isReversible || places !== null ? { isReversible, places } : null;
}

/** Places are counted of everybody together. */
function withoutOwner({ counted = [], owner, ...kept }: Kept): Kept {
  return { ...kept, counted: counted.filter((column) => column !== owner) };
}

function isOfColumns(condition: PlannedCondition): boolean {
  switch (condition.kind) {
    case 'compare':
      return condition.expression.column.computedOf === undefined;
    case 'logic':
      return condition.conditions.every(isOfColumns);
    case 'exists':
    case 'found':
      return false;
  }
}

function isCounted(condition: PlannedCondition, kept: Kept): boolean {
  switch (condition.kind) {
    case 'compare': {
      const { column, path } = condition.expression;
      if (path.length > 0) return false;
      const isOfNull = condition.comparison.operator === 'is';
      return (
        kept.counted?.includes(column.name) === true || (isOfNull && kept.countedIfNull?.includes(column.name) === true)
      );
    }
    case 'logic':
      return condition.conditions.every((inner) => isCounted(inner, kept));
    case 'exists':
    case 'found':
      return false;
  }
}

/** Beyond so many rows a search is of something common. */
export const FOUND_MAX = 4 * LIST_MEMBERS_MAX;

export type Search = {
  /** Gives the ids of all rows that have `pattern` in one of the columns that are searched. */
  readonly finder: string;
  readonly pattern: string;
  /** The text that is searched, of a row of this alias. */
  readonly wordsOf: (alias: string) => string;
  /** What else a row may satisfy instead. */
  readonly otherwise: readonly PlannedCondition[];
};

/** The search for one text that a reading is narrowed by: `column.ilike.*text*`, or several of them in an `or`. */
export function searchOf(relation: Relation, level: Level): Search | null {
  const { searched, words } = KEPT.get(relation.name) ?? {};
  if (searched === undefined || words === undefined) return null;
  for (const condition of level.conditions) {
    const isLogic = condition.kind === 'logic';
    if (isLogic && (condition.negated || condition.operator !== 'or')) continue;
    const arms = isLogic ? condition.conditions : [condition];
    const patterns = arms.map((arm) => patternOf(arm, searched));
    const pattern = patterns.find((found) => found !== null);
    if (pattern === undefined || pattern === null) continue;
    return {
      finder: `private.find_${relation.name}`,
      pattern,
      wordsOf: (alias) => `${words}(${searched.map((column) => `${alias}."${column}"`).join(', ')})`,
      otherwise: arms.filter((_, index) => patterns[index] !== pattern),
    };
  }
  return null;
}

function patternOf(condition: PlannedCondition, columns: readonly string[]): string | null {
  if (condition.kind !== 'compare' || condition.negated) return null;
  const { comparison, expression } = condition;
  if (comparison.operator !== 'ilike' || comparison.quantifier !== null) return null;
  if (expression.path.length > 0 || !columns.includes(expression.column.name)) return null;
  const pattern = comparison.operand.replaceAll('*', '%');
  // A column is a part of all the words: what is found in it is found in them, if nothing is said of its two ends.
  return /^%(?:[^\\]|\\[\s\S])*%$/u.test(pattern) ? pattern : null;
}

/** The same reading, whose rows are among those found or satisfy what else was allowed: nothing is lost, an index serves it. */
export function withFound(level: Level, ids: readonly string[], otherwise: readonly PlannedCondition[]): Level {
  const idType = level.source.columns.get('id')?.type ?? 'uuid';
  return { ...level, conditions: [...level.conditions, { kind: 'found', ids, idType, otherwise }] };
}
