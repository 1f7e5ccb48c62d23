import type { ReactNode } from 'react';
import { isPlainClick } from './plain-click.ts';

export interface RecordLinkProps {
  /** The record's own address; undefined where the address does not tell. */
  href: string | undefined;
  onOpen: () => void;
  /** -1 where the keyboard opens the record in another way. */
  tabIndex?: -1 | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** Opens a record's panel: a link where it has an address of its own, else a button. */
export function RecordLink({ href, onOpen, tabIndex, className, children }: RecordLinkProps) {
  if (href === undefined) {
    return (
      <button type="button" data-row tabIndex={tabIndex} onClick={onOpen} className={className}>
        {children}
      </button>
    );
  }
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
