import { useState } from 'react';
import type { DataTableProps } from './data-table.tsx';
import type { ListPage } from './pagination.tsx';

interface TablePages<Row> {
  /** Those of the page. */
  rows: readonly Row[];
  /** Of all pages. */
  rowCount: number;
  page: ListPage | undefined;
  onMove: (mark: string) => void;
}

/** The page of a table: the server's, where it cuts pages, else one that the browser cuts out of all rows. */
export function useTablePages<Row>({
  rows = [],
  pageSize = 25,
  server,
}: Pick<DataTableProps<Row>, 'rows' | 'pageSize' | 'server'>): TablePages<Row> {
  const [index, setIndex] = useState(0);
  const last = Math.max(0, Math.ceil(rows.length / pageSize) - 1);
  // A deletion can empty the last page: the page shown is always one that exists.
  const at = Math.min(index, last);
  if (!server && at !== index) setIndex(at);
  if (server) return { rows, rowCount: server.page?.rowCount ?? 0, page: server.page, onMove: server.onMove };
  const shown = rows.slice(at * pageSize, (at + 1) * pageSize);
  return {
    rows: shown,
    rowCount: rows.length,
    page: {
      rows: shown,
      rowCount: rows.length,
      from: at * pageSize,
      first: at === 0 ? null : '0',
      previous: at === 0 ? null : String(at - 1),
      next: at === last ? null : String(at + 1),
      last: at === last ? null : String(last),
    },
    onMove: (mark) => setIndex(Number.parseInt(mark, 10)),
  };
}
