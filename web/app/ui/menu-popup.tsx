import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import { useEffect, useRef, type RefObject } from 'react';
import type { MenuItem } from './menu.tsx';
import { optionClass, popupClass } from './popup-class.tsx';

export interface MenuPopupProps {
  /** The button that it belongs to. */
  anchor: RefObject<HTMLButtonElement | null>;
  open: boolean;
  /** Opened without a pointer: the first line has the focus. */
  isByKeyboard: boolean;
  onClose: () => void;
  items: readonly MenuItem[];
}

/** Popup of a menu's button (menu.tsx): its code comes when somebody reaches for the button. */
export default function MenuPopup({ anchor, open, isByKeyboard, onClose, items }: MenuPopupProps) {
  const popup = useRef<HTMLDivElement>(null);
  // After the popup has taken the focus itself, as it does without a trigger of its own.
  useEffect(() => {
    if (!open || !isByKeyboard) return;
    const frame = requestAnimationFrame(() => {
      popup.current?.querySelector<HTMLElement>('[role="menuitem"]:not([data-disabled])')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [open, isByKeyboard]);
  return (
    <Base.Root
      open={open}
      onOpenChange={(_open, { event }) => {
        // The button closes by itself what it opened.
        if (!(event.target instanceof Node && anchor.current?.contains(event.target))) onClose();
      }}
    >
      <Base.Portal>
        <Base.Positioner
          anchor={anchor}
          positionMethod="fixed"
          sideOffset={6}
          align="end"
          className="z-60 outline-none"
        >
          <Base.Popup
            ref={popup}
            // A dialog that an entry opened has the focus before the menu has faded out: it keeps it.
            finalFocus={() => {
              const has = document.activeElement;
              return has === null || has === document.body || popup.current?.contains(has) === true
                ? anchor.current
                : false;
            }}
            className={clsx(popupClass, 'min-w-48 p-1')}
          >
            {items.map((item) => (
              <Base.Item
                key={item.id}
                {...(item.disabled === undefined ? {} : { disabled: item.disabled })}
                onClick={item.onSelect}
                className={clsx(
                  optionClass,
                  'flex items-center gap-2.5 px-3 py-2 text-base data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
                  item.tone === 'danger' &&
                    'text-danger [--option-ground:var(--danger-tint)] [--option-mark:var(--danger)]',
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
