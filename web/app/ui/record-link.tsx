import type { ReactNode } from 'react';
import { isPlainClick } from './plain-click.ts';

export interface RecordLinkProps {
  /** The record's own address; undefined where the address does not tell. */
  href: string | undefined;
  onOpen: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** Opens a record's panel: a link where it has an address of its own, else a button. */
export function RecordLink({ href, onOpen, className, children }: RecordLinkProps) {
  if (href === undefined) {
    return (
      <button type="button" data-row onClick={onOpen} className={className}>
        {children}
      </button>
    );
  }
  return (
    <a
      data-row
      href={href}
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
