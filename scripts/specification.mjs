// Writes, under each row of docs/specification.md, the test files that name it; says which rows no test names.
// `node scripts/specification.mjs` rewrites the file; with --check it only compares, and fails where the file is stale.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const file = path.join(root, 'docs/specification.md');
const ROW = /\b(?:L|R|A|H|AD|CO|CL|D|S|V|P|AU|F|RE|RT|ST|E|M|I|X|FX|OP)-\d{2}\b/g;
const MARK = '  ↳ ';

const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => /\.(test|spec)\.tsx?$/.test(name));
const holders = new Map();
for (const test of tests) {
  for (const [, list] of readFileSync(path.join(root, test), 'utf8').matchAll(
    /\[((?:[A-Z]{1,2}-\d{2}(?:[ ,]+)?)+)\]/g,
  )) {
    for (const id of list.match(ROW)) holders.set(id, (holders.get(id) ?? new Set()).add(test));
  }
}

const before = readFileSync(file, 'utf8');
const unnamed = [];
const after = before
  .split('\n')
  .filter((line) => !line.startsWith(MARK))
  .flatMap((line) => {
    if (!line.startsWith('- ')) return [line];
    const ids = [...new Set(line.match(ROW) ?? [])].filter((id) => isDefinedBy(line, id));
    if (ids.length === 0) return [line];
    unnamed.push(...ids.filter((id) => !holders.has(id)));
    const names = [...new Set(ids.flatMap((id) => [...(holders.get(id) ?? [])]))].toSorted((a, b) =>
      a.localeCompare(b),
    );
    return [line, `${MARK}${names.length > 0 ? names.join(', ') : 'no test yet'}`];
  })
  .join('\n');

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/specification.md is stale: run `node scripts/specification.mjs`');
    process.exit(1);
  }
} else {
  writeFileSync(file, after);
}
console.log(unnamed.length > 0 ? `rows that no test names: ${unnamed.join(' ')}` : 'every row is named by a test');

/** A row defines the ids it opens with, or lists one after the other with a dot before them; other mentions are references. */
function isDefinedBy(line, id) {
  return line.startsWith(`- ${id}`) || new RegExp(`[·.] ${id} `).test(line);
}
