import type { Level, PlannedCondition } from '../plan.ts';

/**
 * A page that starts after a row, in the list's order: `or=(a.lt.1,and(a.eq.1,id.lt.2))` with `order=a.desc,id.desc`. For
 * an `or` PostgreSQL walks the index from the start of the list. The arms exclude each other, so the page is the first rows
 * of their union, and each arm starts at its own place in the index.
 */
export type KeysetShortcut = {
  /** The same reading, once per arm. No row is in two of them. */
  readonly arms: readonly Level[];
  /**
   * Row level security keeps the arms from the index: the order has a comparison that is not leakproof, so PostgreSQL asks the
   * policies first.
   */
  readonly isHiddenByPolicies: boolean;
};

/** Of the types that lists are sorted by, the one whose comparisons PostgreSQL does not call leakproof. */
const NOT_LEAKPROOF = /^numeric\b/u;

/** The arms of a page that starts after a row; null for any other reading. */
export function keysetShortcut(level: Level): KeysetShortcut | null {
  if (level.order.length === 0 || level.offset > 0) return null;
  const isOrderedBy = ({ name }: Test): boolean =>
    level.order.some(({ embed, expression: { column, path } }) => {
      const isPlain = embed === null && path.length === 0 && column.computedOf === undefined;
      return isPlain && column.name === name;
    });
  for (const condition of level.conditions) {
    if (condition.kind !== 'logic' || condition.negated || condition.operator !== 'or') continue;
    const arms = condition.conditions.map(flattened);
    const tests = arms.map(testsOf);
    if (!tests.every((one) => one !== null) || !tests.flat().every(isOrderedBy) || !areExclusive(tests)) continue;
    const others = level.conditions.filter((other) => other !== condition);
    return {
      arms: arms.map((arm) => ({ ...level, conditions: [...others, ...arm] })),
      isHiddenByPolicies:
        level.source.relation?.kind === 'table' &&
        level.source.columns.has('id') &&
        tests.flat().some(({ name }) => NOT_LEAKPROOF.test(level.source.columns.get(name)?.type ?? '')),
    };
  }
  return null;
}

/** One comparison of an arm, of a bare column with a value. */
type Test = {
  readonly name: string;
  readonly kind: 'null' | 'present' | 'eq' | 'lt' | 'lte' | 'gt' | 'gte';
  readonly operand: string;
};

function flattened(condition: PlannedCondition): readonly PlannedCondition[] {
  const isAnd = condition.kind === 'logic' && condition.operator === 'and' && !condition.negated;
  return isAnd ? condition.conditions.flatMap(flattened) : [condition];
}

/** Null where the arm has anything but tests. */
function testsOf(arm: readonly PlannedCondition[]): readonly Test[] | null {
  const tests = arm.map(testOf);
  return tests.every((test) => test !== null) ? tests : null;
}

function testOf(condition: PlannedCondition): Test | null {
  if (condition.kind !== 'compare' || condition.expression.path.length > 0) return null;
  const { comparison, negated } = condition;
  const { name } = condition.expression.column;
  switch (comparison.operator) {
    case 'is': {
      if (comparison.value !== 'null' && comparison.value !== 'not_null') return null;
      const isNull = (comparison.value === 'null') !== negated;
      return { name, kind: isNull ? 'null' : 'present', operand: '' };
    }
    case 'eq':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      if (negated || comparison.quantifier !== null) return null;
      return { name, kind: comparison.operator, operand: comparison.operand };
    }
    default:
      return null;
  }
}

function areExclusive(arms: readonly (readonly Test[])[]): boolean {
  return arms.every((arm, at) =>
    arms.slice(at + 1).every((other) => arm.some((one) => other.some((two) => excludes(one, two)))),
  );
}

const CONTRADICTIONS = new Set(['eq lt', 'eq gt', 'gt lt', 'gte lt', 'gt lte']);

/** True if no row can pass both. Operands are compared as texts: equal texts are equal values. */
function excludes(one: Test, two: Test): boolean {
  if (one.name !== two.name) return false;
  if (one.kind === 'null' || two.kind === 'null') return one.kind !== two.kind;
  return one.operand === two.operand && CONTRADICTIONS.has([one.kind, two.kind].sort().join(' '));
}
