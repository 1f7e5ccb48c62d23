import type { ExportedListName } from '@parrain/domain/exports';
import type { ReactNode } from 'react';
import { selectionQuery } from '#api/transport/read-page';
import { ExportMenu } from '../../parts/export-menu.tsx';
import type { useSelection } from '../../parts/use-selection.ts';
import { SelectAll, type SelectAllProps } from './select-all.tsx';

export interface BulkBarProps<Row extends { id: string }> extends SelectAllProps<Row> {
  page: (NonNullable<SelectAllProps<Row>['page']> & { query: string }) | undefined;
  selection: ReturnType<typeof useSelection<Row>>;
  /** « 6 sélectionnées · 3 821,17 € ». */
  summary: ReactNode;
  exported: ExportedListName;
  /** The acts. */
  children?: ReactNode;
}

/** NV-04: how many rows are selected and how much, the way to all that the filters leave, and what can be done with them. */
export function BulkBar<Row extends { id: string }>({ summary, exported, children, ...props }: BulkBarProps<Row>) {
  const { page, selection } = props;
  return (
    <>
      <p role="status" className="font-medium">
        {summary}
      </p>
      <SelectAll {...props} />
      <div className="flex flex-wrap gap-2">
        {children}
        <ExportMenu
          list={exported}
          page={
            page && {
              query: selectionQuery(
                page,
                selection.rows.map((row) => row.id),
              ),
            }
          }
        />
      </div>
    </>
  );
}
