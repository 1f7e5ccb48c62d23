import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/**
 * `npm run dev` runs this beside the API: set API_ORIGIN to where the server listens and the five doors,
 * the configuration and the health checks are proxied to it, so the page and the API share one origin as in production.
 */
const apiOrigin = process.env['API_ORIGIN'] ?? 'http://127.0.0.1:3000';
const doors = ['/auth/v1', '/rest/v1', '/functions/v1', '/realtime/v1', '/storage/v1', '/config.json', '/health'];

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  server: {
    proxy: Object.fromEntries(doors.map((door) => [door, { target: apiOrigin, changeOrigin: false, ws: true }])),
  },
  build: { target: 'es2023', sourcemap: false, assetsInlineLimit: 0 },
});
