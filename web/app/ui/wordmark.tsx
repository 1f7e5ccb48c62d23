import clsx from 'clsx';

/** « Parrain », the dot of its i in sapin: the letter itself, painted in two colours from the height of its dot. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={clsx('font-heading font-bold tracking-[-0.045em] select-none', className)}>
      Parra<span className="wordmark-i">i</span>n
    </span>
  );
}
