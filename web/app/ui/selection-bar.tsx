import clsx from 'clsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export interface SelectionBarProps {
  count: number;
  onClear: () => void;
  /** « 6 sélectionnées · 3 821,17 € », and what can be done with them. */
  children: ReactNode;
}

/** At the foot of the list, in sight however long it is: how many are selected, and what to do with them. */
export default function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  return (
    <div
      data-selection=""
      role="group"
      aria-label="Sélection"
      className={clsx(
        'bottom-(--bottom-bar,0px) z-20 flex not-low:sticky flex-wrap items-center gap-x-4 gap-y-2 border-t border-sapin/35 bg-sapin-tint px-4 py-2.5 sm:px-5',
        count === 0 && 'hidden',
      )}
    >
      {children}
      <Button size="sm" variant="quiet" className="ml-auto" onClick={onClear}>
        Tout désélectionner
      </Button>
    </div>
  );
}
