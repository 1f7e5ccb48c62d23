import clsx from 'clsx';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { RowCards } from './data-table-cards.tsx';
import { TableRows } from './data-table-rows.tsx';
import type { DirectoryEntry } from './directory-cards.tsx';
import { ErrorState } from './error-state.tsx';
import { Pagination, type ListPage } from './pagination.tsx';
import { SearchInput } from './search-input.tsx';
import { Skeleton } from './skeleton.tsx';
import { useHiddenColumns, useLayout } from './table-preferences.tsx';
import { lazyPart } from './lazy-part.tsx';
import { ListTools, type ListFilters } from './list-tools.tsx';
import { NothingFound } from './nothing-found.tsx';
import { narrowQuery, useMedia } from './use-media.tsx';
import { useTablePages } from './use-table-pages.ts';

const CardSort = lazyPart(() => import('./card-sort.tsx'), <span className="h-9 w-36 max-sm:flex-1" />);
// Directories are few, and an admin's.
const DirectoryCards = lazyPart(() => import('./directory-cards.tsx'), <CardsSkeleton />);
const LayoutChoice = lazyPart(() => import('./layout-choice.tsx'), <span className="h-10 w-24" />);
// From the first selection on.
const SelectionBar = lazyPart(() => import('./selection-bar.tsx'));
const RowsSaid = lazyPart(() => import('./rows-said.tsx'));
// The menu's code comes after the rows.
const TableDisplay = lazyPart(() => import('./table-display.tsx'), <span className="size-9" />);

export interface DataColumn<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The server can sort by this column's id. */
  sortable?: boolean | undefined;
  /** `right` for numbers. */
  align?: 'left' | 'right' | undefined;
  /**
   * A text of free length: it shares the room that the others leave, and is cut with an ellipsis (`Cell`). `address` takes the most
   * of it, for an e-mail address.
   */
  width?: 'medium' | 'wide' | 'address' | undefined;
  /** A lesser column: a table has it where the window is wide enough, cards have it always. */
  from?: '1280px' | '1400px' | '1700px' | undefined;
  /** Keeps the header for assistive tools: a column of buttons, pinned to the right edge. */
  headerHidden?: boolean | undefined;
  /** Stands in the last row: a total. */
  total?: ReactNode;
  /** Under 900 px: the card's title (the first column unless said otherwise), a line, the card's foot (buttons), or left out. */
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
  /** Names the list in what this browser remembers of it: the columns left out. Without it every column stays. */
  name?: string | undefined;
  /** The columns left out of the list as it is asked for: they go before those that this browser remembers. */
  hiddenColumns?: { ids: ReadonlySet<string>; set: (ids: Iterable<string>) => void } | undefined;
  /** The list is a directory: cards of people, each with what this gives of its row, or a table by choice; it has a name. */
  directory?: ((row: Row) => DirectoryEntry) | undefined;
  /** The list's title, where the screen holds more than it. */
  title?: string | undefined;
  /** Stands first above the table: the tabs of a list. */
  lead?: ReactNode;
  /** With `server`: shows the search box, with this as its name: « Rechercher une vente ». */
  searchLabel?: string | undefined;
  /** Beside the search box; under 900 px in a sheet. */
  filters?: ListFilters | false | undefined;
  /** « Exporter »; under 900 px in the sheet too. */
  exporting?: ReactNode;
  /** The menu of the list's views. */
  views?: ReactNode;
  /** Further tools, at every width. */
  toolbar?: ReactNode;
  /** Of the pages that the browser cuts: 25 unless said otherwise. */
  pageSize?: number | undefined;
  server?: ServerTable | undefined;
  /** Opens the row's detail: with `rowHref` the first cell becomes a link that covers the row. */
  onRowOpen?: ((row: Row) => void) | undefined;
  /** The address of the row's detail, for a new tab or a bookmark (NV-01). */
  rowHref?: ((row: Row) => string) | undefined;
  /** Rows are selected: checkboxes, ranges with shift, X on the row that has the focus, Escape for none (NV-04). */
  selection?: SelectableRows<Row> | undefined;
}

/** The selected rows of a list: they live through its pages. */
export interface RowSelection<Row> {
  has: (row: Row) => boolean;
  count: number;
  set: (rows: readonly Row[], isSelected: boolean) => void;
  clear: () => void;
}

/** Selectable rows of a table: their state, their labels and their bar. */
export interface SelectableRows<Row> extends RowSelection<Row> {
  /** Names a row's checkbox: « Sélectionner la demande de Léa Martin ». */
  label: (row: Row) => string;
  /** Some rows have nothing that could be done with them. */
  canSelect?: ((row: Row) => boolean) | undefined;
  /** « 6 sélectionnées · 3 821,17 € », and what can be done with them. */
  bar: ReactNode;
}

export interface RowLink<Row> {
  onOpen: (row: Row) => void;
  href: (row: Row) => string;
}

/**
 * A table of rows: sort (`aria-sort`), search, pages, totals; cards under 900 px; three states that never look alike
 * (loading, failed, empty). The server sorts, searches and cuts pages; without `server` the browser cuts them.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    caption,
    rows,
    rowKey,
    empty,
    failed = false,
    onRetry,
    refreshing = false,
    server,
    onRowOpen,
    rowHref,
  } = props;
  const [wasSearched, setWasSearched] = useState(false);
  // From the first selection on: an act that leaves no row selected goes on in the bar.
  const [wasSelected, setWasSelected] = useState(false);
  if (!wasSelected && props.selection !== undefined && props.selection.count > 0) setWasSelected(true);
  const search = server?.search ?? '';
  const isNarrow = useMedia(narrowQuery);
  const [layout, setLayout] = useLayout(props.name ?? '');
  const { directory } = props;
  const isDirectory = directory !== undefined && (isNarrow || layout === 'cards');
  const isCards = isNarrow || isDirectory;
  const [remembered, remember] = useHiddenColumns(props.name ?? '');
  const { ids: hidden, set: setHidden } = props.hiddenColumns ?? { ids: remembered, set: remember };
  const choosable = props.name === undefined ? [] : props.columns.slice(1).filter((column) => !column.headerHidden);
  const columns = props.columns.filter((column) => !choosable.includes(column) || !hidden.has(column.id));

  const pages = useTablePages(props);
  const sort = server?.sort;
  const onSearch = (text: string) => {
    setWasSearched(true);
    server?.onSearchChange?.(text);
  };
  const view = {
    caption,
    columns,
    rowKey,
    link: onRowOpen && rowHref && { onOpen: onRowOpen, href: rowHref },
    selection: props.selection,
    sort,
    onSort: (id: string) => server?.onSortChange?.({ id, desc: sort?.id === id ? !sort.desc : false }),
    isSortable: (column: DataColumn<Row>) => column.sortable === true,
  };
  const sortables = columns.filter(view.isSortable);
  const isEmpty = rows !== undefined && pages.rowCount === 0;
  // A search, filter or order counts from the first time on, whatever is left of it (DF-82).
  const asked = JSON.stringify([search, props.filters && props.filters.count, sort]);
  const [first] = useState({ asked, sort });
  const [isAsked, setIsAsked] = useState(false);
  if (!isAsked && asked !== first.asked) setIsAsked(true);
  const body = () => {
    if (failed && onRetry) return <ErrorState onRetry={onRetry} pending={refreshing} />;
    if (rows === undefined) {
      return (
        <div role="status">
          <span className="sr-only">Chargement : {caption}</span>
          <div aria-hidden>
            {isCards ? <CardsSkeleton /> : <TableRows {...view} rows={undefined} isSortable={() => false} />}
          </div>
        </div>
      );
    }
    if (pages.rowCount === 0 && search === '') return empty;
    if (pages.rowCount === 0) {
      return (
        <NothingFound
          description={`Rien ne correspond à « ${search} ».`}
          clearLabel="Effacer la recherche"
          onClear={() => onSearch('')}
        />
      );
    }
    if (isDirectory) {
      // A lazy part has one type for the rows of all lists.
      const cards = { ...view, entry: directory, rows: pages.rows } as unknown as ComponentProps<typeof DirectoryCards>;
      return <DirectoryCards {...cards} />;
    }
    return isCards ? <RowCards {...view} rows={pages.rows} /> : <TableRows {...view} rows={pages.rows} />;
  };

  return (
    <div
      aria-busy={refreshing || undefined}
      className={clsx(
        'overflow-clip rounded-[9px]',
        // The room of the bar below, which takes more lines where the window is narrow.
        props.selection?.count && 'not-low:[--selection-bar:3.5rem] not-low:max-wide:[--selection-bar:9rem]',
      )}
    >
      <Toolbar
        {...props}
        search={search}
        onSearch={onSearch}
        isEmpty={isEmpty}
        isBare={isEmpty && !refreshing && !wasSearched && search === '' && !(props.filters && props.filters.count > 0)}
        sort={isCards && sortables.length > 0 && <CardSort columns={sortables} sort={sort} onSort={view.onSort} />}
      >
        {!isNarrow && directory !== undefined && <LayoutChoice label={caption} layout={layout} onChange={setLayout} />}
        {!isCards && props.name !== undefined && (
          <TableDisplay label={caption} columns={choosable} hidden={hidden} onHiddenChange={setHidden} />
        )}
      </Toolbar>
      {body()}
      {!failed && rows !== undefined && pages.page && (
        <div className="border-t border-hairline empty:hidden">
          <Pagination label={caption} page={pages.page} onMove={pages.onMove} />
        </div>
      )}
      {props.selection && wasSelected && (
        <SelectionBar count={props.selection.count} onClear={props.selection.clear}>
          {props.selection.bar}
        </SelectionBar>
      )}
      <p role="status" className="sr-only">
        {isAsked && rows !== undefined && !refreshing && (
          <RowsSaid count={pages.rowCount} columns={columns} sort={sort} first={first.sort} />
        )}
      </p>
    </div>
  );
}

type ToolbarProps<Row> = Pick<
  DataTableProps<Row>,
  'title' | 'lead' | 'searchLabel' | 'filters' | 'exporting' | 'views' | 'toolbar'
> & {
  search: string;
  onSearch: (text: string) => void;
  /** The order of cards. */
  sort: ReactNode;
  /** No row is left of the list. */
  isEmpty: boolean;
  /** Nothing is there and nothing was looked for: a search, a filter or an export would have nothing to work on. */
  isBare: boolean;
  /** Control of the table's display, last. */
  children: ReactNode;
};

const noTools: Partial<ToolbarProps<unknown>> = {};

/** Toolbar above the rows, on one line where there is room: title or tabs, search, filters, display. */
function Toolbar<Row>(props: ToolbarProps<Row>) {
  const { title, lead, toolbar, search, onSearch, isEmpty, isBare } = props;
  const { searchLabel, filters, exporting, views, sort, children } = isBare ? noTools : props;
  if (![title, lead, searchLabel, filters, exporting, views, toolbar, sort, children].some(Boolean)) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-hairline px-4 py-1.5 max-wide:gap-y-2 max-wide:py-3 max-sm:gap-y-1 max-sm:py-2 sm:px-5">
      {title && <h3 className="mr-2 min-w-0 py-2 text-lg">{title}</h3>}
      {/* Tabs have a line of their own over the search, but on the widest windows. */}
      {lead && <div className={clsx('flex min-w-0', searchLabel && 'w-full min-[1700px]:w-auto')}>{lead}</div>}
      {searchLabel && (
        <SearchInput
          label={searchLabel}
          value={search}
          onValueChange={onSearch}
          size="sm"
          className="min-w-0 flex-1 basis-28 sm:max-w-80 sm:basis-36"
        />
      )}
      <ListTools
        filters={filters}
        isSearched={search !== ''}
        isEmpty={isEmpty}
        sort={sort}
        exporting={exporting}
        views={views}
      >
        {toolbar}
        {children}
      </ListTools>
    </div>
  );
}

function CardsSkeleton() {
  return Array.from({ length: 5 }, (_, row) => (
    <div key={row} className="grid gap-2 border-b border-hairline px-4 py-4 last:border-0">
      <Skeleton className="h-5 w-40" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-full" />
    </div>
  ));
}
