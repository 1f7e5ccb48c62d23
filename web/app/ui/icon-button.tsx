import clsx from 'clsx';
import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { useTooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The button's name, read aloud and shown as a tooltip: « Supprimer Léa Martin ». */
  label: string;
  icon: ReactNode;
  /** Said in place of the name: why the button does nothing here. */
  tooltip?: string | undefined;
  tone?: 'neutral' | 'danger' | undefined;
}

/** A button that is only an icon: always with a name, 36 px with a mouse, 44 px with a finger. */
export function IconButton({ label, icon, tooltip, tone = 'neutral', className, ...rest }: IconButtonProps) {
  // Whoever opened its menu knows the button: the focus that comes back to it would leave the word over a dialog.
  const [wasOpened, setWasOpened] = useState(false);
  if (rest['aria-expanded'] === true && !wasOpened) setWasOpened(true);
  const reasonId = useId();
  const { handlers, bubble } = useTooltip(tooltip ?? label, wasOpened, rest);
  return (
    <>
      <button
        type="button"
        data-screen-only=""
        {...rest}
        {...handlers}
        aria-label={label}
        aria-describedby={tooltip === undefined ? undefined : reasonId}
        className={clsx(
          'tap-target inline-flex size-9 shrink-0 items-center justify-center rounded-field border border-transparent transition-colors duration-120',
          'text-encre-soft hover:bg-well disabled:opacity-50 [&_svg]:size-4.5',
          tone === 'danger' ? 'hover:bg-danger-tint hover:text-danger' : 'hover:text-encre',
          className,
        )}
      >
        {icon}
      </button>
      {bubble}
      {tooltip !== undefined && (
        <span id={reasonId} hidden>
          {tooltip}
        </span>
      )}
    </>
  );
}
