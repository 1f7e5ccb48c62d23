import { downloadExport } from '../company/export-list.ts';

/** UI-12: all that an accountant asks for of a year or a month, as one ZIP. */
export function downloadDossier(period: string, signal: AbortSignal): Promise<File> {
  return downloadExport(`dossier/${period}.zip`, { onProgress: () => undefined, signal });
}
