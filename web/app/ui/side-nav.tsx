import clsx from 'clsx';
import type { ReactNode } from 'react';

export interface NavItem<Id extends string> {
  id: Id;
  label: string;
  icon: ReactNode;
  /** How many things wait for you there. */
  count?: number | undefined;
}

export interface NavGroup<Id extends string> {
  /** A small title over the group; none for the first. */
  label?: string | undefined;
  items: readonly NavItem<Id>[];
}

export interface SideNavProps<Id extends string> {
  /** Names the navigation: « Sections ». */
  label: string;
  groups: readonly NavGroup<Id>[];
  current: Id;
  onSelect: (id: Id) => void;
}

/** The rail of a dashboard on a wide screen. The words are always there. */
export function SideNav<Id extends string>({ label, groups, current, onSelect }: SideNavProps<Id>) {
  return (
    <nav aria-label={label} className="flex flex-col gap-6">
      {groups.map((group, index) => (
        <div key={group.label ?? index}>
          {group.label && <p className="mb-1.5 px-3 text-xs font-medium text-encre-faint">{group.label}</p>}
          <ul className="flex flex-col gap-0.5">
            {group.items.map((item) => {
              const active = item.id === current;
              return (
                <li key={item.id}>
                  <button
                    type="button"
                    aria-current={active ? 'page' : undefined}
                    onClick={() => onSelect(item.id)}
                    className={clsx(
                      'tap-target flex w-full items-center gap-2.5 rounded-field px-2.5 py-2 text-left text-base transition-colors duration-120 [&_svg]:size-4.5 [&_svg]:shrink-0',
                      active
                        ? 'bg-sapin-tint font-medium text-sapin-strong'
                        : 'text-encre-soft hover:bg-well hover:text-encre [&_svg]:text-encre-faint',
                    )}
                  >
                    {item.icon}
                    <span className="min-w-0 flex-1">{item.label}</span>
                    <NavCount count={item.count} />
                  </button>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The same sections at the bottom of a phone's screen, by their full names on two lines; scrolls sideways past five. */
export function BottomBar<Id extends string>({ label, groups, current, onSelect }: SideNavProps<Id>) {
  const items = groups.flatMap((group) => group.items);
  return (
    <nav aria-label={label} className="border-t border-hairline bg-sheet pb-[env(safe-area-inset-bottom)]">
      <ul className="flex snap-x overflow-x-auto [scrollbar-width:none]">
        {items.map((item) => {
          const active = item.id === current;
          return (
            <li key={item.id} className="w-min min-w-15 shrink-0 grow snap-start">
              <button
                type="button"
                aria-current={active ? 'page' : undefined}
                onClick={(event) => {
                  event.currentTarget.scrollIntoView({ inline: 'center', block: 'nearest' });
                  onSelect(item.id);
                }}
                className={clsx(
                  'relative flex h-16 w-full flex-col items-center gap-0.5 px-0.5 pt-1.5 text-xs/3.5 tracking-[-0.025em] outline-offset-[-3px] [&_svg]:size-5',
                  active ? 'font-medium text-sapin' : 'text-encre-soft',
                )}
              >
                {active && <span aria-hidden className="absolute inset-x-4 top-0 h-0.5 bg-sapin" />}
                <span className="relative">
                  {item.icon}
                  {item.count !== undefined && item.count > 0 && (
                    <span className="figures absolute -top-1.5 left-3 min-w-4 rounded-full bg-corail px-1 text-center text-xs/4 font-medium text-on-corail">
                      {item.count}
                    </span>
                  )}
                </span>
                <span className="text-center">{onTwoLines(item.label)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** A small word stays with the one that follows it: « Demandes / de Paiement ». */
function onTwoLines(label: string): string {
  return label.replace(/ (de|du|à) /u, ' $1\u00a0');
}

function NavCount({ count }: { count: number | undefined }) {
  if (count === undefined || count === 0) return null;
  return (
    <span className="figures min-w-5 rounded-full bg-corail px-1.5 text-center text-xs/5 font-medium text-on-corail">
      {count}
      <span className="sr-only"> à traiter</span>
    </span>
  );
}
