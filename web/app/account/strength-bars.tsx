import clsx from 'clsx';
import type { ReactNode } from 'react';

interface StrengthBarsProps {
  /** Of three. */
  lit: 0 | 1 | 2 | 3;
  children: ReactNode;
}

/** Three bars over the words that say the same. */
export function StrengthBars({ lit, children }: StrengthBarsProps) {
  return (
    <span className="block">
      <span aria-hidden className="mb-1.5 flex gap-1">
        {[1, 2, 3].map((step) => (
          <span
            key={step}
            className={clsx(
              'h-1 flex-1 rounded-full transition-colors duration-160',
              lit < step ? 'bg-hairline' : lit === 1 ? 'bg-amber' : 'bg-sapin',
            )}
          />
        ))}
      </span>
      {children}
    </span>
  );
}
