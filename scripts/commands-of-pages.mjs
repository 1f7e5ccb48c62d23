// The operator's pages print commands. Each block of them says, in a comment above it, what runs it; this says which do not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { inProject } from './lib/project.mjs';

const PAGES = 'docs/operations';
/** Languages of the blocks that hold no commands: files and answers, covered by other tests. */
const OTHER_LANGUAGES = new Set(['text', 'json', 'nginx', 'caddy', 'ini', 'yaml', 'sql']);
const RUN_BY = /^<!-- run by: (?<files>\S+?(?:, \S+?)*)(?: « (?<name>[^»]+) »)? -->$/u;

const NPM_COMMAND = /npm run (?:--silent )?([\w-]+)/gu;

/** @typedef {{ page: string, line: number, language: string, text: string, files: string[], name?: string }} Block */

/** Every fenced block of the operator's pages, with the files that run it and the name they know it by. */
export function blocksOfPages(folder = inProject(PAGES)) {
  /** @type {Block[]} */
  const blocks = [];
  for (const page of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
    const lines = readFileSync(path.join(folder, page), 'utf8').split('\n');
    for (let line = 0; line < lines.length; line += 1) {
      const language = /^```(?<language>\w*)$/u.exec(lines[line])?.groups.language;
      if (language === undefined) continue;
      const end = lines.indexOf('```', line + 1);
      const above = lines[line - 1] === '' ? lines[line - 2] : lines[line - 1];
      const { files = '', name } = RUN_BY.exec(above ?? '')?.groups ?? {};
      blocks.push({
        page,
        line: line + 1,
        language,
        text: lines.slice(line + 1, end).join('\n'),
        files: files.split(', ').filter((file) => file !== ''),
        name,
      });
      line = end;
    }
  }
  return blocks;
}

/** Blocks of commands that nothing runs, and npm's commands that do not exist. */
export function checkCommandsOfPages(folder = inProject(PAGES)) {
  const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const problems = [];
  for (const { page, line, language, text, files, name } of blocksOfPages(folder)) {
    if (OTHER_LANGUAGES.has(language)) continue;
    const where = `${PAGES}/${page}:${line}`;
    if (files.length === 0) {
      problems.push(
        `${where}: nothing says what runs this block. Above it: <!-- run by: path/of/the.test.ts -->, ` +
          `or, where it holds no command, one of these languages: ${[...OTHER_LANGUAGES].join(', ')}`,
      );
      continue;
    }
    const missing = files.filter((file) => !existsSync(inProject(file)));
    if (missing.length > 0) {
      problems.push(`${where}: ${missing.join(', ')} does not exist`);
      continue;
    }
    const runners = files.map((file) => readFileSync(inProject(file), 'utf8')).join('\n');
    if (name !== undefined && !runners.includes(`commandsOf('${page}', '${name}')`)) {
      problems.push(`${where}: ${files.join(', ')} does not ask for commandsOf('${page}', '${name}')`);
    }
    for (const [, command] of text.matchAll(NPM_COMMAND)) {
      if (name === undefined && !runners.includes(command)) {
        problems.push(`${where}: ${files.join(', ')} does not run ${command}`);
      }
    }
  }
  for (const page of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
    for (const [, command] of readFileSync(path.join(folder, page), 'utf8').matchAll(NPM_COMMAND)) {
      if (scripts[command] === undefined) problems.push(`${PAGES}/${page}: there is no « npm run ${command} »`);
    }
  }
  return { code: problems.length === 0 ? 0 : 1, output: problems.join('\n') };
}
