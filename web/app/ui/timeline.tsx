import clsx from 'clsx';
import type { ReactNode } from 'react';

export interface TimelineEntry {
  id: string;
  /** The event, in a sentence. */
  title: ReactNode;
  /** Author and time: `<><b>Léa</b> · <DateText … /></>`. */
  meta?: ReactNode;
  /** From what to what, a reason, a note. */
  detail?: ReactNode;
  icon?: ReactNode;
  tone?: 'plain' | 'done' | 'refused' | undefined;
}

/** A list of events, in the order given. */
export function Timeline({ label, entries }: { label: string; entries: readonly TimelineEntry[] }) {
  return (
    <ol aria-label={label} className="relative">
      {entries.map((entry, index) => (
        <li key={entry.id} className="relative flex gap-3.5 pb-5 last:pb-0">
          {index < entries.length - 1 && (
            <span aria-hidden className="absolute top-7 bottom-0 left-3.25 w-px bg-hairline" />
          )}
          <span
            aria-hidden
            className={clsx(
              'relative z-1 flex size-7 shrink-0 items-center justify-center rounded-full border [&_svg]:size-3.5',
              entry.tone === 'done'
                ? 'border-transparent bg-sapin text-on-sapin'
                : entry.tone === 'refused'
                  ? 'border-transparent bg-danger-tint text-danger'
                  : 'border-hairline bg-papier text-encre-soft',
            )}
          >
            {entry.icon ?? <span className="size-1.5 rounded-full bg-current" />}
          </span>
          <div className="min-w-0 pt-0.5">
            <p className="text-base">{entry.title}</p>
            {entry.meta && <p className="text-sm text-encre-faint">{entry.meta}</p>}
            {entry.detail && <div className="mt-1 text-sm text-encre-soft">{entry.detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
