import { downloadExport, type Download } from '../company/export-list.ts';

/** UI-12: all that an accountant asks for of a year or a month, as one ZIP. */
export function downloadDossier(period: string, download: Download): Promise<File> {
  return downloadExport(`dossier/${period}.zip`, download);
}
