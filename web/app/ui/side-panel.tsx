import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { backdropClass, closeClass, contentClass, footerClass } from './dialog.tsx';
import { IconButton } from './icon-button.tsx';

export interface SidePanelProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  subtitle?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  /** The records before and after this one in the list behind it; undefined where there is none (NV-02). */
  neighbours?: Neighbours | undefined;
}

export interface Neighbours {
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/**
 * The detail of a row, from the right edge; the whole screen on a phone. Escape closes, focus returns to the row; J and K
 * lead through the list behind it while the panel has the focus.
 */
export function SidePanel({ open, onOpenChange, title, subtitle, children, footer, neighbours }: SidePanelProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [shown, setShown] = useState({ title, isOpen: open, isNext: false });
  if (shown.title !== title || shown.isOpen !== open) setShown({ title, isOpen: open, isNext: open && shown.isOpen });
  // Another record came into the panel: a button of the one before would now act on this one, and is left for the title (DF-82). The
  // buttons that lead through the list keep the focus, and so does the panel itself.
  useEffect(() => {
    const active = document.activeElement;
    const stays = active === sheet.current || active?.hasAttribute('aria-keyshortcuts') === true;
    if (shown.isNext && !stays && (active === document.body || sheet.current?.contains(active)))
      heading.current?.focus();
  }, [shown]);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
    // Keys of a dialog over the panel come here too, by React's tree; and letters typed are letters.
    if (!sheet.current?.contains(target) || target.closest('input, textarea, select, [contenteditable]')) return;
    if (event.key === 'j') neighbours?.onNext?.();
    else if (event.key === 'k') neighbours?.onPrevious?.();
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={backdropClass} />
        <Base.Viewport className="fixed inset-0 z-50 flex justify-end">
          <Base.Popup
            aria-modal
            ref={sheet}
            data-side-panel
            initialFocus={sheet}
            onKeyDown={move}
            className={clsx(
              'flex h-dvh w-full flex-col border-l low:overflow-y-auto border-hairline bg-sheet pr-[env(safe-area-inset-right)] shadow-floating outline-none sm:max-w-lg',
              'transition-transform duration-200 ease-out data-ending-style:translate-x-full data-starting-style:translate-x-full',
            )}
          >
            <header className="flex items-start justify-between gap-4 border-b border-hairline px-5 py-4 sm:px-6">
              <div className="min-w-0">
                <Base.Title ref={heading} tabIndex={-1} className="text-lg font-semibold wrap-anywhere">
                  {title}
                </Base.Title>
                <p role="status" className="sr-only">
                  {shown.isNext && title}
                </p>
                {subtitle && (
                  <Base.Description render={<div />} className="mt-0.5 text-sm text-encre-soft">
                    {subtitle}
                  </Base.Description>
                )}
              </div>
              <div className="flex shrink-0">
                {neighbours && (
                  <>
                    <Step label="Précédent (K)" icon={<ChevronUp />} onClick={neighbours.onPrevious} shortcut="k" />
                    <Step label="Suivant (J)" icon={<ChevronDown />} onClick={neighbours.onNext} shortcut="j" />
                  </>
                )}
                <Base.Close data-screen-only="" aria-label="Fermer" className={clsx(closeClass, 'mt-0!')}>
                  <X aria-hidden className="size-4.5" />
                </Base.Close>
              </div>
            </header>
            <div className={clsx(contentClass, 'grow px-5 py-5 sm:px-6')}>{children}</div>
            {footer && <footer className={footerClass}>{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface StepProps {
  label: string;
  icon: ReactNode;
  onClick: (() => void) | undefined;
  shortcut: string;
}

function Step({ label, icon, onClick, shortcut }: StepProps) {
  return (
    <IconButton
      label={label}
      icon={icon}
      aria-keyshortcuts={shortcut}
      // It keeps the focus where it leads nowhere any more.
      aria-disabled={onClick === undefined}
      onClick={onClick}
      className="aria-disabled:cursor-default aria-disabled:opacity-40 aria-disabled:hover:bg-transparent"
    />
  );
}
