import { expect, test } from 'vitest';
import { builtAssets, builtFile, gzippedSize } from './built-site.ts';

const KB = 1000;

interface Manifest {
  entry: { module: string; imports: string[] };
  routes: Record<string, { id: string; parentId?: string; path?: string; module: string; imports?: string[] }>;
}

test('[L-01] the public page loads like a document: 15 KB of script at most, nothing of React, of the dashboards or of the client', () => {
  const html = builtFile('index.html');
  const scripts = withImports(
    [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/gu)].map(([, name = '']) => name),
  );
  expect(scripts.size).toBeGreaterThan(0);
  expect(total(scripts)).toBeLessThanOrEqual(15 * KB);
  for (const name of scripts) expect(builtFile(name)).not.toMatch(/react-dom|GoTrueClient|Dashboard Administrateur/u);
});

test.each([
  ['/auth/login', 'auth/login', 235],
  ['/admin/dashboard', 'admin/dashboard', 250],
  ['/commercial/dashboard', 'commercial/dashboard', 250],
  ['/client/dashboard', 'client/dashboard', 250],
])('[R-01] %s loads within its budget', (_address, path, budget) => {
  const first = withImports(firstLoad(path));
  const client = builtAssets().filter(
    (name) => name.endsWith('.js') && builtFile(`assets/${name}`).includes('GoTrueClient'),
  );
  const all = new Set([...first, ...client.map((name) => `assets/${name}`)]);
  expect(total(all)).toBeLessThanOrEqual(budget * KB);
});

test('[R-01] no chunk is over 110 KB, and the style sheet is within 20 KB', () => {
  const tooHeavy = builtAssets().filter((name) => {
    const limit = name.endsWith('.js') ? 110 : name.endsWith('.css') ? 20 : Infinity;
    return gzippedSize(`assets/${name}`) > limit * KB;
  });
  expect(tooHeavy).toEqual([]);
});

function firstLoad(path: string): string[] {
  const name = builtAssets().find((asset) => /^manifest-[\w-]+\.js$/u.test(asset)) ?? '';
  const text = builtFile(`assets/${name}`);
  const manifest = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Manifest;
  const files = [manifest.entry.module, ...manifest.entry.imports];
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

function total(names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += gzippedSize(name);
  return sum;
}
