import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { backdropClass, contentClass, footerClass, modalClass } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { useReturnFocus } from './return-focus.ts';

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** A question that names the object: « Supprimer Léa Martin ? ». */
  title: string;
  /** The consequence, amounts included. */
  description: ReactNode;
  children?: ReactNode;
  confirmLabel: string;
  cancelLabel?: string | undefined;
  tone?: 'danger' | 'primary' | undefined;
  /** For a decision on many things at once. */
  isWide?: boolean | undefined;
  /** Nothing is left to confirm: only the way out. */
  isOver?: boolean | undefined;
  pending?: boolean | undefined;
  confirmDisabled?: boolean | undefined;
  /** Another way to do it, beside the first. */
  other?: ReactNode;
  /** The failure of the last attempt: shown inside, the dialog stays. */
  error?: string | undefined;
  onConfirm: () => void;
}

/** Asks before what cannot be undone or moves money. A click outside does not close it; the safe button has the focus. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  confirmLabel,
  cancelLabel = 'Annuler',
  tone = 'danger',
  isWide = false,
  isOver = false,
  pending = false,
  confirmDisabled = false,
  other,
  error,
  onConfirm,
}: ConfirmDialogProps) {
  const returned = useReturnFocus();
  return (
    <Base.Root open={open} onOpenChange={(next) => !pending && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop forceRender className={backdropClass} />
        <Base.Viewport className="fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6 safe-sides">
          <Base.Popup
            aria-modal
            initialFocus={() => {
              returned.note();
              return true;
            }}
            finalFocus={returned.finalFocus}
            className={clsx(modalClass, isWide ? 'sm:max-w-2xl' : 'sm:max-w-md')}
          >
            <div className={clsx(contentClass, 'flex flex-col gap-3 p-5 sm:p-6')}>
              <Base.Title className="text-lg font-semibold wrap-anywhere">{title}</Base.Title>
              <Base.Description render={<div />} className="text-encre-soft">
                {description}
              </Base.Description>
              {children}
              {error && <Notice tone="error">{error}</Notice>}
            </div>
            <footer className={footerClass}>
              <Base.Close render={<Button disabled={pending} />}>{cancelLabel}</Base.Close>
              {other}
              {!isOver && (
                <Button variant={tone} pending={pending} disabled={confirmDisabled} onClick={onConfirm}>
                  {confirmLabel}
                </Button>
              )}
            </footer>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
