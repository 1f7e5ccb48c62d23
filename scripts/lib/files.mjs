import { readdirSync } from 'node:fs';

import { inProject } from './project.mjs';

/** Folders that hold no source of ours. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|build|\.[^/]*)\//u;

/**
 * The source files below these folders whose path matches, from the project's root: « domain/src/date.ts ».
 * @param {readonly string[]} folders
 * @param {RegExp} pattern
 * @returns {string[]}
 */
export function filesIn(folders, pattern) {
  return folders.flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => pattern.test(file) && !LEFT_OUT.test(file)),
  );
}
