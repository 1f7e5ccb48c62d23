import clsx from 'clsx';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

export interface FigureCardProps {
  /** The figure's name: « CA Total ». */
  label: string;
  /** The figure: a number, an `<Amount size="lg">`; undefined while it loads. */
  value: ReactNode | undefined;
  /** Since when, or of what: « depuis le 3 mars 2026 »; where it is given, undefined while it loads, and its line is kept free. */
  note?: ReactNode;
  icon?: ReactNode;
  /** Leads to the rows behind the figure. */
  action?: { label: string; onClick: () => void } | undefined;
  /** `due`: it waits for you; `yours`: money that is yours. */
  tone?: 'plain' | 'due' | 'yours' | undefined;
  /** The figure could not be loaded: says so instead of showing 0. */
  failed?: boolean | undefined;
}

/** One figure: what, how much, since when, and the way to the rows behind it. */
export function FigureCard(props: FigureCardProps) {
  const { label, value, icon, action, tone = 'plain', failed = false } = props;
  const isNoteAwaited = 'note' in props && props.note === undefined && value === undefined && !failed;
  const note = isNoteAwaited ? <Skeleton className="h-[1lh] w-32 max-w-full" /> : props.note;
  return (
    <div
      className={clsx(
        'relative flex min-w-0 flex-col gap-1 rounded-card border p-4 max-[420px]:py-3 sm:p-5',
        tone === 'yours' ? 'border-sapin/35 bg-sapin-tint' : 'border-hairline bg-sheet',
        action && 'transition-colors duration-120 hover:border-edge/70',
      )}
    >
      {/* On a phone the figure ends its name's line: four figures and the first rows hold on one screen. */}
      <dl className="min-w-0 max-[420px]:flex max-[420px]:flex-wrap max-[420px]:items-center max-[420px]:justify-between max-[420px]:gap-x-4">
        <dt className="flex items-center gap-2 text-sm text-encre-soft">
          {icon && <span className="text-encre-faint [&_svg]:size-4">{icon}</span>}
          <span className="min-w-0">{label}</span>
          {tone === 'due' && <span aria-hidden className="ml-auto size-2 rounded-full bg-corail" />}
        </dt>
        <dd className="tabular-digits mt-1.5 font-heading text-xl font-semibold tracking-tight max-[420px]:mt-0">
          {failed ? (
            <span className="text-base font-normal text-danger">Non chargé</span>
          ) : (
            (value ?? <Skeleton className="h-8 w-24" />)
          )}
        </dd>
        {note && <dd className="mt-1 text-sm text-encre-faint max-[420px]:mt-0 max-[420px]:basis-full">{note}</dd>}
      </dl>
      {action && (
        <button
          type="button"
          data-screen-only=""
          onClick={action.onClick}
          className="mt-auto inline-flex items-center gap-1 self-start pt-2 text-sm font-medium max-[420px]:pt-0 text-sapin after:absolute after:inset-0 after:rounded-card hover:text-sapin-strong"
        >
          {action.label}
          <ArrowRight aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}

/** The row of figures at the top of a section: whole rows, never three figures and one alone. */
export function FigureGrid({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-3 max-[420px]:grid-cols-1 min-[600px]:max-lg:has-[>:nth-child(3):last-child]:grid-cols-3 lg:grid-cols-[repeat(auto-fit,minmax(13rem,1fr))] lg:gap-4 lg:has-[>:nth-child(6):last-child]:grid-cols-3 lg:max-xl:has-[>:nth-child(4):last-child]:grid-cols-2">
      {children}
    </div>
  );
}
