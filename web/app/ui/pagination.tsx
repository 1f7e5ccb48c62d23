import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './icon-button.tsx';

/** A page of a list and where it can lead: marks that only the list understands, null where there is no such page. */
export interface ListPage {
  rows: { readonly length: number };
  /** Number of rows in the whole list. */
  rowCount: number;
  /** Number of rows before the page; null where that is not known. */
  from: number | null;
  first: string | null;
  previous: string | null;
  next: string | null;
  last: string | null;
  /** Another page is being read: this one leads nowhere. */
  isPrevious?: boolean | undefined;
}

export interface PaginationProps {
  /** The list whose pages these are: a screen may hold several, and each landmark needs a name of its own. */
  label: string;
  page: ListPage;
  /** Gets the mark of the page to go to. */
  onMove: (mark: string) => void;
}

/** « 26–50 sur 1 132 », and the first, previous, next and last page (NV-07). Nothing where one page holds everything. */
export function Pagination({ label, page, onMove }: PaginationProps) {
  const { rows, rowCount, from } = page;
  if (page.previous === null && page.next === null) return null;
  const total = rowCount.toLocaleString('fr-FR');
  const button = (name: string, icon: ReactNode, to: string | null) => {
    const mark = page.isPrevious ? null : to;
    return (
      <IconButton
        label={`${name} : ${label}`}
        icon={icon}
        // It keeps the focus where it leads nowhere any more: the keyboard stays in the list.
        aria-disabled={mark === null}
        onClick={() => mark !== null && onMove(mark)}
        // A page that comes quickly dims nothing.
        className="aria-disabled:cursor-default aria-disabled:transition-opacity aria-disabled:delay-150 aria-disabled:opacity-40 aria-disabled:hover:bg-transparent aria-disabled:hover:text-encre-soft max-sm:size-11"
      />
    );
  };
  return (
    <nav
      aria-label={`Pages : ${label}`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 sm:px-5"
    >
      <p className="tabular-digits text-sm text-encre-soft" aria-live="polite">
        {from === null
          ? `${total} au total`
          : `${(from + 1).toLocaleString('fr-FR')}–${(from + rows.length).toLocaleString('fr-FR')} sur ${total}`}
      </p>
      <div className="flex gap-1 max-sm:-mx-2">
        {button('Première page', <ChevronFirst />, page.first)}
        {button('Page précédente', <ChevronLeft />, page.previous)}
        {button('Page suivante', <ChevronRight />, page.next)}
        {button('Dernière page', <ChevronLast />, page.last)}
      </div>
    </nav>
  );
}
