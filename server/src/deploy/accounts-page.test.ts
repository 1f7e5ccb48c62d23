import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { PROJECT, urlOf, withReplaced } from '../testing/deployment.ts';
import { anAdmin, SECRET_KEY, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { commandsOf } from '../testing/pages.ts';

// The commands of docs/operations/accounts.md, as a shell runs them.

const PASSWORD = 'Un-autre-mot-de-passe-2026';
/** bcrypt of « Un-autre-mot-de-passe-2026 », cost 10. */
const BCRYPT = '$2b$10$oAEzGlwgHotUoqKcpcD1f.k3OrG4RDUl2u2NfYIQjJIc.b7eHaE3.';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) process.stderr.write('curl is not here: the commands of accounts.md are not run.\n');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.close());

async function shell(commands: string): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', commands], {
    cwd: PROJECT,
    env: {
      PATH: process.env['PATH'],
      PUBLIC_URL: server.url,
      DATABASE_URL: urlOf(server.database.owner),
      SECRET_KEY,
      KEY: server.services.keys.secretKey,
    },
  });
  return stdout;
}

async function statusOfSignIn(email: string): Promise<number> {
  const reply = await server.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return reply.status;
}

test.skipIf(!hasCurl)(
  '[OP-01] a locked-out admin is let in again by the commands of the page',
  { tags: 'long' },
  async () => {
    const { id, email } = await anAdmin(server.database, { email: 'claire@exemple.fr' });
    const [factor] = await server.database.asOwner<{ id: string }>(
      `insert into auth.factors (user_id, factor_type, status, friendly_name, secret_sealed)
     values ($1, 'totp', 'verified', 'Téléphone', '\\x00') returning id`,
      [id],
    );
    const printed = await shell(
      withReplaced(commandsOf('accounts.md', 'locked out'), {
        '<id>': id,
        '<factor id>': factor?.id ?? '',
        '…': PASSWORD,
      }),
    );
    expect(printed).toContain(id);
    expect(await server.database.asOwner('select from auth.factors where user_id = $1', [id])).toEqual([]);
    expect(await statusOfSignIn(email)).toBe(200);
  },
);

test.skipIf(!hasCurl)('[OP-01] an account that the page imports keeps its password', async () => {
  const commands = withReplaced(commandsOf('accounts.md', 'import'), {
    '$2y$10$…': BCRYPT,
    'claire@exemple.fr': 'import@exemple.fr',
  });
  expect(await shell(commands)).toContain('import@exemple.fr');
  expect(await statusOfSignIn('import@exemple.fr')).toBe(200);
});
