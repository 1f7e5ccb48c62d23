import clsx from 'clsx';
import type { ReactNode } from 'react';

export type BadgeTone = 'neutral' | 'amber' | 'blue' | 'indigo' | 'purple' | 'green' | 'green-filled' | 'red';

export interface BadgeProps {
  tone: BadgeTone;
  /** A lucide icon: a status is a colour, an icon and a word, never a colour alone. */
  icon: ReactNode;
  children: ReactNode;
  className?: string | undefined;
}

/** A status: tone, icon and word. In a table it leaves room for a line under it, in a row of 44 px. */
export function Badge({ tone, icon, children, className }: BadgeProps) {
  return (
    <span
      className={clsx(
        'inline-flex max-w-full items-center gap-1.5 rounded-[13px] py-0.5 group-data-[density]/table:py-0 group-data-[density]/table:align-middle pr-2.5 pl-2 text-sm font-medium [&_svg]:size-3.5 [&_svg]:shrink-0',
        tones[tone],
        className,
      )}
    >
      {icon}
      <span className="min-w-0">{children}</span>
    </span>
  );
}

const tones: Record<BadgeTone, string> = {
  neutral: 'bg-neutral-tint text-neutral',
  amber: 'bg-amber-tint text-amber',
  blue: 'bg-blue-tint text-blue',
  indigo: 'bg-indigo-tint text-indigo',
  purple: 'bg-purple-tint text-purple',
  green: 'bg-green-tint text-green',
  'green-filled': 'bg-sapin text-on-sapin',
  red: 'bg-red-tint text-red',
};
