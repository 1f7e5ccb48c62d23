import { downloadExport } from '../company/export-list.ts';

/** PP-03: the statement of a period, of one payee as PDF or CSV, or of everybody as an archive. */
export function downloadStatement(
  period: string,
  wanted: { payeeId: string; format: 'pdf' | 'csv' } | 'everybody',
  signal: AbortSignal,
): Promise<File> {
  const file =
    wanted === 'everybody'
      ? `${period}.zip`
      : `${period}.${wanted.format}?${new URLSearchParams({ payee: wanted.payeeId })}`;
  return downloadExport(`statements/${file}`, { onProgress: () => undefined, signal });
}
