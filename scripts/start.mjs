// npm start: installs where needed, builds the web application where its sources changed, starts the server.
import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt, isWebBuilt } from './lib/build-web.mjs';
import { supervise } from './lib/supervise.mjs';

try {
  // A server that comes built needs no build tools (npm ci --omit=dev).
  await ensureInstalled({ isDevelopment: !isWebBuilt() });
  await ensureWebBuilt();
  supervise(['server/src/main.ts'], { restart: true });
} catch (error) {
  process.stderr.write(`\n${error.message}\n\n`);
  process.exit(1);
}
