import clsx from 'clsx';
import type { ReactNode } from 'react';
import { Avatar } from './avatar.tsx';
import { RowButton, useRowToggles, type TableRowsProps } from './data-table-rows.tsx';
import { RowCheckbox } from './row-checkbox.tsx';

/** A person of a list that is a directory. */
export interface DirectoryEntry {
  name: string;
  /** Under the name: a company, a state. */
  note?: ReactNode;
  /** Ways to reach them, and since when they are there; one a line. */
  lines: readonly ReactNode[];
  /** Figures of what they brought in, in one quiet line. */
  figures: ReactNode;
}

type DirectoryCardsProps<Row> = Pick<TableRowsProps<Row>, 'caption' | 'columns' | 'rowKey' | 'link' | 'selection'> & {
  rows: readonly Row[];
  entry: (row: Row) => DirectoryEntry;
};

/** People as cards: initials, name, contact, figures, and the buttons that their row has. */
export default function DirectoryCards<Row>(props: DirectoryCardsProps<Row>) {
  const { caption, columns, rows, rowKey, link, selection, entry } = props;
  const { toggle, keys } = useRowToggles(rows, selection);
  const buttons = columns.filter((column) => column.headerHidden);
  return (
    // Keys of the card that has the focus: its links and buttons are the controls.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul aria-label={caption} className={gridClass} onKeyDown={keys}>
      {rows.map((row, at) => {
        const { name, note, lines, figures } = entry(row);
        return (
          <li key={rowKey(row)} className={clsx('group relative flex flex-col', cardClass, link && 'hover:bg-papier')}>
            <div className="flex items-start gap-3">
              <Avatar name={name} />
              <div className="min-w-0 flex-1 wrap-anywhere">
                {link ? (
                  <RowButton row={row} link={link}>
                    {name}
                  </RowButton>
                ) : (
                  <p className="font-medium">{name}</p>
                )}
                {note !== undefined && note !== null && <p className="text-sm text-encre-soft">{note}</p>}
              </div>
              {selection && selection.canSelect?.(row) !== false && (
                <RowCheckbox
                  label={selection.label(row)}
                  checked={selection.has(row)}
                  onToggle={(isSelected, isRange) => toggle(at, isSelected, isRange)}
                />
              )}
            </div>
            <ul className="mt-2 grid gap-0.5 text-sm text-encre-soft [&_a]:relative [&_a]:z-1">
              {lines.map((line, index) => (
                // Their places are fixed: address, telephone, day.
                // oxlint-disable-next-line react/no-array-index-key
                <li key={index} className="min-w-0">
                  {line}
                </li>
              ))}
            </ul>
            <div className="mt-auto flex items-end justify-between gap-2 pt-2">
              <p className="min-w-0 py-1.5 text-sm text-encre-faint">{figures}</p>
              <div className="relative z-1 -mr-2 flex shrink-0">
                {buttons.map((column) => (
                  <div key={column.id} className="contents">
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

// The last column's and the last row's lines fall under the edge of the list.
const gridClass = '-mr-px -mb-px grid sm:grid-cols-2 xl:grid-cols-3';
const cardClass = 'border-r border-b border-hairline px-4 py-3 sm:px-5';
