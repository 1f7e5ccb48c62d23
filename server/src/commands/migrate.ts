import { migrate, requireInstallation } from '@parrain/database/migrate';

import { runOwnerCommand } from './context.ts';

// npm run migrate: this version's migrations, on the database of an installation whose nodes go on with the former version.
await runOwnerCommand(async ({ owner }) => {
  const applied = await migrate(owner, { onApplied: (name) => process.stdout.write(`✓ ${name}\n`) });
  process.stdout.write(
    applied.length === 0
      ? 'La base est déjà à jour.\n'
      : `${applied.length} migration${applied.length > 1 ? 's faites' : ' faite'}. Redémarrez maintenant les serveurs l'un après l'autre avec cette version.\n`,
  );
  return 0;
}, requireInstallation);
