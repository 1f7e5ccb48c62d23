import { french } from '@parrain/domain/typography';
import clsx from 'clsx';

import sizes from './sizes.json';

type Name = keyof typeof sizes;
const files = import.meta.glob<string>('./*.webp', { eager: true, query: '?url&no-inline', import: 'default' });

/**
 * A picture of the product, taken by `npm run landing-pictures`, in the theme of the page: the other one is not fetched, being
 * lazy and not displayed. Told in words to those who do not see it.
 */
export function Picture({ name, label, className }: { name: Name; label: string; className?: string }) {
  return (
    <figure
      role="img"
      aria-label={french(label)}
      className={clsx('overflow-hidden border-hairline bg-sheet', className)}
    >
      {(['light', 'dark'] as const).map((theme) => (
        <img
          key={theme}
          src={files[`./${name}-${theme}.webp`]}
          alt=""
          loading="lazy"
          decoding="async"
          {...sizes[name]}
          className={`h-auto w-full picture-${theme}`}
        />
      ))}
    </figure>
  );
}
