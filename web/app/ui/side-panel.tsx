import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { backdropClass, closeClass, footerClass } from './dialog.tsx';

export interface SidePanelProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  subtitle?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
}

/** The detail of a row, from the right edge; the whole screen on a phone. Escape closes, focus returns to the row. */
export function SidePanel({ open, onOpenChange, title, subtitle, children, footer }: SidePanelProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={backdropClass} />
        <Base.Viewport className="fixed inset-0 z-50 flex justify-end">
          <Base.Popup
            className={clsx(
              'flex h-dvh w-full flex-col border-l border-hairline bg-sheet shadow-floating outline-none sm:max-w-lg',
              'transition-transform duration-200 ease-out data-ending-style:translate-x-full data-starting-style:translate-x-full',
            )}
          >
            <header className="flex items-start justify-between gap-4 border-b border-hairline px-5 py-4 sm:px-6">
              <div className="min-w-0">
                <Base.Title className="text-lg font-semibold">{title}</Base.Title>
                {subtitle && (
                  <Base.Description render={<div />} className="mt-0.5 text-sm text-encre-soft">
                    {subtitle}
                  </Base.Description>
                )}
              </div>
              <Base.Close aria-label="Fermer" className={closeClass}>
                <X aria-hidden className="size-4.5" />
              </Base.Close>
            </header>
            <div className="min-h-0 grow overflow-y-auto px-5 py-5 sm:px-6">{children}</div>
            {footer && <footer className={footerClass}>{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
