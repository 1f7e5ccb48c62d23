import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { firstControl } from './first-control.ts';
import { useReturnFocus } from './return-focus.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, the main one last. To submit a form that stands in `children`: `<Button type="submit" form="its-id">`. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | undefined;
  /** True when the content keeps running while the dialog is closed. */
  keepMounted?: boolean | undefined;
  /** Closed by the buttons of its foot alone: what it shows is not shown again. */
  isFirm?: boolean | undefined;
}

/**
 * A dialog over the page. Focus goes in, Tab stays in, Escape closes, focus returns to what opened it.
 * On a phone it is a sheet from the bottom edge.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  size = 'md',
  keepMounted = false,
  isFirm = false,
}: DialogProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const returned = useReturnFocus();
  return (
    <Base.Root open={open} onOpenChange={(next) => !isFirm && onOpenChange(next)}>
      <Base.Portal keepMounted={keepMounted}>
        <Base.Backdrop forceRender className={backdropClass} />
        <Base.Viewport className="fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6 safe-sides">
          <Base.Popup
            aria-modal
            ref={sheet}
            initialFocus={(openedBy) => {
              returned.note();
              return firstControl(sheet.current, openedBy);
            }}
            finalFocus={returned.finalFocus}
            className={clsx(modalClass, widths[size])}
          >
            <header className="flex items-start justify-between gap-4 px-5 pt-5 sm:px-6 sm:pt-6">
              <div className="min-w-0">
                <Base.Title className="text-lg font-semibold wrap-anywhere">{title}</Base.Title>
                {description && <Base.Description className="mt-1 text-encre-soft">{description}</Base.Description>}
              </div>
              {!isFirm && (
                <Base.Close aria-label="Fermer" className={closeClass}>
                  <X aria-hidden className="size-4.5" />
                </Base.Close>
              )}
            </header>
            <div data-content className={clsx(contentClass, 'px-5 py-5 sm:px-6')}>
              {children}
            </div>
            {footer && <footer className={footerClass}>{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

const widths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' } as const;

/** The veil over the page, under a dialog or a side panel. */
export const backdropClass =
  'fixed inset-0 z-50 bg-backdrop transition-opacity duration-160 data-ending-style:opacity-0 data-starting-style:opacity-0';

/** The sheet of a dialog or a confirmation. While it leaves it takes no press: what it asked is done. */
export const modalClass = clsx(
  'flex max-h-[92dvh] w-full flex-col rounded-t-card low:max-h-dvh low:overflow-y-auto border border-hairline bg-sheet shadow-floating outline-none sm:max-h-[calc(100dvh-3rem)] sm:rounded-card',
  'transition duration-160 ease-out data-ending-style:pointer-events-none data-ending-style:opacity-0 data-starting-style:opacity-0',
  'max-sm:data-ending-style:translate-y-6 max-sm:data-starting-style:translate-y-6 sm:data-ending-style:scale-98 sm:data-starting-style:scale-98',
);

/** Scrolling part between title and buttons; in a low window all of the sheet scrolls, or no room would be left for it (WCAG 1.4.10). */
export const contentClass = 'min-h-0 overflow-y-auto low:shrink-0 low:overflow-visible';

export const footerClass =
  'flex flex-wrap justify-end gap-2 border-t border-hairline px-5 py-4 max-sm:flex-col-reverse max-sm:pb-[max(1rem,env(safe-area-inset-bottom))] sm:px-6';

export const closeClass =
  'tap-target -mt-1 -mr-2 inline-flex size-9 shrink-0 items-center justify-center rounded-field text-encre-faint transition-colors hover:bg-well hover:text-encre';
