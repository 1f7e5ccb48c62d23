import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { sharedChunks } from './chunks.ts';

/**
 * `npm run dev` runs this beside the API: set API_ORIGIN to where the server listens and the five doors,
 * the configuration, the pages of personal links and the health checks are proxied to it, so the page and the API share one origin as in production.
 */
const apiOrigin = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:3000';
const doors = [
  '/auth/v1',
  '/rest/v1',
  '/functions/v1',
  '/realtime/v1',
  '/storage/v1',
  '/exports/v1',
  '/config.json',
  '/p/',
  '/accord',
  '/decouvrir',
  '/ma-demande',
  '/vos-donnees',
  '/regles',
  '/health',
];

export default defineConfig({
  plugins: [tailwindcss(), reactRouter(), landingScript(), namedChunks()],
  // The hook of the screens, without the library behind it on a page's first load (app/translation.ts).
  resolve: { alias: { 'react-i18next': path.join(import.meta.dirname, 'app/translation.ts') } },
  server: {
    proxy: Object.fromEntries(doors.map((door) => [door, { target: apiOrigin, changeOrigin: false, ws: true }])),
  },
  build: {
    // The floor (app/floor.ts); of the styles a step below it: media ranges are written in the older way, which what is refused reads too.
    target: ['chrome111', 'edge111', 'firefox115', 'safari16.4', 'ios16.4'],
    cssTarget: ['chrome103', 'firefox115', 'safari16.3', 'ios16.3'],
    sourcemap: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // The code that every page of React's needs is one file: it compresses better than in pieces.
        codeSplitting: {
          groups: [
            {
              name: 'framework',
              test: /\/node_modules\/(?:react|react-dom|scheduler|react-router|clsx|cookie-es)\//,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});

/** Names the chunks that the browser's pages share, by `chunks.ts`; the server's build, which only writes pages, is left as it is. */
function namedChunks(): Plugin {
  return {
    name: 'named-chunks',
    configEnvironment(environment) {
      if (environment !== 'client') return null;
      const group = { name: sharedChunks(), includeDependenciesRecursively: false };
      // A named chunk asks for the signatures; a route is an entry that nothing imports, and exports what it did.
      const rolldownOptions = {
        preserveEntrySignatures: 'allow-extension' as const,
        output: { codeSplitting: { groups: [group] } },
      };
      return { build: { rolldownOptions } };
    },
  };
}

/**
 * Builds the one small script of the public pages beside the application's own entry, and tells its hashed address to
 * the pages written afterwards (`virtual:landing-script`).
 */
function landingScript(): Plugin {
  const virtualId = 'virtual:landing-script';
  return {
    name: 'landing-script',
    buildStart() {
      if (this.environment.mode !== 'build' || this.environment.name !== 'client') return;
      this.emitFile({ type: 'chunk', id: 'app/landing/document.ts', name: 'landing-script' });
    },
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : null),
    async load(id) {
      if (id !== `\0${virtualId}`) return null;
      // The pages are written by the second build; in the browser, and in development, nothing reads the address.
      const isWriting = this.environment.mode === 'build' && this.environment.name === 'ssr';
      const names = isWriting ? await readdir('build/client/assets') : [];
      const name = names.find((candidate) => /^landing-script-[\w-]+\.js$/u.test(candidate));
      if (isWriting && name === undefined) throw new Error('The script of the public pages was not built');
      return `export default ${JSON.stringify(name === undefined ? '' : `/assets/${name}`)}`;
    },
  };
}
