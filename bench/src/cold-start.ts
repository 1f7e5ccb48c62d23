import { setTimeout as wait } from 'node:timers/promises';

import type { Bench } from './company.ts';
import { median } from './median.ts';
import { startProduct } from './product.ts';
import { grouped, mebibytes, seconds } from './report.ts';
import type { Section } from './report.ts';
import { temporaryFolder } from './tidy.ts';

const IDLE_MS = 3000;
/** Long enough for a hundredth of a second to be a small part of it. */
const WATCHED_MS = 30_000;

/** P13, P14: cold start from an empty folder to the first 200, without and with the demo company; warm start; idle memory. */
export async function coldStart({ rounds, say }: Pick<Bench, 'rounds' | 'say'>): Promise<Section> {
  const bare: number[] = [];
  const first: number[] = [];
  const again: number[] = [];
  const killed: number[] = [];
  const server: number[] = [];
  const postgres: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say('starting in an empty folder');
    bare.push(await firstStart({ DEMO: '0' }));
    const { folder: dataDir, remove } = await temporaryFolder();
    try {
      const born = await startProduct(dataDir);
      first.push(born.startedIn);
      await born.stop();
      const restarted = await startProduct(dataDir);
      again.push(restarted.startedIn);
      await wait(IDLE_MS);
      const memory = await restarted.memory();
      server.push(memory.server);
      postgres.push(memory.postgres);
      const spent = await restarted.cpuSecondsOfAll();
      await wait(WATCHED_MS);
      idle.push(((await restarted.cpuSecondsOfAll()) - spent) / (WATCHED_MS / 1000));
      await restarted.kill();
      const recovered = await startProduct(dataDir);
      killed.push(recovered.startedIn);
      await recovered.stop();
    } finally {
      await remove();
    }
  }
  const [ofServer, ofPostgres] = [median(server), median(postgres)];
  return {
    title: 'Starting, and being there',
    rows: [
      { what: 'empty folder to first 200, migrations included', ours: seconds(median(bare)), goal: '≤ 2 s' },
      { what: 'the same with the demo company and its year of history', ours: seconds(median(first)), goal: '' },
      { what: 'restart', ours: seconds(median(again)), goal: '≤ 0.8 s' },
      { what: 'restart after SIGKILL of server and PostgreSQL', ours: seconds(median(killed)), goal: '≤ 1.5 s' },
      {
        what: 'idle memory, server + PostgreSQL',
        ours: Number.isNaN(ofServer)
          ? 'not said by this system'
          : `${mebibytes(ofServer)} + ${mebibytes(ofPostgres)} = ${mebibytes(ofServer + ofPostgres)}`,
        goal: '≤ 160 MiB',
      },
      {
        what: 'idle processor, server + PostgreSQL',
        ours: `${(median(idle) * 100).toLocaleString('fr-FR', { maximumFractionDigits: 2 })} % of a core`,
        goal: '≤ 0,2 %',
      },
    ],
  };
}

async function firstStart(environment: Readonly<Record<string, string>>): Promise<number> {
  const { folder: dataDir, remove } = await temporaryFolder();
  try {
    const born = await startProduct(dataDir, environment);
    await born.stop();
    return born.startedIn;
  } finally {
    await remove();
  }
}

/** The same restart on the bench's own database. */
export async function restartLoaded(bench: Bench): Promise<Section> {
  bench.say('restarting on the whole database after SIGKILL');
  await bench.close();
  await bench.product.kill();
  const recovered = await startProduct(bench.product.dataDir, { DEMO: '0' });
  await recovered.stop();
  return {
    title: `Starting again on ${grouped(bench.sizes.sales)} sales`,
    rows: [
      {
        what: 'restart after SIGKILL of server and PostgreSQL under load',
        ours: seconds(recovered.startedIn),
        goal: '≤ 1.5 s',
      },
    ],
  };
}
