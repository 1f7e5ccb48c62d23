import { groupThousands } from '@parrain/domain/money';
import { ArrowRight, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Skeleton } from '#ui/skeleton';

/** People named in their line; the list has them all. */
export const namedMax = 3;

interface LineProps {
  count: number | undefined;
  waiting: ReactNode;
  icon: ReactNode;
  one: string;
  many: string;
  action: string;
  onOpen: () => void;
}

/** One line of « À faire »: how many wait, and where they are decided. */
export function Line({ count, waiting, icon, one, many, action, onOpen }: LineProps) {
  if (count === undefined) {
    return (
      <li className="flex h-16 items-center px-5 max-sm:h-28">
        <Skeleton className="h-5 w-56" />
      </li>
    );
  }
  const waits = count > 0;
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="group flex min-h-16 w-full items-center gap-4 px-5 py-3 text-left -outline-offset-2 transition-colors duration-120 hover:bg-papier"
      >
        <span aria-hidden className={waits ? 'text-corail [&_svg]:size-5' : 'text-encre-faint [&_svg]:size-5'}>
          {waits ? icon : <CircleCheck aria-hidden />}
        </span>
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5">
          <span className="flex min-w-0 items-baseline gap-x-2.5">
            <span
              className={
                waits
                  ? 'tabular-digits min-w-8 font-heading text-xl font-semibold'
                  : 'tabular-digits min-w-8 font-heading text-xl font-semibold text-encre-faint'
              }
            >
              {groupThousands(String(count))}
            </span>{' '}
            <span className={waits ? 'min-w-0 text-encre' : 'min-w-0 text-encre-soft'}>{count > 1 ? many : one}</span>
          </span>{' '}
          {waits && waiting !== undefined && (
            <span className="min-w-0 text-sm wrap-anywhere tabular-nums text-encre-faint">{waiting}</span>
          )}
        </span>
        {waits && (
          <span className="flex shrink-0 items-center gap-1.5 text-sm font-medium text-sapin group-hover:text-sapin-strong">
            <span className="max-sm:sr-only">{action}</span>
            <ArrowRight aria-hidden className="size-4" />
          </span>
        )}
      </button>
    </li>
  );
}
