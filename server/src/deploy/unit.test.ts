import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  nodeOfUnit,
  otherAccount,
  PROJECT,
  readUnit,
  temporaryFolder,
  textOf,
  tools,
  withReplaced,
} from '../testing/deployment.ts';
import { freePort } from '../testing/free-port.ts';
import { commandsOf } from '../testing/pages.ts';
import { until } from '../testing/realtime.ts';
import type { UnitNode } from '../testing/deployment.ts';

const service = readUnit(textOf('deploy', 'parrain.service'))['Service'] ?? {};
const { folder, remove } = temporaryFolder('unit');
afterAll(remove);

test('[FX-24] [OP-01] systemd stops and watches the server itself, and waits longer than the server does', () => {
  expect(service['ExecStart']).toEqual(['/opt/parrain/node_modules/node/bin/node server/src/main.ts']);
  expect(service['KillMode']).toEqual(['mixed']);
  const grace = Number(/GRACE_MS = (?<ms>[\d_]+)/u.exec(textOf('server', 'src', 'main.ts'))?.[1]?.replace('_', ''));
  expect(Number(service['TimeoutStopSec']?.[0]) * 1000).toBeGreaterThan(grace);
});

test('[OP-01] the page makes what the unit asks for', () => {
  const commands = commandsOf('install.md', 'systemd');
  const paths = [
    ...(service['LoadCredential'] ?? []).map((credential) => credential.split(':')[1] ?? ''),
    ...(service['EnvironmentFile'] ?? []),
    ...(service['WorkingDirectory'] ?? []),
  ];
  for (const needed of paths) expect(commands).toContain(needed);
  expect(commands).toContain(`useradd --system --home-dir /var/lib/${service['StateDirectory']?.[0]}`);
  expect(commands).toContain(` ${service['User']?.[0]}\n`);
  const settings = textOf('docs', 'operations', 'configuration.md');
  const given = (service['Environment'] ?? []).join('\n');
  for (const [, name = ''] of [...commands.matchAll(/([A-Z_]{4,})=\S/gu), ...given.matchAll(/^([A-Z_]+)=/gmu)]) {
    // The C library's and Node's own, not the program's.
    if (!['MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE'].includes(name))
      expect(settings).toContain(`\n| \`${name.replace(/_FILE$/u, '')}\` |`);
  }
});

test.skipIf(tools.systemdAnalyze === null)('[OP-01] systemd itself finds nothing to say about the unit', () => {
  // Its program is looked for: it is this one's here.
  const unit = withReplaced(textOf('deploy', 'parrain.service'), { '/opt/parrain': PROJECT });
  const file = path.join(folder, 'parrain.service');
  writeFileSync(file, unit);
  const said = execFileSync(tools.systemdAnalyze ?? '', ['verify', file], { encoding: 'utf8', stdio: 'pipe' });
  expect(said).toBe('');
  const exposure = execFileSync(
    tools.systemdAnalyze ?? '',
    ['security', '--offline=yes', '--threshold=20', '--no-pager', file],
    { encoding: 'utf8', stdio: 'pipe' },
  );
  expect(exposure).toContain('OK');
});

describe.skipIf(tools.systemdNotify === null)('a server with its own PostgreSQL, as the unit says', () => {
  let node: UnitNode;
  beforeAll(async () => {
    node = await nodeOfUnit(folder, await freePort(), { LOG_LEVEL: 'warn', DEMO: 'off' });
    await node.start();
  });
  afterAll(async () => node.release(), 60_000);

  test('[OP-01] [FX-24] says READY once it answers, feeds the watchdog, and on SIGTERM ends in order with its PostgreSQL', async () => {
    expect((await fetch(`${node.url}/health/ready`)).status).toBe(200);
    expect(node.told().slice(0, 2)).toEqual(['READY=1', expect.stringMatching(/^MAINPID=\d+$/u)]);
    const pidFile = path.join(node.dataDir, 'postgres', 'postmaster.pid');
    const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    if (otherAccount !== null) {
      expect(readFileSync(`/proc/${postmaster}/status`, 'utf8')).toContain(`Uid:\t${otherAccount.uid}`);
    }
    expect(await node.stop()).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
    await until(() => node.told().includes('STOPPING=1'));
  });
});

test('[DF-76] unit and image keep what Node compiled, where they may write and what outlives a start', () => {
  expect(textOf('deploy', 'parrain.service')).toMatch(
    /^Environment=NODE_COMPILE_CACHE=%C\/parrain\nCacheDirectory=parrain$/mu,
  );
  const image = textOf('deploy', 'Dockerfile');
  const [, volume = ''] = /^VOLUME (\S+)$/mu.exec(image) ?? [];
  expect(image).toContain(` NODE_COMPILE_CACHE=${volume}/`);
});
