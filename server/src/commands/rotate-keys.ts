import { audit } from '../auth/audit.ts';
import { rotateSigningKeys } from '../platform/signing-keys.ts';
import { ACCESS_TOKEN_SECONDS } from '../platform/tokens.ts';
import { CommandError, runCommand } from './context.ts';

const USAGE = 'Usage : npm run rotate-keys -- [--now | --compromised]';
const HOW = { undefined: 'planned', '--now': 'now', '--compromised': 'compromised' } as const;

// npm run rotate-keys: a new key signs access tokens (AU-18). Running servers notice by themselves.
await runCommand(async ({ platform }) => {
  const [option, ...more] = process.argv.slice(2);
  const name = String(option);
  if (more.length > 0 || !(name in HOW)) throw new CommandError(USAGE);
  const how = HOW[name as keyof typeof HOW];
  const rotation = await platform.db.asService('rotate signing keys', async (tx) => {
    const rotated = await rotateSigningKeys(tx, platform.secrets, how, ACCESS_TOKEN_SECONDS);
    if (rotated !== null) {
      await audit(tx, { ip: 'console', userAgent: null }, 'signing_keys_rotated', null, { kid: rotated.kid, how });
    }
    return rotated;
  });
  if (rotation === null) {
    throw new CommandError('Une clé attend déjà son tour : patientez, ou ajoutez --now pour la prendre tout de suite.');
  }
  const lines = [`Nouvelle clé ${rotation.kid} : elle signe à partir du ${dateTime(rotation.signsFrom)}.`];
  for (const { kid, at } of rotation.leaving) lines.push(`Ancienne clé ${kid} : acceptée jusqu'au ${dateTime(at)}.`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
});

function dateTime(date: Date): string {
  return date.toLocaleString('fr-FR', { timeZone: 'Europe/Paris', dateStyle: 'short', timeStyle: 'medium' });
}
