import { connectAsOwner } from '@parrain/database/connect';
import { parseArgs } from 'node:util';

import { audit } from '../auth/for-other-doors.ts';
import { rotateApiKey } from '../platform/keys.ts';
import type { ApiKeyKind } from '../platform/keys.ts';
import { changeMasterKey } from '../platform/master-key-change.ts';
import type { Platform } from '../platform/open.ts';
import { rotateSigningKeys } from '../platform/signing-keys.ts';
import { ACCESS_TOKEN_SECONDS } from '../platform/tokens.ts';
import { CommandError, runOwnerCommand, withPlatform } from './context.ts';
import type { CommandContext } from './context.ts';

const USAGE = `Usage : npm run rotate-keys                                    une nouvelle clé de signature, annoncée avant de servir
        npm run rotate-keys -- --now | --compromised       elle signe aussitôt ; --compromised rejette tout ce que les autres ont signé
        npm run rotate-keys -- --secret [--keep 24h]       une nouvelle clé secrète (API) ; l'ancienne vaut encore 24 heures
        npm run rotate-keys -- --publishable [--keep 30d]  de même pour la clé publiable ; --keep 0 : l'ancienne ne vaut plus rien
        npm run rotate-keys -- --master                    tout est scellé sous SECRET_KEY ; l'ancienne clé : OLD_SECRET_KEY, ou celle que l'installation garde`;

const CONSOLE = { ip: 'console', userAgent: null };
const KEEP_DEFAULT = '24h';
const UNITS = { m: 60, h: 3600, d: 86_400, j: 86_400 } as const;
const KEEP_MAX_SECONDS = 366 * 86_400;

// npm run rotate-keys: a new key in the place of one. Running servers notice by themselves.
await runOwnerCommand(async (context) => {
  const options = readOptions();
  const lines = options.isMaster
    ? await changeMaster(context)
    : await withPlatform(context, (platform) =>
        options.kind === null
          ? rotateSigning(platform, options.how)
          : rotateApi(platform, options.kind, options.keepSeconds),
      );
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
});

async function rotateSigning(platform: Platform, how: 'planned' | 'now' | 'compromised'): Promise<string[]> {
  const rotation = await platform.db.asService('rotate signing keys', async (tx) => {
    const rotated = await rotateSigningKeys(tx, platform.secrets, how, ACCESS_TOKEN_SECONDS);
    if (rotated !== null) await audit(tx, CONSOLE, 'signing_keys_rotated', null, { kid: rotated.kid, how });
    return rotated;
  });
  if (rotation === null) {
    throw new CommandError('Une clé attend déjà son tour : patientez, ou ajoutez --now pour la prendre tout de suite.');
  }
  const lines = [`Nouvelle clé ${rotation.kid} : elle signe à partir du ${dateTime(rotation.signsFrom)}.`];
  for (const { kid, at } of rotation.leaving) lines.push(`Ancienne clé ${kid} : acceptée jusqu'au ${dateTime(at)}.`);
  return lines;
}

async function rotateApi(platform: Platform, kind: ApiKeyKind, keepSeconds: number): Promise<string[]> {
  const { key, formerUntil } = await platform.db.asService('rotate an API key', async (tx) => {
    const rotated = await rotateApiKey(tx, platform.secrets, kind, keepSeconds);
    await audit(tx, CONSOLE, 'api_key_rotated', null, { kind, until: rotated.formerUntil?.toISOString() ?? null });
    return rotated;
  });
  return [
    `Nouvelle clé ${kind === 'secret' ? 'secrète' : 'publiable'} : ${key}`,
    formerUntil === null
      ? "L'ancienne n'est plus acceptée."
      : `L'ancienne est acceptée jusqu'au ${dateTime(formerUntil)}.`,
  ];
}

async function changeMaster({ config, owner }: CommandContext): Promise<string[]> {
  const client = await connectAsOwner(owner);
  try {
    const change = await changeMasterKey(config, client);
    if (change === null) return ['La base est déjà scellée avec SECRET_KEY : rien à changer.'];
    const lines = [`${change.sealed.toLocaleString('fr-FR')} valeurs scellées sous la nouvelle clé.`];
    if (change.unreadable > 0) {
      lines.push(
        `${change.unreadable.toLocaleString('fr-FR')} que l'ancienne clé n'ouvrait pas non plus : laissées telles quelles.`,
      );
    }
    lines.push(
      change.formerKeyFile === null
        ? "Gardez l'ancienne clé avec les sauvegardes de son temps : elle seule les ouvre."
        : `L'ancienne clé est mise de côté (${change.formerKeyFile}) : elle seule ouvre les sauvegardes de son temps.`,
      'Démarrez les serveurs avec ce SECRET_KEY.',
    );
    return lines;
  } finally {
    await client.end();
  }
}

type Options = {
  readonly isMaster: boolean;
  readonly kind: ApiKeyKind | null;
  readonly how: 'planned' | 'now' | 'compromised';
  readonly keepSeconds: number;
};

function readOptions(): Options {
  const { values } = parse();
  const chosen = Object.keys(values).filter((name) => name !== 'keep');
  const kind = values.secret === true ? 'secret' : values.publishable === true ? 'publishable' : null;
  if (chosen.length > 1 || (values.keep !== undefined && kind === null)) throw new CommandError(USAGE);
  return {
    isMaster: values.master === true,
    kind,
    how: values.now === true ? 'now' : values.compromised === true ? 'compromised' : 'planned',
    keepSeconds: secondsOf(values.keep ?? KEEP_DEFAULT),
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        now: { type: 'boolean' },
        compromised: { type: 'boolean' },
        secret: { type: 'boolean' },
        publishable: { type: 'boolean' },
        master: { type: 'boolean' },
        keep: { type: 'string' },
      },
    });
  } catch {
    throw new CommandError(USAGE);
  }
}

/** « 30m », « 24h », « 7d » or « 0 ». */
function secondsOf(text: string): number {
  if (text === '0') return 0;
  const match = /^(?<count>\d{1,6})(?<unit>[mhdj])$/u.exec(text)?.groups;
  const seconds = Number(match?.['count']) * UNITS[(match?.['unit'] ?? 'h') as keyof typeof UNITS];
  if (Number.isNaN(seconds) || seconds > KEEP_MAX_SECONDS) {
    throw new CommandError(
      '--keep : il faut une durée en minutes, heures ou jours (30m, 24h, 7d), un an au plus, ou 0.',
    );
  }
  return seconds;
}

function dateTime(date: Date): string {
  return date.toLocaleString('fr-FR', { timeZone: 'Europe/Paris', dateStyle: 'short', timeStyle: 'medium' });
}
