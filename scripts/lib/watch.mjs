import { inProject } from './project.mjs';

/** Migrations are read, not imported: by itself Node would watch imported files only. */
const FOLDERS = ['server/src', 'domain/src', 'database/src', 'database/migrations'];

/** Node's parameters that start a program again as soon as a file below these folders is new, changed or gone. */
export function watching(folders = FOLDERS.map((folder) => inProject(folder))) {
  return ['--watch', ...folders.map((folder) => `--watch-path=${folder}`), '--watch-preserve-output'];
}
