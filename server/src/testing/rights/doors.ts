import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

import { startTestServer } from '../index.ts';
import type { TestServer, TestServerOptions } from '../index.ts';

/** Something that answers: a route, or one action of a product function. */
export type Address = { readonly method: string; readonly url: string };

/** A server, and every route that it was given while it started. */
export async function startCountedServer(
  options: TestServerOptions,
): Promise<{ readonly server: TestServer; readonly routes: readonly Address[] }> {
  const routes: Address[] = [];
  const watch = (message: unknown): void => {
    (message as { readonly fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) routes.push({ method: each, url });
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { server: await startTestServer(options), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}

/** HEAD comes with GET, OPTIONS is the router's, and the others no browser sends. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * The addresses of the doors: not the site's, nor those that the router answers by itself (HEAD where GET is, OPTIONS). A
 * function stands there with each of its actions.
 */
export async function addressesOf(routes: readonly Address[]): Promise<readonly Address[]> {
  const found = new Map<string, Address>();
  for (const { method, url } of routes) {
    if (!/^\/(?:auth|rest|functions|storage|realtime|exports)\/v1\b/u.test(url)) continue;
    if (!METHODS.has(method)) continue;
    if (url.startsWith('/functions/v1/')) continue;
    found.set(`${method} ${url}`, { method, url });
  }
  for (const { url } of routes.filter((route) => route.method === 'POST' && route.url.startsWith('/functions/v1/'))) {
    const { default: actions } = (await import(`../../functions/${url.split('/').at(-1)}/index.ts`)) as {
      readonly default: Readonly<Record<string, { readonly method?: string }>>;
    };
    for (const [action, { method = 'POST' }] of Object.entries(actions)) {
      const address = `${url}${action === '' ? '' : `?action=${action}`}`;
      found.set(address, { method, url: address });
    }
  }
  return [...found.values()];
}

/** The folders of the product functions: none answers that is no folder, and none is forgotten. */
export function functionFolders(): string[] {
  const folder = new URL('../../functions/', import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'mails')
    .map(({ name }) => name)
    .toSorted();
}
