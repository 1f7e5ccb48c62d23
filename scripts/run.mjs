// node scripts/run.mjs <file.ts> [arguments]: runs a TypeScript file of the project with the project's Node.
import { ensureInstalled } from './ensure-installed.mjs';
import { supervise } from './lib/supervise.mjs';

try {
  await ensureInstalled();
  supervise(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${error.message}\n\n`);
  process.exit(1);
}
