import type { DataSort } from './data-table.tsx';

export interface RowsSaidProps {
  count: number;
  columns: readonly { id: string; header: string }[];
  /** The order now, and the one that the list opened with. */
  sort: DataSort | undefined;
  first: DataSort | undefined;
}

/** « 12 résultats, triés par Date, ordre décroissant », for whoever does not see the rows change (DF-82). */
export default function RowsSaid({ count, columns, sort, first }: RowsSaidProps) {
  const plural = count > 1 ? 's' : '';
  const isSorted = sort?.id !== first?.id || sort?.desc !== first?.desc;
  const by = columns.find(({ id }) => isSorted && id === sort?.id)?.header;
  const order =
    by === undefined ? '' : `, trié${plural} par ${by}, ordre ${sort?.desc === true ? 'décroissant' : 'croissant'}`;
  return `${count.toLocaleString('fr-FR')} résultat${plural}${order}`;
}
