import clsx from 'clsx';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { useCallback, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { lettersAreOn } from './letters.tsx';
import type { DataColumn, DataSort, RowLink, SelectableRows } from './data-table.tsx';
import { RecordLink } from './record-link.tsx';
import { RowCheckbox } from './row-checkbox.tsx';
import { Skeleton } from './skeleton.tsx';
import { useDensity } from './table-preferences.tsx';

export interface TableRowsProps<Row> {
  caption: string;
  columns: readonly DataColumn<Row>[];
  /** undefined while loading: the head stands over rows that are still to come. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  link: RowLink<Row> | undefined;
  selection: SelectableRows<Row> | undefined;
  sort: DataSort | undefined;
  onSort: (id: string) => void;
  isSortable: (column: DataColumn<Row>) => boolean;
}

/**
 * The rows as a table. Where it is wider than its place it scrolls sideways in a region of its own, its buttons pinned
 * to the right edge; where it fits, its head stays under the page's header.
 */
export function TableRows<Row>(props: TableRowsProps<Row>) {
  const { caption, columns, rows, rowKey, link, selection } = props;
  const captionId = useId();
  const { toggle, keys, page } = useRowToggles(rows, selection);
  const hasTotals = rows !== undefined && columns.some((column) => column.total !== undefined);
  const cellClasses = columns.map((column, index) =>
    clsx(
      cellClass,
      'group-last/row:border-b-0',
      roomOf(column),
      column.align === 'right' && 'text-right',
      // Buttons of a row stay above the button that covers it.
      link && index > 0 && '[&_a]:relative [&_a]:z-1 [&_button]:relative [&_button]:z-1',
      isPinned(column) && clsx(pinnedClass, 'z-1 group-hover/row:bg-papier'),
    ),
  );
  return (
    <ScrollRegion labelledBy={captionId} isLoading={rows === undefined}>
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption id={captionId} className="sr-only">
          {caption}
        </caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={clsx(headClass, 'z-2 w-0 pr-0!')}>
                <RowCheckbox
                  label="Sélectionner toute la page"
                  checked={page.isWhole}
                  mixed={page.isPartial}
                  disabled={page.rows.length === 0}
                  onToggle={(isSelected) => selection.set(page.rows, isSelected)}
                />
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} {...props} column={column} />
            ))}
          </tr>
        </thead>
        {/* Keys of the row that has the focus: its links and buttons are the controls. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody onKeyDown={keys}>
          {rows === undefined
            ? Array.from({ length: 12 }, (_, index) => (
                <tr key={index} aria-hidden className={rowHeightClass}>
                  {selection && (
                    <td className={clsx(cellClass, 'pr-0!')}>
                      <Skeleton className="size-4" />
                    </td>
                  )}
                  {columns.map((column, at) => (
                    <td key={column.id} className={clsx(cellClass, roomOf(column))}>
                      <Skeleton
                        className={clsx('h-4', at === 0 ? 'w-36' : 'w-16', column.align === 'right' && 'ml-auto')}
                      />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row, at) => (
                <tr
                  key={rowKey(row)}
                  className={clsx('group/row', rowBoxClass, rowHeightClass, link && 'hover:bg-papier')}
                >
                  {selection && (
                    <td className={clsx(cellClass, 'w-0 pr-0! group-last/row:border-b-0')}>
                      {selection.canSelect?.(row) !== false && (
                        <RowCheckbox
                          label={selection.label(row)}
                          checked={selection.has(row)}
                          onToggle={(isSelected, isRange) => toggle(at, isSelected, isRange)}
                        />
                      )}
                    </td>
                  )}
                  {columns.map((column, index) => {
                    const cell = column.cell(row);
                    if (index > 0) {
                      return (
                        <td key={column.id} className={cellClasses[index]}>
                          {cell}
                        </td>
                      );
                    }
                    // Names the row to whoever moves through a column by ear.
                    return (
                      <th key={column.id} scope="row" className={clsx(cellClasses[0], 'text-left font-normal')}>
                        {link ? (
                          <RowButton row={row} link={link}>
                            {cell}
                          </RowButton>
                        ) : (
                          cell
                        )}
                      </th>
                    );
                  })}
                </tr>
              ))}
        </tbody>
        {hasTotals && (
          <tfoot>
            <tr className={rowHeightClass}>
              {columns.map((column, index) => {
                const total = column.total ?? (index === 0 && 'Total');
                const className = clsx(
                  'border-t border-edge/60 px-2 roomy:px-3 font-medium whitespace-nowrap first:pl-5 last:pr-5',
                  column.align === 'right' && 'text-right',
                  hiddenUntil(column),
                  isPinned(column) && pinnedTotalClass,
                );
                // The first one names the row, and stands under the checkboxes too.
                return index === 0 ? (
                  <th
                    key={column.id}
                    scope="row"
                    colSpan={selection ? 2 : undefined}
                    className={clsx('text-left', className)}
                  >
                    {total}
                  </th>
                ) : (
                  <td key={column.id} className={className}>
                    {total}
                  </td>
                );
              })}
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollRegion>
  );
}

/** Scroll container of a table. It alone is drawn again once its width is known, and not the rows. */
function ScrollRegion(props: { labelledBy: string; isLoading: boolean; children: ReactNode }) {
  const [density] = useDensity();
  const [scrolls, watchWidth] = useOverflow();
  return (
    <div
      ref={watchWidth}
      role="region"
      aria-labelledby={props.labelledBy}
      // It scrolls sideways where it must: the keyboard can reach it to do so.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={scrolls && !props.isLoading ? 0 : undefined}
      data-density={density}
      data-scrolls={scrolls ? '' : undefined}
      className={clsx(
        'group/table outline-offset-[-2px]',
        // Inside a region that scrolls, « sticky » counts from the region's own top: the page's header is outside.
        scrolls ? 'overflow-x-auto [--head-top:0px]' : '[--head-top:var(--sticky-top,0px)]',
      )}
    >
      {props.children}
    </div>
  );
}

type HeadCellProps<Row> = Pick<TableRowsProps<Row>, 'sort' | 'onSort' | 'isSortable'> & { column: DataColumn<Row> };

function HeadCell<Row>({ column, sort, onSort, isSortable }: HeadCellProps<Row>) {
  const isSorted = sort?.id === column.id;
  const direction = isSorted ? (sort.desc ? 'descending' : 'ascending') : 'none';
  return (
    <th
      scope="col"
      aria-sort={isSortable(column) ? direction : undefined}
      className={clsx(
        headClass,
        column.align === 'right' && 'text-right',
        hiddenUntil(column),
        isPinned(column) ? 'right-0 z-3' : 'z-2',
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
            // The word of a column of numbers ends where the numbers end.
            column.align === 'right' && 'flex-row-reverse',
            isSorted && 'text-encre',
          )}
        >
          {column.header}
          <SortIcon active={isSorted} desc={isSorted && sort.desc} />
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

/** The first cell of a row, stretched over all of it: a link where the row has an address of its own, else a button. */
export function RowButton<Row>({ row, link, children }: { row: Row; link: RowLink<Row>; children: ReactNode }) {
  return (
    <RecordLink href={link.href(row)} onOpen={() => link.onOpen(row)} className={rowButtonClass}>
      {children}
    </RecordLink>
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

/** Selection of the rows of a page: one by one, a range with shift, by X where the focus is, none by Escape. */
export function useRowToggles<Row>(rows: readonly Row[] | undefined, selection: SelectableRows<Row> | undefined) {
  const [lastAt, setLastAt] = useState<number>();
  const selectable = (rows ?? []).filter((row) => selection?.canSelect?.(row) !== false);
  const selectedCount = selectable.filter((row) => selection?.has(row)).length;
  const toggle = (at: number, isSelected: boolean, isRange: boolean) => {
    const from = isRange && lastAt !== undefined ? lastAt : at;
    const taken = (rows ?? []).slice(Math.min(from, at), Math.max(from, at) + 1);
    selection?.set(
      taken.filter((row) => selectable.includes(row)),
      isSelected,
    );
    setLastAt(at);
  };
  return {
    toggle,
    page: {
      rows: selectable,
      isWhole: selectable.length > 0 && selectedCount === selectable.length,
      isPartial: selectedCount > 0 && selectedCount < selectable.length,
    },
    keys: (event: KeyboardEvent<HTMLElement>) => {
      if (!selection || event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement))
        return;
      if (event.key === 'Escape' && selection.count > 0) selection.clear();
      if ((event.key !== 'x' && event.key !== 'X') || !lettersAreOn()) return;
      const element = event.target.closest('tr, li');
      const at = element ? [...event.currentTarget.children].indexOf(element) : -1;
      const row = rows?.[at];
      if (row !== undefined && selectable.includes(row)) toggle(at, !selection.has(row), event.shiftKey);
    },
  };
}

/** Buttons of a row stay in sight, however wide the table. */
function isPinned(column: { headerHidden?: boolean | undefined }): boolean {
  return column.headerHidden === true;
}

/** If the content of an element is wider than it, and a ref for that element. */
function useOverflow(): [boolean, (element: HTMLElement | null) => (() => void) | undefined] {
  const [overflows, setOverflows] = useState(false);
  const watch = useCallback((element: HTMLElement | null) => {
    const content = element?.firstElementChild;
    if (!element || !content) return undefined;
    let before = false;
    // Called first before the first frame, and after each layout that changed a width: measuring here costs no layout of its own.
    const observer = new ResizeObserver(() => {
      const now = content.getBoundingClientRect().width > element.clientWidth + 1;
      if (now === before) return;
      before = now;
      flushSync(() => setOverflows(now));
    });
    observer.observe(element);
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  return [overflows, watch];
}

/** Texts of free length share what the other columns leave, and are cut where their column ends. */
const widths = {
  content: 'whitespace-nowrap',
  medium: 'w-1/5 max-w-0 min-w-28.5',
  wide: 'w-2/5 max-w-0 min-w-38',
  address: 'w-3/5 max-w-0 min-w-53',
} as const;

/** The width of a column's cells, and the windows that have them. */
function roomOf<Row>(column: DataColumn<Row>): string {
  return clsx(widths[column.width ?? 'content'], hiddenUntil(column));
}

function hiddenUntil<Row>({ from }: DataColumn<Row>): string | undefined {
  return from && hiddenClasses[from];
}

const hiddenClasses = {
  '1280px': 'max-xl:hidden',
  '1400px': 'max-roomy:hidden',
  '1700px': 'max-[1700px]:hidden',
} as const;
/**
 * Containing block of a row's own link. WebKit positions no `tr`, and the last row's link would cover the window; a transform holds
 * in every engine.
 */
export const rowBoxClass = '[transform:translate(0)]';
const headClass =
  'sticky top-(--head-top) h-9 border-b border-hairline bg-sheet px-2 roomy:px-3 text-sm font-medium whitespace-nowrap text-encre-soft first:pl-5 last:pr-5';
const rowHeightClass = 'h-11 group-data-[density=compact]/table:h-9';
const cellClass = 'border-b border-hairline px-2 roomy:px-3 align-middle first:pl-5 last:pr-5';
const pinnedTotalClass = 'sticky right-0 bg-sheet group-data-scrolls/table:border-l';
const pinnedClass = `${pinnedTotalClass} border-hairline`;
const rowButtonClass =
  'block w-full min-w-0 text-left font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-[6px] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-sapin';
