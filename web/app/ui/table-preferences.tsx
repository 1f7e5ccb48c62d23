import { useStored } from './stored.ts';

export type Density = 'comfortable' | 'compact';

/** How high the rows of every table are: one choice for all, remembered in this browser (NV-06). */
export function useDensity(): [Density, (density: Density) => void] {
  const [stored, keep] = useStored('table-density');
  return [
    stored === 'compact' ? 'compact' : 'comfortable',
    (density) => keep(density === 'comfortable' ? null : density),
  ];
}

export type Layout = 'table' | 'cards';

/** A list as a table or as cards, where there is room for both; remembered in this browser (NV-06). */
export function useLayout(listName: string): [Layout, (layout: Layout) => void] {
  const [stored, keep] = useStored(`table-layout:${listName}`);
  return [stored === 'cards' ? 'cards' : 'table', (layout) => keep(layout === 'table' ? null : layout)];
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
