import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '#ui/error-state';
import { NothingFound } from '#ui/nothing-found';
import { Pagination, type ListPage } from '#ui/pagination';
import { Skeleton } from '#ui/skeleton';
import { countText } from './count-text.ts';

export interface CardListProps<Row> {
  /** Names the list for assistive tools. */
  label: string;
  query: {
    data: (ListPage & { rows: readonly Row[] }) | undefined;
    isError: boolean;
    isFetching: boolean;
    refetch: () => unknown;
  };
  rowKey: (row: Row) => string;
  card: (row: Row) => ReactNode;
  /** Nothing at all: an `<EmptyState>` with the screen's exact sentence. */
  empty: ReactNode;
  /** The search and filters in force, to tell « nothing yet » from « nothing found ». */
  filtered?: boolean | undefined;
  onClearFilters?: (() => void) | undefined;
  onMove: (mark: string) => void;
}

/** A list of cards, a page at a time: the same three states as a table, that never look alike. */
export function CardList<Row>({
  label,
  query,
  rowKey,
  card,
  empty,
  filtered = false,
  onClearFilters,
  onMove,
}: CardListProps<Row>) {
  const { t } = useTranslation();
  const { data } = query;
  if (data === undefined) {
    if (query.isError) {
      return (
        <Sheet>
          <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
        </Sheet>
      );
    }
    return (
      <div role="status" className={gridClass}>
        <span className="sr-only">{t('Chargement : {{label}}', { label })}</span>
        {Array.from({ length: 6 }, (_, index) => (
          <Skeleton key={index} className="h-44 w-full rounded-card" />
        ))}
      </div>
    );
  }
  if (data.rowCount === 0) {
    return (
      <Sheet>
        {filtered ? (
          <NothingFound description={t('Rien ne correspond à votre recherche.')} onClear={onClearFilters} />
        ) : (
          empty
        )}
      </Sheet>
    );
  }
  return (
    <div aria-busy={query.isFetching || undefined}>
      <ul aria-label={label} className={gridClass}>
        {data.rows.map((row) => (
          <li key={rowKey(row)} className="min-w-0">
            {card(row)}
          </li>
        ))}
      </ul>
      <div className="mt-4">
        <Pagination label={label} page={data} onMove={onMove} />
      </div>
      {filtered && (
        <p role="status" className="sr-only">
          {countText(data.rowCount, t('résultat'), t('résultats'))}
        </p>
      )}
    </div>
  );
}

function Sheet({ children }: { children: ReactNode }) {
  return <div className="rounded-card border border-hairline bg-sheet">{children}</div>;
}

const gridClass = 'grid gap-3 sm:grid-cols-2 lg:gap-4 xl:grid-cols-3';
