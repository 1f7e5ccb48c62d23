import type { Transaction } from '#platform/database';
import type { ListStatement } from '#rest';

import type { ExportedRow } from './csv.ts';
import type { ExportedList, ListColumn } from './lists.ts';

/** The rows of one reading: what is in memory at once is two of these. */
const BATCH_ROWS = 1000;
/** Time for one batch; the first one may have to sort the whole list. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** The time that a slow reader may let pass between two batches. */
export const PATIENCE_MS = 60_000;

/** Opens a list inside a transaction: its number of rows, and the rows by batches of a cursor. */
export async function openList(
  tx: Transaction,
  list: ExportedList,
  { from, where, order, values }: ListStatement,
): Promise<{ readonly rowCount: number; readonly batches: () => AsyncGenerator<readonly ExportedRow[]> }> {
  await tx.query(
    `select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true),
      set_config('DateStyle', 'ISO, YMD', true), set_config('cursor_tuple_fraction', '1', true)`,
    [String(STATEMENT_TIMEOUT_MS), String(PATIENCE_MS + 10_000)],
  );
  const { rows } = await tx.query<{ total: number }>({
    text: `select count(*) as total from ${from}${where}`,
    values,
    prepare: false,
  });
  return {
    rowCount: rows[0]?.total ?? 0,
    async *batches() {
      const columns = list.columns.map((column, place) => `${valueOf(column)} as c${place}`).join(', ');
      await tx.query({
        text: `declare exported no scroll cursor for select ${columns} from ${from}${list.joins ?? ''}${where}${order}`,
        values,
        prepare: false,
      });
      const fetch = async (): Promise<readonly ExportedRow[]> => {
        const batch = await tx.query<Readonly<Record<string, string | null>>>({
          text: `fetch ${BATCH_ROWS} from exported`,
          prepare: false,
        });
        return batch.rows.map((row) => Object.values(row));
      };
      const ahead = (): ReturnType<typeof fetch> => {
        const batch = fetch();
        // Its failure is the next batch's to tell.
        batch.catch(() => undefined);
        return batch;
      };
      // PostgreSQL reads the next batch while this one is written.
      let next = ahead();
      try {
        for (;;) {
          const batch = await next;
          if (batch.length === 0) return;
          next = ahead();
          yield batch;
          if (batch.length < BATCH_ROWS) return;
        }
      } finally {
        await next.catch(() => undefined);
        // Another list may be read in the same transaction; one that failed has closed it by itself.
        await tx.query({ text: 'close exported', prepare: false }).catch(() => undefined);
      }
    },
  };
}

/** SQL of a column's text; a date is the one in France. */
function valueOf({ kind, sql }: ListColumn): string {
  switch (kind) {
    case 'day':
      return `(${sql} at time zone 'Europe/Paris')::date::text`;
    case 'moment':
      return `date_trunc('second', ${sql} at time zone 'Europe/Paris')::text`;
    case 'text':
    case 'amount':
    case 'balance':
    case 'count':
      return `(${sql})::text`;
  }
}
