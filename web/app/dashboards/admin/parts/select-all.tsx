import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { selectableMax } from '#api/transport/read-page';
import { Button } from '#ui/button';
import type { RowSelection } from '#ui/data-table';
import { useToast } from '#ui/toast';

export interface SelectAllProps<Row> {
  /** The page on screen. */
  page: { rows: readonly Row[]; rowCount: number } | undefined;
  selection: RowSelection<Row>;
  /** Reads the rows that the list's filters leave, from the first one, at most `selectableMax` of them. */
  read: () => Promise<readonly Row[]>;
  canSelect?: ((row: Row) => boolean) | undefined;
}

/** NV-04: « Sélectionner les 143 »: beyond the page, once all of it is selected; the server tells which those are. */
export function SelectAll<Row>({ page, selection, read, canSelect = always }: SelectAllProps<Row>) {
  const { t } = useTranslation();
  const toast = useToast();
  const reading = useMutation({
    mutationFn: read,
    onSuccess: (rows) => selection.set(rows.filter(canSelect), true),
    onError: (error) => toast.error(t('La sélection n’a pas abouti'), { description: reasonOf(error) }),
  });
  const selectable = (page?.rows ?? []).filter(canSelect);
  const isWhole = selectable.length > 0 && selectable.every((row) => selection.has(row));
  const most = Math.min(page?.rowCount ?? 0, selectableMax);
  if (page === undefined || !isWhole || selection.count >= most || page.rowCount <= page.rows.length) return null;
  return (
    <Button size="sm" variant="quiet" pending={reading.isPending} onClick={() => reading.mutate()}>
      {page.rowCount > selectableMax
        ? t('Sélectionner les {{count}} premiers', { count: selectableMax })
        : t('Sélectionner les {{count}}', { count: page.rowCount })}
    </Button>
  );
}

function always(): boolean {
  return true;
}
