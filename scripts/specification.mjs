// npm run specification: writes, under each row of docs/specification.md, the test files that name it.
// With -- --check it writes nothing and fails where a list is stale, a row has no test, or the list of rows not begun is wrong.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { inProject, root } from './lib/project.mjs';

const SPECIFICATION = 'docs/specification.md';
const NOT_BEGUN = 'docs/not-begun.md';
const ID = /[A-Z]{1,2}-\d{2}/gu;
const ROW = /^- (?<id>[A-Z]{1,2}-\d{2}) /u;
const NOT_BEGUN_ROW = /^\| (?<id>[A-Z]{1,2}-\d{2}) \|/u;
/** Rows named in a test's title: `[V-14]`, or `[V-14, S-02]`. */
const NAMED = /\[((?:[A-Z]{1,2}-\d{2}(?:[ ,]+)?)+)\]/gu;
const MARK = '  ↳ ';

/** The test files that name each row. */
function namedRows() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => /\.(?:test|spec)\.tsx?$/u.test(name));
  const holders = new Map();
  for (const file of files) {
    let text;
    try {
      text = readFileSync(path.join(root, file), 'utf8');
    } catch {
      // Git still lists a file that was moved and not yet added.
      continue;
    }
    for (const [, list] of text.matchAll(NAMED)) {
      for (const id of list.match(ID)) holders.set(id, (holders.get(id) ?? new Set()).add(file));
    }
  }
  return holders;
}

/** The specification with its lists of tests written anew. */
function withTests(text, holders) {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(MARK))
    .flatMap((line) => {
      const id = ROW.exec(line)?.groups.id;
      if (id === undefined) return [line];
      const files = [...(holders.get(id) ?? [])].toSorted((a, b) => a.localeCompare(b));
      return [line, `${MARK}${files.length > 0 ? files.join(', ') : 'no test yet'}`];
    })
    .join('\n');
}

const idsOf = (text, row) => text.split('\n').flatMap((line) => row.exec(line)?.groups.id ?? []);
const repeated = (ids) => ids.filter((id, at) => ids.indexOf(id) !== at);

/**
 * The rows that break the rule: each row is named by a test or stands, alone on its line, on the list of rows not begun;
 * never both, so the list only shrinks.
 * @param {{ specification: string, notBegun: string, holders: Map<string, Set<string>> }} texts
 */
export function problemsOfRows({ specification, notBegun, holders }) {
  const rows = idsOf(specification, ROW);
  const waiting = idsOf(notBegun, NOT_BEGUN_ROW);
  return [
    ...repeated(rows).map((id) => `${id} stands twice in ${SPECIFICATION}`),
    ...repeated(waiting).map((id) => `${id} stands twice in ${NOT_BEGUN}`),
    ...specification
      .split('\n')
      .flatMap((line) => (ROW.test(line) ? (line.match(/(?: ·|\.) [A-Z]{1,2}-\d{2}(?= )/gu) ?? []) : []))
      .map((found) => `${found.slice(-5).trim()} shares a line of ${SPECIFICATION}: one row a line`),
    ...notBegun
      .split('\n')
      .filter((line) => line.startsWith('|') && (line.match(/^\|[^|]*/u)?.[0].match(ID) ?? []).length > 1)
      .map((line) => `${NOT_BEGUN} groups rows, one a line: ${line}`),
    ...rows
      .filter((id) => !holders.has(id) && !waiting.includes(id))
      .map((id) => `${id}: no test names it; a test's title must, as « [${id}] … »`),
    ...waiting
      .filter((id) => holders.has(id))
      .map((id) => `${id} is begun (${[...holders.get(id)].join(', ')}): take it off ${NOT_BEGUN}`),
  ];
}

/** Every row of the specification has a test, or is on the list of rows not begun. */
export function checkSpecification() {
  const specification = readFileSync(inProject(SPECIFICATION), 'utf8');
  const holders = namedRows();
  const problems = problemsOfRows({ specification, notBegun: readFileSync(inProject(NOT_BEGUN), 'utf8'), holders });
  if (withTests(specification, holders) !== specification) {
    problems.push(`${SPECIFICATION} is stale: run npm run specification`);
  }
  return { code: problems.length === 0 ? 0 : 1, output: problems.join('\n') };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) {
    writeFileSync(inProject(SPECIFICATION), withTests(readFileSync(inProject(SPECIFICATION), 'utf8'), namedRows()));
  }
  const { code, output } = checkSpecification();
  console.log(code === 0 ? 'every row is named by a test, or is not begun' : output);
  process.exitCode = code;
}
