import { expect, test } from 'vitest';
import { builtAssets, builtFile, gzippedSize, wireSize } from './built-site.ts';

const KB = 1000;
/** Each file costs the server, the line and the browser some milliseconds, however small it is (web/chunks.ts). */
const FIRST_FILES_MAX = 30;

interface Manifest {
  entry: { module: string; imports: string[] };
  routes: Record<string, { id: string; parentId?: string; path?: string; module: string; imports?: string[] }>;
}

test('[L-01] the public page loads like a document: 5 KB of script at most, nothing of React, of the dashboards or of the client', () => {
  const html = builtFile('index.html');
  const scripts = withImports(
    [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/gu)].map(([, name = '']) => name),
  );
  expect(scripts.size).toBeGreaterThan(0);
  expect(total(scripts)).toBeLessThanOrEqual(5 * KB);
  for (const name of scripts) expect(builtFile(name)).not.toMatch(/react-dom|GoTrueClient|Dashboard Administrateur/u);
});

// What a page needs before its first picture is whole: its routes, and the code that they ask for at once (`also`).
test.each([
  ['/auth/login', 120, []],
  ['/auth/register', 120, []],
  ['/auth/forgot-password', 120, []],
  ['/admin/dashboard', 170, ['official-client', 'vue-d-ensemble']],
  ['/commercial/dashboard', 170, ['official-client', 'parrainages-recus']],
  ['/client/dashboard', 170, ['official-client', 'mes-parrainages']],
])(
  '[R-01] %s needs at most %i KB of compressed script in 30 files, and nothing of what comes later',
  (address, budget, also) => {
    const needed = withImports([...firstLoad(address.slice(1)), ...also.map(chunkNamed)]);
    expect(total(needed, wireSize)).toBeLessThanOrEqual(budget * KB);
    expect(needed.size).toBeLessThanOrEqual(FIRST_FILES_MAX);
    for (const name of needed) expect(builtFile(name)).not.toMatch(/GoTrueClient|phx_join|LanguageDetector/u);
  },
);

test.each(['auth/login', 'auth/register', 'auth/forgot-password'])(
  '[R-01] /%s is painted before any script is asked for: its styles are in it, and nothing goes before its fonts',
  (address) => {
    const html = builtFile(`${address}/index.html`);
    expect(html).toMatch(/<style>[^<]{20000}/u);
    for (const [link] of html.matchAll(/<link rel="stylesheet"[^>]*>/gu)) expect(link).toContain('media="not all"');
    expect(html).not.toMatch(/<link rel="modulepreload"|<script[^>]* src=/u);
    const modules = [...html.matchAll(/<script type="module"[^>]*>(?<text>[\s\S]*?)<\/script>/gu)];
    expect(modules).toHaveLength(1);
    const text = modules[0]?.groups?.['text'] ?? '';
    expect(text).toMatch(/^await new Promise\(\(painted\) => .*requestAnimationFrame/u);
    expect(text).not.toMatch(/^\s*import[\s"{*]/mu);
    expect(new Set(text.match(/\/assets\/[\w.-]+\.js/gu)).size).toBeGreaterThan(10);
  },
);

test.each(['auth/login', 'auth/register', 'auth/forgot-password'])(
  '[DF-93] the form of /%s is sent by post, and its button stays shut after a reload until the script is there',
  (address) => {
    const html = builtFile(`${address}/index.html`);
    expect(html.match(/<form\b[^>]*>/gu)).toEqual([expect.stringContaining('method="post"')]);
    const [button] = /<button\b[^>]*type="submit"[^>]*>/u.exec(html) ?? [];
    expect(button).toMatch(/ disabled=""/u);
    // Firefox restores the state of the buttons of a reloaded page, but of these.
    expect(button).toMatch(/ autoComplete="off"| autocomplete="off"/u);
  },
);

test.each([
  ['auth/login', 'signInForm'],
  ['auth/register', 'registrationForm'],
  ['auth/forgot-password', 'forgotPasswordForm'],
])(
  '[R-01] the rules that /%s checks with come in 15 KB of compressed script at most, without any screen',
  (address, rules) => {
    const shown = withImports(firstLoad(address));
    const asked = new RegExp(`\\{${rules}:\\w+\\}=await import\\(\`\\./(?<name>[\\w-]+\\.js)\``, 'u');
    const names = [...shown].flatMap((name) => asked.exec(builtFile(name))?.groups?.['name'] ?? []);
    expect(names).toHaveLength(1);
    const further = withImports(names.map((name) => `assets/${name}`)).difference(shown);
    expect(further.size).toBeGreaterThan(0);
    expect(total(further, wireSize)).toBeLessThanOrEqual(15 * KB);
  },
);

test('[R-01] no chunk is over 110 KB, and the style sheet is within 20 KB', () => {
  const tooHeavy = builtAssets().filter((name) => {
    const limit = name.endsWith('.js') ? 110 : name.endsWith('.css') ? 20 : Infinity;
    return gzippedSize(`assets/${name}`) > limit * KB;
  });
  expect(tooHeavy).toEqual([]);
});

/** The one chunk of that name. */
function chunkNamed(name: string): string {
  const found = builtAssets().filter((asset) => asset.startsWith(`${name}-`) && asset.length === name.length + 12);
  if (found.length !== 1) throw new Error(`${found.length} chunks are named ${name}`);
  return `assets/${found[0]}`;
}

function firstLoad(path: string): string[] {
  const name = builtAssets().find((asset) => /^manifest-[\w-]+\.js$/u.test(asset)) ?? '';
  const text = builtFile(`assets/${name}`);
  const manifest = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Manifest;
  const files = [`assets/${name}`, manifest.entry.module, ...manifest.entry.imports];
  let route = Object.values(manifest.routes).find((candidate) => candidate.path === path);
  if (!route) throw new Error(`No route ${path}`);
  while (route) {
    files.push(route.module, ...(route.imports ?? []));
    route = route.parentId === undefined ? undefined : manifest.routes[route.parentId];
  }
  return files.map((file) => file.replace(/^\//u, ''));
}

/** The files and everything they import at once; what they import later is not counted. */
function withImports(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const [, imported = ''] of builtFile(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/gu))
      waiting.push(`assets/${imported}`);
  }
  return seen;
}

function total(names: Iterable<string>, sizeOf = gzippedSize): number {
  let sum = 0;
  for (const name of names) sum += sizeOf(name);
  return sum;
}
