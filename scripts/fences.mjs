import { readdirSync, readFileSync } from 'node:fs';

import { inProject, run, tool } from './lib/project.mjs';

/** Fewer files than this were not all of them: the tool says « no violations » of what it could not read, too. */
const FILES_MIN = 120;

/** Where amounts of money are read, computed and sent: no float may hold one (M-10). */
const MONEY_FOLDERS = ['domain/src', 'web/app', 'server/src/functions'];
const TO_FLOAT = /(?<![\w.])(?:Number|(?:Number\.)?parseFloat)\(|\.toFixed\(|\.valueAsNumber\b/u;
/** Numbers by their nature, no amount is computed from them. */
const FLOATS_ALLOWED = new Map([['web/app/ui/amount-input.tsx', /'aria-value(?:min|max|now)': /u]]);

/** Lines that turn a text into a float where money is at hand. */
export function findFloats() {
  return MONEY_FOLDERS.flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file))
      .flatMap((file) =>
        readFileSync(inProject(file), 'utf8')
          .split('\n')
          .flatMap((line, index) =>
            TO_FLOAT.test(line) && FLOATS_ALLOWED.get(file)?.test(line) !== true ? [`${file}:${index + 1}`] : [],
          ),
      ),
  );
}

/** What may import what, as `.dependency-cruiser.cjs` has it. */
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
  if (files.length < FILES_MIN) violations.push(`only ${files.length} files were read, at least ${FILES_MIN} expected`);
  return { code: violations.length === 0 ? 0 : 1, output: violations.join('\n') };
}
