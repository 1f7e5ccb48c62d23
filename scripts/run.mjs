// node scripts/run.mjs <file.ts> [arguments]: runs a TypeScript file of the project with the project's Node.
import { ensureInstalled } from './ensure-installed.mjs';
import { supervise } from './lib/supervise.mjs';

try {
  const [file = '', ...parameters] = process.argv.slice(2);
  // The server's own commands are there in production too.
  await ensureInstalled({ isDevelopment: !file.startsWith('server/') });
  supervise([file, ...parameters]);
} catch (error) {
  process.stderr.write(`\n${error.message}\n\n`);
  process.exit(1);
}
