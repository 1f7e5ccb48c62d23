import { download } from '../../ui/charts/download.ts';

/** Gives a file to the person, as the browser saves downloads. */
export function saveFile(file: File): void {
  download(file.name, file);
}
