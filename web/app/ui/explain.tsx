import { Popover as Base } from '@base-ui/react/popover';
import { CircleHelp } from 'lucide-react';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { popupClass } from './select.tsx';

export interface ExplainProps {
  /** « Pourquoi ? » unless said otherwise. */
  label?: string | undefined;
  title: string;
  children: ReactNode;
}

/** Beside an amount that can be questioned: how it was computed. */
export function Explain({ label = 'Pourquoi ?', title, children }: ExplainProps) {
  return (
    <Base.Root>
      <Base.Trigger className="tap-target inline-flex items-center gap-1 rounded-field px-1 text-sm text-encre-faint underline decoration-hairline underline-offset-4 hover:text-encre">
        <CircleHelp aria-hidden className="size-3.5" />
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={8} className="z-60 outline-none">
          <Base.Popup className={clsx(popupClass, 'max-w-80 p-4')}>
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
