import { useEffect, useRef, type ReactNode } from 'react';

/**
 * A part of a page or of a dialog that an address may lead to (UI-13): where it is the one, it takes the focus and comes into view.
 * A dialog that opens gives it the focus by itself (`firstControl`), as does a section (`SectionFocus`).
 */
export function Sought({ isSought, children }: { isSought: boolean; children: ReactNode }) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSought) part.current?.focus();
  }, [isSought]);
  return (
    <div
      ref={part}
      className="scroll-mt-[calc(var(--sticky-top,0px)+1rem)] rounded-card outline-offset-4"
      {...(isSought && {
        'data-sought': '',
        tabIndex: -1,
        onFocus: ({ target, currentTarget }) => {
          if (target === currentTarget) currentTarget.scrollIntoView({ block: 'start' });
        },
      })}
    >
      {children}
    </div>
  );
}
