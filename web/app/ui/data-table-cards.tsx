import clsx from 'clsx';
import { RowButton, useRowToggles, type TableRowsProps } from './data-table-rows.tsx';
import { RowCheckbox } from './row-checkbox.tsx';

type RowCardsProps<Row> = Omit<TableRowsProps<Row>, 'sort' | 'onSort' | 'isSortable'> & { rows: readonly Row[] };

/** The same rows where a table has no room: one card each, names beside values. */
export function RowCards<Row>({ caption, columns, rows, rowKey, link, selection }: RowCardsProps<Row>) {
  const title = columns.find((column) => column.card === 'title') ?? columns[0];
  const lines = columns.filter(
    (column) => column !== title && (column.card === undefined || column.card === 'line') && !column.headerHidden,
  );
  const feet = columns.filter(
    (column) => column !== title && (column.card === 'foot' || (column.headerHidden && column.card === undefined)),
  );
  const { toggle } = useRowToggles(rows, selection);
  return (
    <div>
      <ul aria-label={caption} className="divide-y divide-hairline">
        {rows.map((row, at) => (
          <li key={rowKey(row)} className="relative px-4 py-4">
            <div className={clsx('font-medium', selection && 'flex items-center gap-2')}>
              {selection && selection.canSelect?.(row) !== false && (
                <RowCheckbox
                  label={selection.label(row)}
                  checked={selection.has(row)}
                  onToggle={(isSelected, isRange) => toggle(at, isSelected, isRange)}
                />
              )}
              {title &&
                (link ? (
                  <RowButton row={row} link={link}>
                    {title.cell(row)}
                  </RowButton>
                ) : (
                  title.cell(row)
                ))}
            </div>
            <dl className="mt-2 grid items-baseline gap-1.5 md:max-wide:grid-cols-2 md:max-wide:gap-x-10">
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
