import {
  cloneElement,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { lazyPart } from './lazy-part.tsx';

const MenuPopup = lazyPart(() => import('./menu-popup.tsx'));

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
  trigger: ReactElement<ComponentProps<'button'>>;
  items: readonly MenuItem[];
}

/** The rarer actions of a row or a page, behind ⋮. Arrows move, letters jump, Escape closes. */
export function Menu({ trigger, items }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  // Undefined until it is asked for: many stand in a list, and few are opened.
  const [open, setOpen] = useState<boolean>();
  const [isByKeyboard, setIsByKeyboard] = useState(false);
  return (
    <>
      {cloneElement(trigger, {
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': open ?? false,
        onPointerEnter: () => void MenuPopup.load(),
        onFocus: () => void MenuPopup.load(),
        onClick: (event: MouseEvent) => {
          // A key that presses the button clicks it without a pointer.
          setIsByKeyboard(event.detail === 0);
          setOpen(open !== true);
        },
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setIsByKeyboard(true);
          setOpen(true);
        },
      })}
      {open !== undefined && (
        <MenuPopup
          anchor={button}
          open={open}
          isByKeyboard={isByKeyboard}
          onClose={() => setOpen(false)}
          items={items}
        />
      )}
    </>
  );
}
