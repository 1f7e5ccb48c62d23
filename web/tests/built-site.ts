import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';

/** Folder of the build; `npm test` makes it before these tests. */
const builtFolder = path.join(import.meta.dirname, '..', 'build', 'client');

/** A file of the build as text. */
export function builtFile(name: string): string {
  const file = path.join(builtFolder, name);
  if (!existsSync(file)) throw new Error(`${name} is not built: run « npm run build -w web »`);
  return readFileSync(file, 'utf8');
}

/** The size of a file of the build in bytes as browsers get it: its Brotli twin, or itself where it is too small for one. */
export function wireSize(name: string): number {
  const file = path.join(builtFolder, name);
  return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;
}

/** The size of a file of the build in bytes, by gzip. */
export function gzippedSize(name: string): number {
  return gzipSync(readFileSync(path.join(builtFolder, name)), { level: 6 }).length;
}

export function builtAssets(): string[] {
  return readdirSync(path.join(builtFolder, 'assets'));
}

/** Serves the build as files, at a free port; an address that is no file gets the fallback page. Gives its origin. */
export function builtSite(): { origin: () => string } {
  let origin = '';
  const server = createServer((request, reply) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    let file = path.join(builtFolder, path.normalize(pathname));
    if (existsSync(file) && statSync(file).isDirectory()) file = path.join(file, 'index.html');
    if (!existsSync(file)) file = path.join(builtFolder, '__spa-fallback.html');
    // A build that starts again meanwhile takes its files away.
    if (!existsSync(file)) {
      reply.writeHead(503).end();
      return;
    }
    reply.setHeader('content-type', contentTypes[path.extname(file)] ?? 'application/octet-stream');
    reply.end(readFileSync(file));
  });
  beforeAll(async () => {
    builtFile('index.html');
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: () => origin };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
