// npm run build: the web application, where its sources changed. `npm start` does it by itself; a unit or an image has it done before.
import { ensureInstalled } from './ensure-installed.mjs';
import { ensureWebBuilt } from './lib/build-web.mjs';

try {
  await ensureInstalled();
  await ensureWebBuilt();
} catch (error) {
  process.stderr.write(`\n${error.message}\n\n`);
  process.exit(1);
}
