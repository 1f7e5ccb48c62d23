import { runCommand } from './context.ts';

// npm run keys: both API keys. The secret one opens every reading: it is for servers, never for a page.
await runCommand(async ({ platform }) => {
  process.stdout.write(`publishable  ${platform.keys.publishableKey}\nsecret       ${platform.keys.secretKey}\n`);
  return 0;
});
