import type { ReactNode } from 'react';
import { isPlainClick } from './plain-click.ts';

export interface RecordLinkProps {
  /** The record's own address. */
  href: string;
  onOpen: () => void;
  /** -1 where the keyboard opens the record in another way. */
  tabIndex?: -1 | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A link to a record, whose panel a plain press opens in place. */
export function RecordLink({ href, onOpen, tabIndex, className, children }: RecordLinkProps) {
  return (
    <a
      data-row
      href={href}
      tabIndex={tabIndex}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        onOpen();
      }}
      className={className}
    >
      {children}
    </a>
  );
}
