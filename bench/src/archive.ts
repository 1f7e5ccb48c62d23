import { adminEmail } from '@parrain/database/seed';
import { setTimeout as wait } from 'node:timers/promises';

import { ask, signIn } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { grouped, mebibytes, seconds } from './report.ts';
import type { Section } from './report.ts';

const LOOK_EVERY_MS = 200;
const PATIENCE_S = 600;

type Shown = {
  readonly id: string;
  readonly status: string;
  readonly size: number | null;
  readonly row_count: number | null;
};

/**
 * EX-03: the whole archive, asked for, made and taken away: how long, what the server computes for each row (the same however many
 * there are: the time depends on who else uses the machine), and what its memory does meanwhile.
 */
export async function archive(bench: Bench): Promise<Section> {
  const { product, say } = bench;
  const admin = await signIn(bench, adminEmail);
  const { server: before } = await product.memory();
  say('the archive of everything');
  await ask(bench, { method: 'POST', path: '/functions/v1/company-archive', who: admin, body: { action: 'ask' } });
  const begun = performance.now();
  const computed = await product.cpuSeconds();
  let making = 0;
  let made: Shown | undefined;
  while (made === undefined) {
    if (performance.now() - begun > PATIENCE_S * 1000) throw new Error('The archive was not made in time');
    await wait(LOOK_EVERY_MS);
    making = Math.max(making, (await product.memory()).server);
    const [newest] = await shown(bench, admin);
    if (newest?.status === 'failed') throw new Error('The archive was given up');
    if (newest?.status === 'ready') made = newest;
  }
  const took = (performance.now() - begun) / 1000;
  const rowCount = made.row_count ?? 0;
  const perRow = ((await product.cpuSeconds()) - computed) / rowCount;
  say('taken away');
  let taking = 0;
  const watching = setInterval(() => {
    void product.memory().then(({ server }) => (taking = Math.max(taking, server)));
  }, LOOK_EVERY_MS);
  const from = performance.now();
  const response = await fetch(`${product.url}/exports/v1/archive/${made.id}.zip`, {
    headers: { apikey: product.publishableKey, authorization: `Bearer ${admin.token}` },
  });
  if (!response.ok || response.body === null) throw new Error(`The archive was refused: ${await response.text()}`);
  let bytes = 0;
  for await (const part of response.body) bytes += part.length;
  clearInterval(watching);
  if (bytes !== made.size) throw new Error(`${bytes} bytes of ${made.size} came`);
  return {
    title: 'The archive of the whole company',
    rows: [
      {
        what: `made, ${grouped(rowCount)} rows, ${grouped(bytes / 1_000_000)} MB`,
        ours: `${seconds(took)}, ${(perRow * 1_000_000).toFixed(1)} µs of a core for a row, memory ${mebibytes(before)} → ${mebibytes(making)}`,
        goal: 'memory flat',
      },
      {
        what: 'taken away',
        ours: `${seconds((performance.now() - from) / 1000)}, memory ${mebibytes(taking)}`,
        goal: 'memory flat',
      },
    ],
  };
}

async function shown(bench: Bench, who: SignedIn): Promise<readonly Shown[]> {
  const { data } = (await ask(bench, { path: '/functions/v1/company-archive?action=get', who })) as {
    readonly data: readonly Shown[];
  };
  return data;
}
