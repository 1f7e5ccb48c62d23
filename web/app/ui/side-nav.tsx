import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { isPlainClick } from './plain-click.ts';

/** « 6 à décider »: how many of one kind wait. */
export interface WaitingKind {
  count: number;
  /** Completes the count, in its number: « à décider », « contrats à valider ». */
  words: string;
}

export interface NavItem<Id extends string> {
  id: Id;
  label: string;
  icon: ReactNode;
  /** Items that wait for you there, counted kind by kind; where they are given, room for the count is kept. */
  waiting?: readonly WaitingKind[] | undefined;
  /** Its place and its word in the bar, where not all find room. */
  bar?: { at: number; word: string } | undefined;
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
  /** The address of a section: its word is a link, for a new tab or a bookmark. */
  hrefOf: (id: Id) => string;
  /** The pointer or the focus has come to a section's word: what it opens may be fetched. */
  onNear?: ((id: Id) => void) | undefined;
}

/** The rail of a dashboard on a wide screen. The words are always there. */
export function SideNav<Id extends string>({ label, groups, current, onSelect, hrefOf, onNear }: SideNavProps<Id>) {
  return (
    <nav aria-label={label} className="flex flex-col gap-6">
      {groups.map((group, index) => (
        <div key={group.label ?? index}>
          {group.label && <p className="mb-1.5 px-3 text-xs font-medium text-encre-faint">{group.label}</p>}
          <ul aria-label={group.label} className="flex flex-col gap-0.5">
            {group.items.map((item) => {
              const active = item.id === current;
              return (
                <li key={item.id}>
                  <NavControl
                    active={active}
                    href={hrefOf(item.id)}
                    onSelect={() => onSelect(item.id)}
                    onNear={() => onNear?.(item.id)}
                    className={clsx(
                      'tap-target flex w-full items-center gap-2.5 rounded-field px-2.5 py-2 text-left text-base transition-colors duration-120 [&_svg]:size-4.5 [&_svg]:shrink-0',
                      active
                        ? 'bg-sapin-tint font-medium text-sapin-strong shadow-[inset_3px_0_var(--sapin)]'
                        : 'text-encre-soft hover:bg-well hover:text-encre [&_svg]:text-encre-faint',
                    )}
                  >
                    {item.icon}
                    <span className="min-w-0 flex-1">{item.label}</span>
                    {item.waiting && (
                      <span className="flex min-w-9 justify-end">
                        <NavCount
                          waiting={item.waiting}
                          className="min-w-5 rounded-full bg-corail px-1.5 text-xs/5 text-on-corail"
                        />
                      </span>
                    )}
                  </NavControl>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

interface NavControlProps extends Omit<ComponentProps<'a'>, 'onSelect'> {
  href: string;
  active?: boolean;
  onSelect: () => void;
  onNear?: () => void;
}

/** A section's word, a link that a plain press opens in place. */
export function NavControl({ active = false, href, onSelect, onNear, children, ...rest }: NavControlProps) {
  return (
    <a
      {...rest}
      href={href}
      aria-current={active ? 'page' : undefined}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        onSelect();
      }}
      // A finger enters where it comes down: before its click.
      onPointerEnter={onNear}
      onFocus={onNear}
    >
      {children}
    </a>
  );
}

/**
 * Count of what waits: one number to the eye; its words as the pointer rests there, and to screen readers: « 10 : 6 à décider, 4 à payer ».
 */
export function NavCount({ waiting, className }: Pick<NavItem<string>, 'waiting'> & { className: string }) {
  const kinds = waiting?.filter(({ count }) => count > 0) ?? [];
  const [first, ...others] = kinds;
  if (first === undefined) return null;
  const listed = kinds.map(({ count, words }) => `${count}\u00a0${words}`).join(', ');
  return (
    <span title={listed} className={clsx('tabular-digits text-center font-medium', className)}>
      {kinds.reduce((sum, { count }) => sum + count, 0)}
      <span className="sr-only">{others.length === 0 ? ` ${first.words}` : `\u00a0: ${listed}`}</span>
    </span>
  );
}
