import { replicaOf } from '@parrain/database/connect';

import { runOwnerCommand } from './context.ts';
import { printVerification } from './verification.ts';

// npm run verify: every invariant of money, states and audit over the whole database; exit code 1 where one is broken.
await runOwnerCommand(async ({ config, owner }) => {
  if (config.databaseReadUrl === null) return printVerification(owner);
  const { replica, ageSeconds } = await replicaOf(owner, config.databaseReadUrl);
  process.stdout.write(
    ageSeconds === 0
      ? 'Lu sur la réplique (DATABASE_READ_URL), à jour.\n'
      : `Lu sur la réplique (DATABASE_READ_URL), en retard de ${ageSeconds.toLocaleString('fr-FR')} s.\n`,
  );
  return printVerification(replica);
});
