import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';

/**
 * `npm run dev` runs this beside the API: set API_ORIGIN to where the server listens and the five doors,
 * the configuration and the health checks are proxied to it, so the page and the API share one origin as in production.
 */
const apiOrigin = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:3000';
const doors = ['/auth/v1', '/rest/v1', '/functions/v1', '/realtime/v1', '/storage/v1', '/config.json', '/health'];

export default defineConfig({
  plugins: [tailwindcss(), reactRouter(), landingScript()],
  server: {
    proxy: Object.fromEntries(doors.map((door) => [door, { target: apiOrigin, changeOrigin: false, ws: true }])),
  },
  build: { target: 'es2023', sourcemap: false, assetsInlineLimit: 0 },
});

/** Builds /landing.js, the one small script of the public pages, beside the application's own entry. */
function landingScript(): Plugin {
  return {
    name: 'landing-script',
    apply: 'build',
    buildStart() {
      if (this.environment.name !== 'client') return;
      this.emitFile({ type: 'chunk', id: 'app/landing/document.ts', fileName: 'landing.js' });
    },
  };
}
