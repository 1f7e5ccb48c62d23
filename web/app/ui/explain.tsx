import { CircleHelp } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { lazyPart } from './lazy-part.tsx';

const ExplainPopover = lazyPart(() => import('./explain-popover.tsx'));

export interface ExplainProps {
  /** « Pourquoi ? » unless said otherwise. */
  label?: string | undefined;
  /** The sign alone, where a row has no room for the word: it is read aloud all the same. */
  isSign?: boolean | undefined;
  title: string;
  /** Tells it from the others of a list, to whoever hears their names alone: « Léa Martin » (DF-84). */
  of?: string | undefined;
  children: ReactNode;
}

/** Beside an amount that can be questioned: how it was computed. */
export function Explain({ label = 'Pourquoi\u202f?', isSign = false, title, of, children }: ExplainProps) {
  const button = useRef<HTMLButtonElement>(null);
  // Undefined until it is asked for: many stand in a list, and few are opened.
  const [open, setOpen] = useState<boolean>();
  return (
    <>
      <button
        ref={button}
        type="button"
        data-screen-only=""
        aria-haspopup="dialog"
        aria-expanded={open ?? false}
        aria-label={`${label} ${of ?? title}`}
        title={isSign ? label : undefined}
        onPointerEnter={() => void ExplainPopover.load()}
        onFocus={() => void ExplainPopover.load()}
        onClick={() => setOpen(open !== true)}
        className="tap-target inline-flex items-center gap-1 rounded-field px-1 text-sm whitespace-nowrap text-encre-faint underline decoration-hairline underline-offset-4 hover:text-encre"
      >
        <CircleHelp aria-hidden className="size-3.5 shrink-0" />
        {!isSign && label}
      </button>
      {open !== undefined && (
        <ExplainPopover anchor={button} open={open} onClose={() => setOpen(false)} title={title}>
          {children}
        </ExplainPopover>
      )}
    </>
  );
}
