import { runOwnerCommand } from './context.ts';
import { printVerification } from './verification.ts';

// npm run verify: every invariant of money, states and audit over the whole database; exit code 1 where one is broken.
await runOwnerCommand(({ owner }) => printVerification(owner));
