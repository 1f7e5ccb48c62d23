import clsx from 'clsx';

/** « Parrain », the dot of its i in sapin: an ı without dot, and the dot drawn over it. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={clsx('font-heading font-bold tracking-[-0.045em] select-none', className)}>
      <span className="sr-only">Parrain</span>
      <span aria-hidden>
        Parra
        <span className="relative inline-block">
          ı
          <span className="absolute top-[0.15em] left-1/2 size-[0.2em] -translate-x-1/2 rounded-full bg-sapin" />
        </span>
        n
      </span>
    </span>
  );
}
