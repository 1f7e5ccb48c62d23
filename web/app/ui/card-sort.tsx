import clsx from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Button } from './button.tsx';
import type { DataSort } from './data-table.tsx';
import { controlClass } from './field.tsx';

interface CardSortProps {
  columns: readonly { id: string; header: string }[];
  sort: DataSort | undefined;
  onSort: (id: string) => void;
}

/** The order of cards, which have no head to press. */
export default function CardSort({ columns, sort, onSort }: CardSortProps) {
  return (
    <div data-screen-only="" className="flex items-center gap-2">
      {/* The browser's own list: at home on a phone, and no code to wait for. */}
      <select
        aria-label="Trier par"
        value={sort?.id ?? ''}
        onChange={(event) => onSort(event.target.value)}
        className={clsx(controlClass, 'tap-target h-9 w-auto! min-w-0 text-sm max-sm:flex-1 sm:max-w-56')}
      >
        {!columns.some(({ id }) => id === sort?.id) && <option value="">Trier par…</option>}
        {columns.map((column) => (
          <option key={column.id} value={column.id}>
            {column.header}
          </option>
        ))}
      </select>
      {sort && (
        <Button size="sm" icon={sort.desc ? <ArrowDown /> : <ArrowUp />} onClick={() => onSort(sort.id)}>
          <span className="wide:sr-only">{sort.desc ? 'Décroissant' : 'Croissant'}</span>
        </Button>
      )}
    </div>
  );
}
