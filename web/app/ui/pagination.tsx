import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from './icon-button.tsx';

export interface PaginationProps {
  /** The list whose pages these are: a screen may hold several, and each landmark needs a name of its own. */
  label: string;
  /** From 0. */
  page: number;
  pageCount: number;
  rowCount: number;
  pageSize: number;
  onPageChange: (page: number) => void;
}

/** « 26–50 sur 132 », before and after. Nothing where one page holds everything. */
export function Pagination({ label, page, pageCount, rowCount, pageSize, onPageChange }: PaginationProps) {
  if (pageCount <= 1) return null;
  const from = page * pageSize + 1;
  const to = Math.min(rowCount, (page + 1) * pageSize);
  return (
    <nav aria-label={`Pages : ${label}`} className="flex items-center justify-between gap-4 px-4 py-2.5 sm:px-5">
      <p className="figures text-sm text-encre-soft" aria-live="polite">
        {from}–{to} sur {rowCount.toLocaleString('fr-FR')}
      </p>
      <div className="flex gap-1">
        <IconButton
          label="Page précédente"
          icon={<ChevronLeft />}
          disabled={page === 0}
          onClick={() => onPageChange(page - 1)}
        />
        <IconButton
          label="Page suivante"
          icon={<ChevronRight />}
          disabled={page >= pageCount - 1}
          onClick={() => onPageChange(page + 1)}
        />
      </div>
    </nav>
  );
}
