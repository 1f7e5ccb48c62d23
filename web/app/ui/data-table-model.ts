import { plainLetters } from '@parrain/domain/without-accents';
import { useMemo, useState } from 'react';
import type { DataColumn, DataSort, DataTableProps } from './data-table.tsx';

export const noRows: readonly never[] = [];

/** Sorted and cut rows; with a server, its rows as they came. */
export function useRowModel<Row>({
  columns,
  found,
  initialSort,
  pageSize = 25,
  server,
}: DataTableProps<Row> & { found: readonly Row[] }) {
  const [sort, setSort] = useState<DataSort | undefined>(initialSort);
  const [index, setIndex] = useState(0);
  const sorted = useMemo(() => (server ? found : sortRows(found, columns, sort)), [found, columns, sort, server]);
  const rowCount = server ? (server.page?.rowCount ?? 0) : found.length;
  const pageCount = Math.max(1, Math.ceil(rowCount / pageSize));
  // A deletion can empty the last page: the page shown is always one that exists.
  const page = Math.min(index, pageCount - 1);
  if (!server && page !== index) setIndex(page);
  const rows = server ? found : sorted.slice(page * pageSize, (page + 1) * pageSize);
  return {
    rows,
    rowCount,
    page: {
      rows,
      rowCount,
      from: page * pageSize,
      first: page === 0 ? null : '0',
      previous: page === 0 ? null : String(page - 1),
      next: page >= pageCount - 1 ? null : String(page + 1),
      last: page >= pageCount - 1 ? null : String(pageCount - 1),
    },
    sort,
    setSort: (next: DataSort) => {
      setSort(next);
      setIndex(0);
    },
    setPage: (mark: string) => setIndex(Number.parseInt(mark, 10)),
  };
}

/** Rows in the order of a column, equal ones as they were; those without a value are last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  sort: DataSort | undefined,
): readonly Row[] {
  const valueOf = columns.find((column) => column.id === sort?.id)?.sortValue;
  if (sort === undefined || valueOf === undefined) return rows;
  const way = sort.desc ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((left, right) => {
      if (left.value === null) return right.value === null ? 0 : 1;
      if (right.value === null) return -1;
      return way * compare(left.value, right.value);
    })
    .map(({ row }) => row);
}

/** Rows in which every typed word is found, by the letters that the server's searches go by: « oeuvre » finds « Œuvre ». */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  search: string,
): readonly Row[] {
  const words = plainLetters(search).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = plainLetters(columns.map((column) => column.searchText?.(row) ?? '').join(' '));
    return words.every((word) => text.includes(word));
  });
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'string' && typeof right === 'string') return collator.compare(left, right);
  if (
    (typeof left === 'bigint' || typeof left === 'number') &&
    (typeof right === 'bigint' || typeof right === 'number')
  ) {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return 0;
}

const collator = new Intl.Collator('fr-FR', { numeric: true, sensitivity: 'base' });
