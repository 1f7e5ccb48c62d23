import { Popover as Base } from '@base-ui/react/popover';
import clsx from 'clsx';
import type { ReactNode, RefObject } from 'react';
import { popupClass } from './popup-class.tsx';

export interface ExplainPopoverProps {
  /** The button that it belongs to. */
  anchor: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}

/** Popover of « Pourquoi ? » (explain.tsx): its code comes when somebody asks. */
export default function ExplainPopover({ anchor, open, onClose, title, children }: ExplainPopoverProps) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(_open, { event }) => {
        // The button closes by itself what it opened.
        if (!(event.target instanceof Node && anchor.current?.contains(event.target))) onClose();
      }}
    >
      <Base.Portal>
        <Base.Positioner anchor={anchor} positionMethod="fixed" sideOffset={8} className="z-60 outline-none">
          <Base.Popup finalFocus={anchor} className={clsx(popupClass, 'max-w-[min(20rem,var(--available-width))] p-4')}>
            <Base.Title className="font-sans text-base font-medium tracking-normal">{title}</Base.Title>
            <Base.Description render={<div />} className="mt-1 text-sm text-encre-soft">
              {children}
            </Base.Description>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
