import clsx from 'clsx';
import { useEffect, useRef, type ReactNode } from 'react';
import { NavControl } from './side-nav.tsx';

export interface TabLink<Id extends string> {
  id: Id;
  label: string;
  /** Number of things that wait there. */
  count?: number | undefined;
}

export interface TabLinksProps<Id extends string> {
  /** Names what the tabs are of: « Paiements ». */
  label: string;
  tabs: readonly TabLink<Id>[];
  current: string;
  onSelect: (id: Id) => void;
  hrefOf: (id: Id) => string;
  /** Buttons at the end of the line; below it on a phone. */
  actions?: ReactNode;
}

/** The parts of a section, each with an address of its own; they scroll sideways on a phone. */
export function TabLinks<Id extends string>({ label, tabs, current, onSelect, hrefOf, actions }: TabLinksProps<Id>) {
  const nav = useRef<HTMLElement>(null);
  // A small window without room for all of them shows the one that is open.
  useEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && open) nav.current.scrollLeft = open.offsetLeft + open.offsetWidth - nav.current.clientWidth + 16;
  }, []);
  return (
    <div className="flex border-hairline max-sm:flex-col sm:items-center sm:justify-between sm:gap-6 sm:border-b">
      <nav
        ref={nav}
        aria-label={label}
        className="relative overflow-x-auto [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4 sm:-mb-px sm:min-w-0"
      >
        <ul className="flex min-w-max gap-3.5 border-hairline max-sm:border-b sm:gap-6">
          {tabs.map((tab) => {
            const active = tab.id === current;
            return (
              <li key={tab.id}>
                <NavControl
                  active={active}
                  href={hrefOf(tab.id)}
                  onSelect={() => onSelect(tab.id)}
                  onNear={() => undefined}
                  className={clsx(
                    'tap-target max-sm:-mb-px flex items-center gap-1.5 border-b-2 py-2.5 max-sm:py-2 whitespace-nowrap transition-colors duration-120 max-sm:text-sm',
                    active
                      ? 'border-sapin font-medium text-sapin-strong'
                      : 'border-transparent text-encre-soft hover:border-edge hover:text-encre',
                  )}
                >
                  {tab.label}
                  {Boolean(tab.count) && (
                    <span className="tabular-digits text-xs text-encre-faint max-sm:sr-only">{tab.count}</span>
                  )}
                </NavControl>
              </li>
            );
          })}
        </ul>
      </nav>
      {actions && <div className="flex shrink-0 flex-wrap gap-2 max-sm:mt-2">{actions}</div>}
    </div>
  );
}
