import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { hashOf, inProject, run, tool } from './project.mjs';

const SOURCES = [
  'web/app',
  'web/public',
  'web/package.json',
  'web/vite.config.ts',
  'web/chunks.ts',
  'web/react-router.config.ts',
  'web/tsconfig.json',
  'domain/src',
  'package-lock.json',
  'scripts/lib/build-web.mjs',
];
const ATTEMPTS_MAX = 3;
const STAMP = inProject('web', 'build', '.sources');

/** True when the web application is built from the sources that are here; where it comes without them, as it is. */
export function isWebBuilt() {
  if (!existsSync(STAMP)) return false;
  return !existsSync(inProject('web', 'app')) || readFileSync(STAMP, 'utf8') === hashOf(SOURCES);
}

/** Builds the web application where its sources changed since the last build. */
export async function ensureWebBuilt() {
  if (isWebBuilt()) return;
  const sources = hashOf(SOURCES);
  process.stdout.write("Construction de l'application web…\n");
  const { code, output } = await build();
  if (code !== 0) throw new Error(`La construction de l'application web a échoué :\n${output}`);
  putFirstPictureFirst(inProject('web', 'build', 'client'));
  compressAssets(inProject('web', 'build', 'client', 'assets'));
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, sources);
}

/** A page that is written at the end has ten seconds, which no setting lengthens: on a busy machine it is asked for again. */
async function build() {
  const [node, script] = tool('@react-router/dev', 'react-router');
  for (let attempt = 1; ; attempt += 1) {
    const result = await run(node, [...script, 'build'], { cwd: inProject('web'), capture: true });
    if (attempt === ATTEMPTS_MAX || !/Prerender: .*aborted due to timeout/u.test(result.output)) return result;
  }
}

/**
 * A page that is written at build time carries its styles, and its scripts are asked for once it is painted: it is shown as soon as
 * it is there, however slow the line. The link of the styles stays for React, which looks for it, and is not followed: `disabled`
 * alone keeps Chromium's parser from it and not its preload scanner, which reads `media`.
 */
function putFirstPictureFirst(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (path.basename(name) !== 'index.html') continue;
    const file = path.join(folder, name);
    const html = readFileSync(file, 'utf8').replace(
      /<link rel="stylesheet" href="(?<address>\/assets\/[\w.-]+\.css)"\/>/gu,
      (link, address) =>
        `<style>${readFileSync(path.join(folder, address), 'utf8').trim()}</style>${link.replace('/>', ' media="not all" disabled=""/>')}`,
    );
    writeFileSync(file, withScriptsAfterPaint(html, file));
  }
}

/**
 * The application's modules as React Router names them in the page (`modulepreload` links, and static imports of the manifest and the
 * routes), asked for after the first paint, or soon where a tab that nobody looks at paints nothing. The framework runs in a task of
 * its own: together they would hold a slow phone up.
 */
function withScriptsAfterPaint(html, file) {
  const preloads = /<link rel="modulepreload" href="(?<address>[^"]+)"\/>/gu;
  const addresses = [...html.matchAll(preloads)].map(({ groups }) => groups.address);
  if (addresses.length === 0) return html;
  const entry =
    /(?<opening><script type="module" async="">)import "(?<manifest>[^"]+)";\n(?<routes>(?:import \* as route\d+ from "[^"]+";\n)+)(?<rest>[\s\S]*?<\/script>)/u;
  const { opening, manifest, routes, rest } = entry.exec(html)?.groups ?? {};
  const framework = addresses.find((address) => address.includes('/framework-'));
  if (rest === undefined || framework === undefined) throw new Error(`The scripts of ${file} are not where they were`);
  const start = [
    'await new Promise((painted) => { requestAnimationFrame(() => setTimeout(painted)); setTimeout(painted, 300); });',
    `for (const href of ${JSON.stringify(addresses)}) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", fetchPriority: "low", href }));`,
    `for (const address of ${JSON.stringify([framework, manifest])}) await import(address);`,
    routes.replaceAll(
      /import \* as (?<name>route\d+) from (?<address>"[^"]+");/gu,
      'const $<name> = await import($<address>);',
    ),
  ];
  return html.replaceAll(preloads, '').replace(entry, () => `${opening}${start.join('\n')}${rest}`);
}

/** Each hashed file gets its compressed twins once, so that no request pays for them. */
function compressAssets(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(?:js|css|svg|json)$/u.test(name)) continue;
    const file = path.join(folder, name);
    const content = readFileSync(file);
    if (content.length < 200) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
}
