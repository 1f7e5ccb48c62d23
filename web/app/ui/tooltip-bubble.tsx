import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';

/** The word itself, beside its button; Escape closes it. Mounted to open it, unmounted to close it. */
export function TooltipBubble({
  anchor,
  onPointerEnter,
  onPointerLeave,
  onClose,
  children,
}: {
  anchor: HTMLElement;
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} positionMethod="fixed" sideOffset={6} className="z-60">
          <Base.Popup
            onPointerEnter={onPointerEnter}
            onPointerLeave={onPointerLeave}
            className="max-w-64 rounded-field bg-encre px-2.5 py-1.5 text-xs text-papier transition-opacity duration-120 data-starting-style:opacity-0"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
