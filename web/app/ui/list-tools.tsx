import clsx from 'clsx';
import { ListFilter } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { lazyPart } from './lazy-part.tsx';
import { narrowQuery, useMedia } from './use-media.tsx';

// Of phones and tablets alone, and few open it.
const ListSheet = lazyPart(() => import('./list-sheet.tsx'));

/** Filters of a list, besides its search. */
export interface ListFilters {
  controls: ReactNode;
  /** Number of filters that narrow the list. */
  count: number;
  /** Forgets them all, and the search. */
  clear: () => void;
}

export interface ListToolsProps {
  filters?: ListFilters | false | undefined;
  /** The search narrows the list: it can be forgotten with the filters. */
  isSearched?: boolean | undefined;
  /** No row is left: the list itself offers the way out of its filters. */
  isEmpty?: boolean | undefined;
  /** The order of the rows, where no head of a table sorts them. */
  sort?: ReactNode;
  /** « Exporter ». */
  exporting?: ReactNode;
  /** The menu of the list's views. */
  views?: ReactNode;
  /** Tools that are always in sight. */
  children?: ReactNode;
}

/**
 * Tools beside the search of a list. Where rows are cards, filters, order and export are in a sheet, behind one button that says how many
 * filters narrow the list: the rows begin one line below its head (NV-06).
 */
export function ListTools({
  filters,
  isSearched = false,
  isEmpty = false,
  sort,
  exporting,
  views,
  children,
}: ListToolsProps) {
  const isNarrow = useMedia(narrowQuery);
  // Undefined until it is asked for; then the sheet stays, for the export that goes on behind it.
  const [isOpen, setIsOpen] = useState<boolean>();
  const count = filters ? filters.count : 0;
  const isSheet = isNarrow && Boolean(filters || sort);
  const verb = filters ? 'Filtrer' : 'Trier';
  return (
    <div className="ml-auto flex min-w-0 flex-wrap items-center gap-2 empty:hidden">
      {isSheet ? (
        <>
          <Button
            size="sm"
            icon={<ListFilter aria-hidden />}
            aria-haspopup="dialog"
            aria-expanded={isOpen ?? false}
            onPointerEnter={() => void ListSheet.load()}
            onFocus={() => void ListSheet.load()}
            onClick={() => setIsOpen(true)}
            className={clsx('h-9! gap-1.5!', count > 0 && 'border-sapin! bg-sapin-tint! text-sapin-strong!')}
          >
            {verb}
            {count > 0 && (
              <>
                <span aria-hidden className="tabular-digits">
                  {count}
                </span>
                <span className="sr-only">{`: ${count} ${count > 1 ? 'filtres actifs' : 'filtre actif'}`}</span>
              </>
            )}
          </Button>
          {isOpen !== undefined && (
            <ListSheet
              open={isOpen}
              onClose={() => setIsOpen(false)}
              title={filters && sort ? 'Filtrer et trier' : verb}
              onClear={filters && (count > 0 || isSearched) ? filters.clear : undefined}
            >
              {filters && filters.controls}
              {sort}
              {exporting && <div className="flex flex-wrap gap-2 border-t border-hairline pt-4">{exporting}</div>}
            </ListSheet>
          )}
        </>
      ) : (
        <>
          {filters && filters.controls}
          {/* Its room is kept: a filter that is set moves no row. */}
          {filters && (
            <span className="size-9">
              {(isSearched || (count > 0 && !isEmpty)) && (
                <IconButton label="Tout effacer" icon="✕" onClick={filters.clear} />
              )}
            </span>
          )}
          {sort}
          {exporting}
        </>
      )}
      {views}
      {children}
    </div>
  );
}
