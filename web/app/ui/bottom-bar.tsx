import clsx from 'clsx';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { NavControl, NavCount, type NavItem, type SideNavProps, type WaitingKind } from './side-nav.tsx';

export interface BottomBarProps<Id extends string> extends SideNavProps<Id> {
  /** Names what leads to the sections that find no room: « Plus ». */
  moreLabel: string;
  onMore: () => void;
}

/** The sections at the bottom of a phone's screen: five at most, by their names on two lines; « Plus » leads to the others. */
export function BottomBar<Id extends string>(props: BottomBarProps<Id>) {
  const { label, groups, current, onSelect, hrefOf, onNear, moreLabel, onMore } = props;
  const items = groups.flatMap((group) => group.items);
  const shown = itemsOfBar(items);
  const others = items.filter((item) => !shown.includes(item));
  return (
    <nav
      aria-label={label}
      className="border-hairline bg-sheet not-low:border-t not-low:pb-[env(safe-area-inset-bottom)] low:border-b"
    >
      <ul className="flex">
        {shown.map((item) => (
          <li key={item.id} className="min-w-0 flex-1">
            <NavControl
              active={item.id === current}
              href={hrefOf(item.id)}
              onSelect={() => onSelect(item.id)}
              onNear={() => onNear?.(item.id)}
              className={barControlClass(item.id === current)}
            >
              <BarContent
                icon={item.icon}
                word={others.length > 0 && item.bar ? item.bar.word : item.label}
                name={item.label}
                waiting={item.waiting}
                active={item.id === current}
              />
            </NavControl>
          </li>
        ))}
        {others.length > 0 && (
          <li className="min-w-0 flex-1">
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={onMore}
              className={barControlClass(others.some(({ id }) => id === current))}
            >
              <BarContent
                icon={<Ellipsis aria-hidden />}
                word={moreLabel}
                name={moreLabel}
                waiting={others.flatMap(({ waiting = [] }) => waiting)}
                active={others.some(({ id }) => id === current)}
              />
            </button>
          </li>
        )}
      </ul>
    </nav>
  );
}

const barHolds = 5;

/** All of them where there is room, else four: those that have a place in the bar, or the first ones. */
function itemsOfBar<Id extends string>(items: readonly NavItem<Id>[]): readonly NavItem<Id>[] {
  if (items.length <= barHolds) return items;
  const placed = items.filter(({ bar }) => bar !== undefined).toSorted((a, b) => (a.bar?.at ?? 0) - (b.bar?.at ?? 0));
  return (placed.length > 0 ? placed : items).slice(0, barHolds - 1);
}

function barControlClass(active: boolean): string {
  return clsx(
    'relative flex h-16 low:h-13 w-full flex-col items-center gap-0.5 px-0.5 pt-1.5 text-xs/3.5 tracking-[-0.025em] outline-offset-[-3px] [&_svg]:size-5',
    active ? 'font-medium text-sapin shadow-[inset_0_3px_var(--sapin)]' : 'text-encre-soft',
  );
}

interface BarContentProps {
  icon: ReactNode;
  word: string;
  /** The section's name, whole. */
  name: string;
  waiting: readonly WaitingKind[] | undefined;
  active: boolean;
}

function BarContent({ icon, word, name, waiting, active }: BarContentProps) {
  // The name holds the word that is seen, for who says it aloud (WCAG 2.5.3).
  const at = name.indexOf(word);
  const [before, after] = at < 0 ? ['', ` : ${name}`] : [name.slice(0, at), name.slice(at + word.length)];
  return (
    <>
      {active && <span aria-hidden className="absolute inset-x-4 top-0 h-0.5 bg-sapin low:top-auto low:bottom-0" />}
      {icon}
      <span className="text-center">
        <span className="sr-only">{before}</span>
        {onTwoLines(word)}
        <span className="sr-only">{after}</span>
      </span>
      <NavCount
        waiting={waiting}
        className="absolute top-0 left-1/2 ml-0.5 min-w-4 rounded-full bg-corail px-1 text-xs/4 text-on-corail"
      />
    </>
  );
}

/** A small word stays with the one that follows it: « Demandes / de Paiement ». */
function onTwoLines(label: string): string {
  return label.replace(/ (de|du|à) /u, ' $1\u00a0');
}
