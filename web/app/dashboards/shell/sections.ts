import type { ReactNode } from 'react';
import type { LazyCode } from '#ui/lazy-part';

/**
 * Section of a dashboard. To add one:
 *  1. its folder and its screen: dashboards/<role>/<section>/<section>.tsx, with one default export that takes
 *     `SectionProps` (its parts and their tests stand beside it);
 *  2. one entry in dashboards/<role>/sections.tsx: id (the folder's name), the exact word of the menu, an icon, and
 *     `...lazyScreen(() => import('./<section>/<section>.tsx'))`; a letter that no other section has;
 *  3. where it is a tab of another one, `under` names that, and the screen begins with the tabs they share;
 *  4. in ./spots.ts, the words by which people look for it (the palette answers them);
 *  5. in dashboards/<role>/first-rows.ts, the queries that it opens with: they are asked while the pointer comes.
 * The menu, the phone's bar, the history entry, the title and the focus follow by themselves.
 */
export interface Section<Id extends string = string> {
  /** The folder's name; also what the history entry remembers. */
  id: Id;
  /** The exact word of the menu. */
  label: string;
  icon: ReactNode;
  /** The section's code comes once the browser is idle, or with its first visit. */
  screen: LazyCode<SectionProps>;
  /** A list: it takes the whole width of the window. */
  isWide?: boolean | undefined;
  /** « g », then this letter, leads here (NV-10). */
  letter?: string | undefined;
  /** Its place and its word in the bar of a phone, where there are more than five sections: the others stand behind « Plus ». */
  bar?: { at: 1 | 2 | 3 | 4; word: string } | undefined;
  /** Sections of one group stand together, under its name where it has one. */
  group?: string | undefined;
  /** The header leads to it, and not the menu: your own account, the company's settings. A phone's « Plus » lists it. */
  isAside?: boolean | undefined;
  /** It is a tab of that section: the menu has that one alone, the palette, the letters and addresses lead to both. */
  under?: Id | undefined;
}

/** For a section that notes its own filters or the row it shows (../parts/use-list-state.ts). */
export interface OpenSectionOptions {
  /** Changes the present history entry instead of adding one. */
  replace?: boolean | undefined;
  /** The page stays where it is scrolled. */
  keepScroll?: boolean | undefined;
}

/** The props of every section. */
export interface SectionProps {
  /** Leads to another section of the same dashboard: a figure to the rows behind it. `detail` may carry what to show there. */
  openSection: (id: string, detail?: Readonly<Record<string, string>>, options?: OpenSectionOptions) => void;
  /** The address that leads to a section with its settings, for a new tab (NV-01). */
  hrefOf: (id: string, detail?: Readonly<Record<string, string>>) => string;
  /** Back to the place that a record was opened from; false where there is none. */
  stepBack: () => boolean;
  /** The settings given to `openSection`: `{ status: 'pending' }`. Kept by Back and reload. */
  detail: Readonly<Record<string, string>>;
}
