import type { Level, PlannedCondition } from '../plan.ts';
import { ROOT, SEES_EVERY_ROW } from '../statement.ts';
import type { Parameters } from '../statement.ts';

/** The columns of the view `figures.counted_<relation>`, which has a `row_count` for each combination of their values. */
type CountView = {
  readonly columns: readonly string[];
  /** Columns of the view that only tell a null from a value. */
  readonly nullable?: readonly string[];
  /** The column that names the person who sees all rows of their own. */
  readonly owner?: string;
};

const COUNT_VIEWS: ReadonlyMap<string, CountView> = new Map<string, CountView>([
  [
    'sales',
    {
      columns: ['commercial_id', 'status', 'ready_for_validation', 'admin_validated'],
      nullable: ['corrects_sale_id'],
      owner: 'commercial_id',
    },
  ],
  ['profiles', { columns: ['role'] }],
  ['payment_requests', { columns: ['status'] }],
  ['commission_payments', { columns: [] }],
  ['audit_entries', { columns: ['entity'] }],
  ['payee_accounts', { columns: [] }],
]);

/** A total that the database keeps, or counts from fewer rows than the list has (decision 0010). */
export type CountShortcut = {
  /**
   * SQL of the total: the kept one for a caller who sees every row that it counts, `counted` for everyone else.
   * @param where the level's conditions over ROOT, which the view's columns satisfy as the relation's do.
   */
  readonly totalSql: (counted: string, where: string, bind: Parameters['bind']) => string;
};

/** The kept total of a reading; null unless each of its conditions is on a column of the count view. */
export function countShortcut(level: Level): CountShortcut | null {
  const name = level.source.relation?.name ?? '';
  const view = COUNT_VIEWS.get(name);
  if (view === undefined || level.required.length > 0) return null;
  if (!level.conditions.every((condition) => isCounted(condition, view))) return null;
  const owner = level.conditions.map((condition) => ownerIn(condition, view)).find((id) => id !== null) ?? null;
  return {
    totalSql(counted, where, bind) {
      const seesThem =
        owner === null
          ? SEES_EVERY_ROW
          : `(${SEES_EVERY_ROW} or ${bind(owner)}::uuid is not distinct from private.uid())`;
      const storedTotal = `(select coalesce(sum(${ROOT}.row_count), 0)::int8 from figures.counted_${name} as ${ROOT}${where})`;
      return `case when ${seesThem} then ${storedTotal} else ${counted} end`;
    },
  };
}

/** The person whose rows alone are counted. */
function ownerIn(condition: PlannedCondition, { owner }: CountView): string | null {
  if (condition.kind !== 'compare' || condition.negated || condition.expression.column.name !== owner) return null;
  const { comparison } = condition;
  return comparison.operator === 'eq' && comparison.quantifier === null ? comparison.operand : null;
}

function isCounted(condition: PlannedCondition, view: CountView): boolean {
  switch (condition.kind) {
    case 'compare': {
      const { column, path } = condition.expression;
      if (path.length > 0) return false;
      const isNullTest = condition.comparison.operator === 'is';
      return view.columns.includes(column.name) || (isNullTest && view.nullable?.includes(column.name) === true);
    }
    case 'logic':
      return condition.conditions.every((inner) => isCounted(inner, view));
    case 'exists':
    case 'found':
      return false;
  }
}
