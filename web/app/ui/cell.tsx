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
  /** Standing alone, a name is never cut: its row has the height for its lines; a very long word gets a hyphen. */
  isName?: boolean | undefined;
  className?: string | undefined;
}

/**
 * A text in a table, cut with an ellipsis where its room ends and whole in its title: two lines where it stands alone, as a
 * row has that height anyway, one over a second line and in compact rows. On a card it is never cut.
 */
export function Cell({ text, second, secondNode, whole = false, isName = false, className }: CellProps) {
  const hasSecond = (second !== undefined && second !== null && second !== '') || Boolean(secondNode);
  const cut = whole ? 'block wrap-anywhere' : lineClass;
  return (
    <>
      <span
        title={text ?? undefined}
        className={clsx(
          'min-w-0',
          whole || hasSecond ? cut : isName ? nameLinesClass : linesClass,
          text === null && 'text-encre-faint',
          className,
        )}
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

const lineClass = 'block wide:truncate max-wide:wrap-anywhere';
const freeLinesClass = 'block wrap-anywhere wide:leading-[1.125rem] group-data-[density=compact]/table:line-clamp-1';
const linesClass = `${freeLinesClass} wide:line-clamp-2`;
const nameLinesClass = `${freeLinesClass} wide:my-[3px] hyphens-auto [hyphenate-limit-chars:14_5_5]`;
const secondLineClass = 'min-w-0 text-xs font-normal text-encre-soft group-data-[density=compact]/table:hidden';
