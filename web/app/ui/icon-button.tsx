import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The button's name, read aloud and shown as a tooltip: « Supprimer Léa Martin ». */
  label: string;
  icon: ReactNode;
  tone?: 'neutral' | 'danger' | undefined;
}

/** A button that is only an icon: always with a name, 36 px with a mouse, 44 px with a finger. */
export function IconButton({ label, icon, tone = 'neutral', className, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={clsx(
          'tap-target inline-flex size-9 shrink-0 items-center justify-center rounded-field border border-transparent transition-colors duration-120',
          'text-encre-soft hover:bg-well disabled:opacity-50 [&_svg]:size-4.5',
          tone === 'danger' ? 'hover:bg-danger-tint hover:text-danger' : 'hover:text-encre',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
