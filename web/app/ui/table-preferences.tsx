import { useStored } from './stored.ts';

export type Density = 'comfortable' | 'compact';

/** Row height of every table: one choice for all, remembered in this browser (NV-06). */
export function useDensity(): [Density, (density: Density) => void] {
  const [stored, keep] = useStored('table-density');
  return [
    stored === 'compact' ? 'compact' : 'comfortable',
    (density) => keep(density === 'comfortable' ? null : density),
  ];
}

export type Layout = 'table' | 'cards';

/** A directory as cards, or as a list by choice; remembered in this browser (NV-06, DF-05). */
export function useLayout(listName: string): [Layout, (layout: Layout) => void] {
  const [stored, keep] = useStored(`table-layout:${listName}`);
  return [stored === 'table' ? 'table' : 'cards', (layout) => keep(layout === 'cards' ? null : layout)];
}

/** The columns that this person does without in a list, by their ids (NV-05). */
export function useHiddenColumns(listName: string): [ReadonlySet<string>, (ids: Iterable<string>) => void] {
  const [stored, keep] = useStored(`table-hidden:${listName}`);
  return [
    new Set(stored?.split(' ').filter(Boolean)),
    (ids) => {
      const text = [...ids].join(' ');
      keep(text === '' ? null : text);
    },
  ];
}
