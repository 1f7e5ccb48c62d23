import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface ListSheetProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Undefined where nothing narrows the list. */
  onClear: (() => void) | undefined;
  children: ReactNode;
}

/** The tools of a list that has no room for them, one under the other. Each acts at once on the list behind: there is nothing to apply. */
export default function ListSheet({ open, onClose, title, onClear, children }: ListSheetProps) {
  return (
    <Dialog
      keepMounted
      open={open}
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          {onClear && <Button onClick={onClear}>Tout effacer</Button>}
          <Button variant="primary" onClick={onClose}>
            Voir la liste
          </Button>
        </>
      }
    >
      <div className="grid gap-3 *:w-full! *:max-w-none!">{children}</div>
    </Dialog>
  );
}
