import { inProject, run, tool } from './lib/project.mjs';

/** Fewer files than this were not all of them: the tool says « no violations » of what it could not read, too. */
const FILES_MIN = 120;

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
  if (files.length < FILES_MIN) violations.push(`only ${files.length} files were read, at least ${FILES_MIN} expected`);
  return { code: violations.length === 0 ? 0 : 1, output: violations.join('\n') };
}
