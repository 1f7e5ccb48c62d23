import clsx from 'clsx';
import type { ReactNode } from 'react';

export interface CellProps {
  /** The cell's text, or null where there is none. */
  text: string | null;
  /** A quieter line under it; left out of compact rows. */
  second?: string | null | undefined;
  /** A line of more than text. */
  secondNode?: ReactNode;
  /** Never cut: what has no room goes on under itself. */
  whole?: boolean | undefined;
  className?: string | undefined;
}

/** A text in a table: one line, cut with an ellipsis where the column ends, whole in its title. On a card it is never cut. */
export function Cell({ text, second, secondNode, whole = false, className }: CellProps) {
  const cut = whole ? 'wrap-anywhere' : 'wide:truncate max-wide:wrap-anywhere';
  return (
    <>
      <span
        title={text ?? undefined}
        className={clsx('block min-w-0', cut, text === null && 'text-encre-faint', className)}
      >
        {text ?? '—'}
      </span>
      {second !== undefined && second !== null && second !== '' && (
        <span title={second} className={clsx(secondLineClass, cut)}>
          {second}
        </span>
      )}
      {secondNode && <span className={clsx(secondLineClass, cut)}>{secondNode}</span>}
    </>
  );
}

const secondLineClass = 'block min-w-0 text-xs font-normal text-encre-soft group-data-[density=compact]/table:hidden';
