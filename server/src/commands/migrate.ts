import { migrate, planOf, requireInstallation } from '@parrain/database/migrate';
import type { PlannedMigration } from '@parrain/database/migrate';

import { CommandError, runOwnerCommand } from './context.ts';

const [option, ...more] = process.argv.slice(2);
const isDryRun = option === '--dry-run';

// npm run migrate -- --dry-run: what it would do, and about how long it would take; nothing is written.
// npm run migrate: this version's migrations, on the database of an installation whose nodes go on with the former version.
await runOwnerCommand(async ({ owner }) => {
  if (more.length > 0 || (option !== undefined && !isDryRun)) {
    throw new CommandError('Usage : npm run migrate, ou npm run migrate -- --dry-run');
  }
  if (isDryRun) {
    process.stdout.write(toldPlan(await planOf(owner)));
    return 0;
  }
  const applied = await migrate(owner, { onApplied: (name) => process.stdout.write(`✓ ${name}\n`) });
  process.stdout.write(
    applied.length === 0
      ? 'La base est déjà à jour.\n'
      : `${applied.length} migration${applied.length > 1 ? 's faites' : ' faite'}. Redémarrez maintenant les serveurs l'un après l'autre avec cette version.\n`,
  );
  return 0;
}, requireInstallation);

function toldPlan(plan: readonly PlannedMigration[]): string {
  if (plan.length === 0) return 'La base est déjà à jour.\n';
  const lines = plan.map(({ name, seconds, tables }) => {
    const rows = tables.map((table) => `${table.name} (${table.rows.toLocaleString('fr-FR')} lignes)`).join(', ');
    return `  ${name} : ${tables.length === 0 ? 'un instant' : `${aboutSeconds(seconds)}, lit ${rows}`}\n`;
  });
  const total = plan.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    `${plan.length} migration${plan.length > 1 ? 's' : ''} à faire, ${aboutSeconds(total)} en tout ; les serveurs continuent de répondre :\n` +
    `${lines.join('')}Rien n'a été changé. La durée est estimée d'après la vitesse de lecture mesurée à l'instant.\n`
  );
}

function aboutSeconds(seconds: number): string {
  if (seconds < 1) return 'moins d’une seconde';
  return seconds < 90 ? `environ ${Math.ceil(seconds)} s` : `environ ${Math.ceil(seconds / 60)} min`;
}
