import { readFileSync } from 'node:fs';

import { filesIn } from './lib/files.mjs';
import { inProject, run, tool } from './lib/project.mjs';

/** Fewer files than this were not all of them: the tool says « no violations » of what it could not read, too. */
const FILES_MIN = 120;

/** Folders that read, compute and send amounts of money: no float may hold one (M-10). */
const MONEY_FOLDERS = ['domain/src', 'web/app', 'server/src/functions'];
const TO_FLOAT = /(?<![\w.])(?:Number|(?:Number\.)?parseFloat)\(|\.toFixed\(|\.valueAsNumber\b/u;
/** Numbers by their nature, no amount is computed from them. */
const FLOATS_ALLOWED = new Map([['web/app/ui/amount-input.tsx', /'aria-value(?:min|max|now)': /u]]);

/** Lines that turn a text into a float where money is at hand. */
export function findFloats() {
  return filesIn(MONEY_FOLDERS, /(?<!\.test)\.tsx?$/u).flatMap((file) =>
    readFileSync(inProject(file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        TO_FLOAT.test(line) && FLOATS_ALLOWED.get(file)?.test(line) !== true ? [`${file}:${index + 1}`] : [],
      ),
  );
}

/** A wait for a time and for no event: red where a machine is slower than the writer's, and slow where it is not. */
const FIXED_SLEEP =
  /waitForTimeout\(|^\s*await (?:wait|sleep|delay|pause|setTimeout)\(\s*[^0\s)]|\bsetTimeout\(\s*\w+,\s*[1-9]/u;
/** The comment above a wait whose subject is time, such as two signals one after the other: it says why. */
const TIME_ITSELF = /^\s*\/\/ Time itself: \S/u;
const LOOP_UNTIL = /^\s*(?:while|do|for \(;;\))(?![\w$])/u;
const WITHIN_LOOP = /^\s*(?:\}? ?(?:if|else|try|catch)(?![\w$])|\} (?:else|catch))/u;

/** The lines of tests that sleep: neither between two looks of a loop at what is to come, nor where time itself is tried. */
export function findFixedSleeps(files = testSources()) {
  return files.flatMap(({ file, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) =>
      FIXED_SLEEP.test(line) && !TIME_ITSELF.test(lines[index - 1] ?? '') && !isBetweenLooks(lines, index)
        ? [`${file}:${index + 1}`]
        : [],
    );
  });
}

/** True when the innermost block that is no condition is a loop without a counter. */
function isBetweenLooks(lines, index) {
  const indent = (line) => line.length - line.trimStart().length;
  let depth = indent(lines[index]);
  for (let at = index - 1; at >= 0 && depth > 0; at -= 1) {
    const line = lines[at];
    if (line.trim() === '' || indent(line) >= depth) continue;
    if (LOOP_UNTIL.test(line)) return true;
    if (!WITHIN_LOOP.test(line)) return false;
    depth = indent(line);
  }
  return false;
}

function testSources() {
  const folders = ['domain/src', 'database/tests', 'server/src', 'web/app', 'web/tests', 'e2e/stories'];
  return filesIn(folders, /\.(?:test|story)\.tsx?$/u).map((file) => ({
    file,
    text: readFileSync(inProject(file), 'utf8'),
  }));
}

/** Checks the imports between folders by the rules of `.dependency-cruiser.cjs`. */
export async function checkFences() {
  const [node, script] = tool('dependency-cruiser', 'depcruise');
  const folders = ['domain/src', 'database/src', 'server/src', 'web/app'];
  const { code, output } = await run(
    node,
    [...script, ...folders, '--config', inProject('.dependency-cruiser.cjs'), '--output-type', 'json'],
    { capture: true },
  );
  let result;
  try {
    result = JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return { code: code === 0 ? 1 : code, output };
  }
  const files = result.modules.filter((module) => /^(?:domain|database|server|web)\/.*\.tsx?$/u.test(module.source));
  const violations = result.summary.violations.map((found) => `${found.rule.name}: ${found.from} → ${found.to}`);
  violations.push(...findFloats().map((place) => `no-float-holds-money: ${place}`));
  violations.push(
    ...findFixedSleeps().map(
      (place) => `a-test-waits-for-an-event: ${place} (« // Time itself: … » above it where time is what is tried)`,
    ),
  );
  if (files.length < FILES_MIN) violations.push(`only ${files.length} files were read, at least ${FILES_MIN} expected`);
  return { code: violations.length === 0 ? 0 : 1, output: violations.join('\n') };
}
