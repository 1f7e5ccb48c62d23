import type { ListTotals } from '@parrain/domain/exports';

import type { Database, Identity } from '#platform/database';
import type { ListStatement } from '#rest';

import type { ExportedList } from './lists.ts';

/** The number of rows of a list and the exact sum of each of its amounts, by the column's label. */
export async function totalsOf(
  db: Database,
  identity: Identity,
  list: ExportedList,
  { from, where, values }: ListStatement,
): Promise<ListTotals> {
  const amounts = [...list.columns.filter(({ kind }) => kind === 'amount'), ...(list.nets ?? [])];
  const sums = amounts.map(({ sql }, place) => `, coalesce(sum(${sql}), 0)::text as c${place}`).join('');
  const { rows } = await db.queryAs<Readonly<Record<string, string>>>(
    identity,
    // A join that gives no sum its value is left out by the planner.
    { text: `select count(*)::text as rows${sums} from ${from}${list.joins ?? ''}${where}`, values, prepare: false },
    { readOnly: true },
  );
  const [row = {}] = rows;
  return {
    row_count: Number(row['rows'] ?? 0),
    sums: Object.fromEntries(amounts.map(({ label }, place) => [label, row[`c${place}`] ?? '0'])),
  };
}
