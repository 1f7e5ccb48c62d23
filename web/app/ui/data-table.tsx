import {
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type PaginationState,
  type SortingState,
} from '@tanstack/react-table';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, ArrowUpDown, SearchX } from 'lucide-react';
import { useId, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { Pagination, type ListPage } from './pagination.tsx';
import { SearchInput } from './search-input.tsx';
import { Select } from './select.tsx';
import { Skeleton } from './skeleton.tsx';

export interface DataColumn<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Makes the column sortable in the browser; null goes last. Amounts: give the cents. Dates: give the ISO text. */
  sortValue?: ((row: Row) => string | number | bigint | null) | undefined;
  /** With `server`: the server can sort by this column's id. */
  sortable?: boolean | undefined;
  /** The text that the search box looks through, in the browser. */
  searchText?: ((row: Row) => string | null | undefined) | undefined;
  /** `right` for figures. */
  align?: 'left' | 'right' | undefined;
  /** Keeps the header for assistive tools: a column of buttons. */
  headerHidden?: boolean | undefined;
  /** Stands in the last row: a total. */
  total?: ReactNode;
  /** On a phone: the card's title (the first column unless said otherwise), a line, the card's foot (buttons), or left out. */
  card?: 'title' | 'line' | 'foot' | 'hidden' | undefined;
}

export interface DataSort {
  id: string;
  desc: boolean;
}

/** Give this when the server sorts, searches and cuts pages: the table then only shows and asks. */
export interface ServerTable {
  /** The page that is shown; undefined while loading. */
  page: ListPage | undefined;
  onMove: (mark: string) => void;
  sort?: DataSort | undefined;
  onSortChange?: ((sort: DataSort) => void) | undefined;
  search?: string | undefined;
  onSearchChange?: ((search: string) => void) | undefined;
}

export interface DataTableProps<Row> {
  /** Names the table for assistive tools: « Toutes les ventes ». */
  caption: string;
  columns: readonly DataColumn<Row>[];
  /** undefined while loading. Keep the array stable (the query's data), never `data ?? []` inline. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Shown when there is nothing at all: an `<EmptyState>` with the screen's exact sentence. */
  empty: ReactNode;
  /** The load failed: shows « Réessayer » instead of the rows. */
  failed?: boolean | undefined;
  onRetry?: (() => void) | undefined;
  /** Fetching again behind rows that are already there. */
  refreshing?: boolean | undefined;
  /** Shows the search box, with this as its name: « Rechercher une vente ». */
  searchLabel?: string | undefined;
  /** Filters and exports, right of the search box. */
  toolbar?: ReactNode;
  initialSort?: DataSort | undefined;
  pageSize?: number | undefined;
  server?: ServerTable | undefined;
  /** Opens the row's detail: the first cell becomes a button that covers the row. */
  onRowOpen?: ((row: Row) => void) | undefined;
}

/**
 * A table of rows: sort (`aria-sort`), search, pages, totals; cards under 640 px; three states that never look alike
 * (loading, failed, empty). It sorts and cuts in the browser unless `server` is given.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    caption,
    columns,
    rows,
    rowKey,
    empty,
    failed = false,
    onRetry,
    refreshing = false,
    searchLabel,
    toolbar,
    server,
    onRowOpen,
  } = props;
  const [localSearch, setLocalSearch] = useState('');
  const search = server?.search ?? localSearch;
  const narrow = useNarrow();
  const regionId = useId();

  const found = useMemo(
    () => (server || !rows ? (rows ?? noRows) : filterRows(rows, columns, localSearch)),
    [rows, columns, localSearch, server],
  );
  const table = useRowModel({ ...props, found });
  const sort = server ? server.sort : table.sort;
  const onSort = (id: string) => {
    const next = { id, desc: sort?.id === id ? !sort.desc : false };
    if (server) server.onSortChange?.(next);
    else table.setSort(next);
  };
  const onSearch = (text: string) => {
    if (server) server.onSearchChange?.(text);
    else {
      setLocalSearch(text);
      table.setPage('0');
    }
  };
  const isSortable = (column: DataColumn<Row>) => (server ? column.sortable === true : column.sortValue !== undefined);
  const body = () => {
    if (failed && onRetry) return <ErrorState onRetry={onRetry} pending={refreshing} />;
    if (rows === undefined) return <TableSkeleton label={caption} columns={columns.length} />;
    if (table.rowCount === 0 && search === '') return empty;
    if (table.rowCount === 0) {
      return (
        <EmptyState
          icon={<SearchX />}
          title="Aucun résultat"
          description={`Rien ne correspond à « ${search} ».`}
          action={<Button onClick={() => onSearch('')}>Effacer la recherche</Button>}
        />
      );
    }
    if (narrow) return <Cards {...props} rows={table.rows} sort={sort} onSort={onSort} isSortable={isSortable} />;
    const totals = columns.some((column) => column.total !== undefined);
    return (
      <div
        role="region"
        aria-labelledby={regionId}
        // It scrolls sideways where it must: the keyboard can reach it to do so.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="overflow-x-auto outline-offset-[-2px] xl:overflow-visible"
      >
        <table className="w-full border-separate border-spacing-0 text-left">
          <caption id={regionId} className="sr-only">
            {caption}
          </caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.id}
                  scope="col"
                  aria-sort={
                    isSortable(column)
                      ? sort?.id === column.id
                        ? sort.desc
                          ? 'descending'
                          : 'ascending'
                        : 'none'
                      : undefined
                  }
                  className={clsx(
                    'sticky top-(--sticky-top,0px) z-2 border-b border-hairline bg-sheet px-3 py-2.5 text-sm font-medium whitespace-nowrap text-encre-soft first:pl-5 last:pr-5',
                    column.align === 'right' && 'text-right',
                  )}
                >
                  {column.headerHidden ? (
                    <span className="sr-only">{column.header}</span>
                  ) : isSortable(column) ? (
                    <button
                      type="button"
                      onClick={() => onSort(column.id)}
                      className={clsx(
                        'group -mx-1.5 inline-flex items-center gap-1 rounded-[6px] px-1.5 py-0.5 hover:text-encre',
                        // The word of a column of figures ends where the figures end.
                        column.align === 'right' && 'flex-row-reverse',
                        sort?.id === column.id && 'text-encre',
                      )}
                    >
                      {column.header}
                      <SortIcon active={sort?.id === column.id} desc={sort?.desc ?? false} />
                    </button>
                  ) : (
                    column.header
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <tr key={rowKey(row)} className={clsx('group/row relative', onRowOpen && 'hover:bg-papier')}>
                {columns.map((column, index) => (
                  <td
                    key={column.id}
                    className={clsx(
                      'border-b border-hairline px-3 py-3 align-middle group-last/row:border-b-0 first:pl-5 last:pr-5',
                      column.align === 'right' && 'text-right',
                      // Buttons of a row stay above the button that covers it.
                      onRowOpen && index > 0 && '[&_a]:relative [&_a]:z-1 [&_button]:relative [&_button]:z-1',
                    )}
                  >
                    {onRowOpen && index === 0 ? (
                      <RowButton onOpen={() => onRowOpen(row)}>{column.cell(row)}</RowButton>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {totals && (
            <tfoot>
              <tr>
                {columns.map((column) => (
                  <td
                    key={column.id}
                    className={clsx(
                      'border-t border-edge/60 px-3 py-3 font-medium first:pl-5 last:pr-5',
                      column.align === 'right' && 'text-right',
                    )}
                  >
                    {column.total}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
    );
  };

  return (
    <div aria-busy={refreshing || undefined} className="overflow-clip rounded-[9px]">
      {(searchLabel || toolbar) && (
        <div className="flex flex-wrap items-center gap-2 border-b border-hairline px-4 py-3 sm:px-5">
          {searchLabel && (
            <SearchInput
              label={searchLabel}
              value={search}
              onValueChange={onSearch}
              className="min-w-0 flex-1 basis-56 sm:max-w-80"
            />
          )}
          {toolbar && <div className="flex flex-wrap items-center gap-2 max-sm:w-full sm:ml-auto">{toolbar}</div>}
        </div>
      )}
      {body()}
      {!failed && rows !== undefined && (
        <div className="border-t border-hairline empty:hidden">
          <Pagination label={caption} page={server?.page ?? table.page} onMove={server?.onMove ?? table.setPage} />
        </div>
      )}
      <p role="status" className="sr-only">
        {rows !== undefined && search !== '' && `${table.rowCount} résultat${table.rowCount > 1 ? 's' : ''}`}
      </p>
    </div>
  );
}

const noRows: readonly never[] = [];

const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
});

/** Sorted and cut rows, by TanStack Table; with a server, its rows as they came. */
function useRowModel<Row>({
  columns,
  found,
  rowKey,
  initialSort,
  pageSize = 25,
  server,
}: DataTableProps<Row> & { found: readonly Row[] }) {
  const [sorting, setSorting] = useState<SortingState>(initialSort ? [initialSort] : []);
  const [pagination, setPagination] = useState<PaginationState>({ pageIndex: 0, pageSize });
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, Row & object> => ({
        id: column.id,
        accessorFn: (row) => column.sortValue?.(row) ?? undefined,
        sortUndefined: 'last',
        sortFn: (left, right, id) => compare(left.getValue(id), right.getValue(id)),
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: found as readonly (Row & object)[],
    getRowId: (row) => rowKey(row),
    state: { sorting, pagination },
    onSortingChange: setSorting,
    onPaginationChange: setPagination,
    autoResetPageIndex: false,
    manualSorting: server !== undefined,
    manualPagination: server !== undefined,
  });
  const rowCount = server ? (server.page?.rowCount ?? 0) : found.length;
  const pageCount = Math.max(1, Math.ceil(rowCount / pageSize));
  // A deletion can empty the last page: the page shown is always one that exists.
  const page = Math.min(pagination.pageIndex, pageCount - 1);
  if (!server && page !== pagination.pageIndex) setPagination({ pageIndex: page, pageSize });
  const rows = table.getRowModel().rows.map((row) => row.original as Row);
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
    sort: sorting[0],
    setSort: (sort: DataSort) => {
      setSorting([sort]);
      setPagination({ pageIndex: 0, pageSize });
    },
    setPage: (mark: string) => setPagination({ pageIndex: Number.parseInt(mark, 10), pageSize }),
  };
}

function RowButton({ onOpen, children }: { onOpen: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="text-left font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-[6px] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-sapin"
    >
      {children}
    </button>
  );
}

function SortIcon({ active, desc }: { active: boolean; desc: boolean }) {
  const Icon = active ? (desc ? ArrowDown : ArrowUp) : ArrowUpDown;
  return (
    <Icon
      aria-hidden
      className={clsx(
        'size-3.5',
        active ? 'text-sapin' : 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60',
      )}
    />
  );
}

type CardsProps<Row> = Omit<DataTableProps<Row>, 'rows'> & {
  rows: readonly Row[];
  sort: DataSort | undefined;
  onSort: (id: string) => void;
  isSortable: (column: DataColumn<Row>) => boolean;
};

/** The same rows on a phone: one card each, names beside values, the sort in a list above. */
function Cards<Row>({ caption, columns, rows, rowKey, onRowOpen, sort, onSort, isSortable }: CardsProps<Row>) {
  const title = columns.find((column) => column.card === 'title') ?? columns[0];
  const lines = columns.filter(
    (column) => column !== title && (column.card === undefined || column.card === 'line') && !column.headerHidden,
  );
  const feet = columns.filter(
    (column) => column !== title && (column.card === 'foot' || (column.headerHidden && column.card === undefined)),
  );
  const sortables = columns.filter(isSortable);
  return (
    <div>
      {sortables.length > 0 && (
        <div className="flex items-center gap-2 border-b border-hairline px-4 py-2">
          <Select
            size="sm"
            label="Trier par"
            placeholder="Trier par…"
            options={sortables.map((column) => ({ value: column.id, label: column.header }))}
            value={sort?.id ?? null}
            onValueChange={(id) => id !== sort?.id && onSort(id)}
          />
          {sort && (
            <Button size="sm" icon={sort.desc ? <ArrowDown /> : <ArrowUp />} onClick={() => onSort(sort.id)}>
              {sort.desc ? 'Décroissant' : 'Croissant'}
            </Button>
          )}
        </div>
      )}
      <ul aria-label={caption} className="divide-y divide-hairline">
        {rows.map((row) => (
          <li key={rowKey(row)} className="relative px-4 py-4">
            <div className="font-medium">
              {title &&
                (onRowOpen ? <RowButton onOpen={() => onRowOpen(row)}>{title.cell(row)}</RowButton> : title.cell(row))}
            </div>
            <dl className="mt-2 grid gap-1.5">
              {lines.map((column) => (
                <div key={column.id} className="flex items-baseline justify-between gap-4">
                  <dt className="shrink-0 text-sm text-encre-faint">{column.header}</dt>
                  <dd className="min-w-0 text-right break-words [&_a]:relative [&_a]:z-1 [&_button]:relative [&_button]:z-1">
                    {column.cell(row)}
                  </dd>
                </div>
              ))}
            </dl>
            {feet.length > 0 && (
              <div className="relative z-1 mt-3 flex flex-wrap gap-2">
                {feet.map((column) => (
                  <div key={column.id} className="contents">
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
      {columns.some((column) => column.total !== undefined) && (
        <dl className="border-t border-edge/60 px-4 py-3">
          {columns
            .filter((column) => column.total !== undefined)
            .map((column) => (
              <div key={column.id} className="flex justify-between gap-4 font-medium">
                <dt>{column.header}</dt>
                <dd>{column.total}</dd>
              </div>
            ))}
        </dl>
      )}
    </div>
  );
}

function TableSkeleton({ label, columns }: { label: string; columns: number }) {
  return (
    <div role="status" className="px-5 py-4">
      <span className="sr-only">Chargement : {label}</span>
      {Array.from({ length: 5 }, (_, row) => (
        <div key={row} className="flex gap-6 border-b border-hairline py-3.5 last:border-0">
          {Array.from({ length: Math.min(columns, 5) }, (_unused, column) => (
            <Skeleton key={column} className={clsx('h-4', column === 0 ? 'w-40' : 'w-20')} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Rows in which every typed word is found, whatever the case and the accents. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  search: string,
): readonly Row[] {
  const words = fold(search).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = fold(columns.map((column) => column.searchText?.(row) ?? '').join(' '));
    return words.every((word) => text.includes(word));
  });
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLocaleLowerCase('fr-FR');
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

function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(narrowQuery);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => window.matchMedia(narrowQuery).matches,
    () => false,
  );
}

const narrowQuery = '(max-width: 639px)';
