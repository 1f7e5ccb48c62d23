import clsx from 'clsx';

/** The shape of what is coming; appears after 200 ms only. Give it a size: `<Skeleton className="h-4 w-32" />`. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className="animate-late block">
      <span className={clsx('animate-breathe block rounded-[6px] bg-well', className)} />
    </span>
  );
}
