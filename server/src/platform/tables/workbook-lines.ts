import type { TableSheet } from '@parrain/domain/table-file';
import type { SheetFilterInfo, StreamRow } from 'hucre';
import { readOds, streamOdsRows } from 'hucre/ods';
import { readXlsx, streamXlsxRows } from 'hucre/xlsx';

import { withTrueSizes } from './archive-sizes.ts';
import { UnreadableTable } from './unreadable-table.ts';

export type Workbook = {
  readonly sheets: readonly TableSheet[];
  readonly rowsOf: (place: number) => AsyncGenerator<StreamRow>;
};

/** Opens an XLSX or an ODS: its sheets by name, and the rows of each as they are read. @throws UnreadableTable */
export async function openWorkbook(file: Uint8Array, kind: 'xlsx' | 'ods'): Promise<Workbook> {
  const bytes = await withTrueSizes(file);
  const sheets: TableSheet[] = [];
  // No sheet is read here: each says its name and is declined.
  const listed = (info: SheetFilterInfo): boolean => {
    sheets[info.index] = { name: info.name, isHidden: info.hidden === true || info.veryHidden === true };
    return false;
  };
  try {
    await (kind === 'xlsx' ? readXlsx : readOds)(bytes, { sheets: listed });
  } catch {
    throw new UnreadableTable('damaged');
  }
  return {
    sheets,
    rowsOf: (place) =>
      kind === 'xlsx' ? streamXlsxRows(bytes, { sheet: place }) : streamOdsRows(bytes, { sheets: [place] }),
  };
}

/** A cell as a person sees it. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().slice(0, 10).split('-').toReversed().join('/');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
