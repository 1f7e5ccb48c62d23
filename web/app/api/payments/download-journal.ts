import { downloadExport } from '../company/export-list.ts';

/** EX-02: the accounting journal of a period, in the form of the French FEC or as CSV. */
export function downloadJournal(period: string, format: 'txt' | 'csv', signal: AbortSignal): Promise<File> {
  return downloadExport(`accounting/${period}.${format}`, { onProgress: () => undefined, signal });
}
