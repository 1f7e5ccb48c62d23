import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import type { ReactElement, ReactNode } from 'react';
import { popupClass } from './select.tsx';

export interface MenuItem {
  id: string;
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  tone?: 'neutral' | 'danger' | undefined;
  disabled?: boolean | undefined;
}

export interface MenuProps {
  /** The button that opens it: an `<IconButton>` or a `<Button>`. */
  trigger: ReactElement;
  items: readonly MenuItem[];
}

/** The rarer actions of a row or a page, behind ⋮. Arrows move, letters jump, Escape closes. */
export function Menu({ trigger, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className="z-60 outline-none">
          <Base.Popup className={clsx(popupClass, 'min-w-48 p-1')}>
            {items.map((item) => (
              <Base.Item
                key={item.id}
                {...(item.disabled === undefined ? {} : { disabled: item.disabled })}
                onClick={item.onSelect}
                className={clsx(
                  'tap-target flex cursor-pointer items-center gap-2.5 rounded-field px-3 py-2 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-well [&_svg]:size-4 [&_svg]:shrink-0',
                  item.tone === 'danger' && 'text-danger data-highlighted:bg-danger-tint',
                )}
              >
                {item.icon}
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
