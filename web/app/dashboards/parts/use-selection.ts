import { useState } from 'react';
import type { RowSelection } from '#ui/data-table';

/**
 * The rows that a person has selected in a list, as they were seen then: they live through its pages, filters and searches
 * (NV-04). What is decided on them is decided on what was seen.
 */
export function useSelection<Row extends { id: string }>(): RowSelection<Row> & { rows: readonly Row[] } {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    rows: [...selected.values()],
    has: (row) => selected.has(row.id),
    count: selected.size,
    set: (rows, isSelected) =>
      setSelected((before) => {
        const next = new Map(before);
        for (const row of rows) {
          if (isSelected) next.set(row.id, row);
          else next.delete(row.id);
        }
        return next;
      }),
    clear: () => setSelected(new Map()),
  };
}
