import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { coldStart, restartLoaded } from './cold-start.ts';
import { openCompany } from './company.ts';
import type { Bench } from './company.ts';
import { dashboardFigures } from './dashboard-figures.ts';
import { findLimit } from './limit.ts';
import { startProduct } from './product.ts';
import { grouped, toMarkdown } from './report.ts';
import type { Section } from './report.ts';
import { salesList } from './sales-list.ts';
import { screens } from './screens.ts';
import { signingIn } from './signing-in.ts';
import { validateSale } from './validate-sale.ts';

const SECTIONS = ['list', 'validate', 'figures', 'screens', 'sign-in', 'start'] as const;
type SectionName = (typeof SECTIONS)[number];

const USAGE = `npm run bench -- [options]

  --sales N        how many sales (200000)
  --commercials N  (200)
  --clients N      (20000)
  --only a,b       of ${SECTIONS.join(', ')}
  --quick          one short round of each: shows that it works, not how fast
`;

const { values: options } = parseArgs({
  options: {
    sales: { type: 'string', default: '200000' },
    commercials: { type: 'string', default: '200' },
    clients: { type: 'string', default: '20000' },
    only: { type: 'string', default: SECTIONS.join(',') },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(USAGE);
} else {
  await main();
}

async function main(): Promise<void> {
  const sizes = {
    sales: Number(options.sales),
    commercials: Number(options.commercials),
    clients: Number(options.clients),
  };
  const only = options.only.split(',').map(sectionName);
  const pace = options.quick
    ? { rounds: 1, seconds: 1, warmUpSeconds: 0.2 }
    : { rounds: 3, seconds: 2, warmUpSeconds: 0.5 };
  const started = performance.now();
  const say = (sentence: string): void => {
    process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${sentence}\n`);
  };
  const [load = 0] = os.loadavg();
  const sections: Section[] = [];
  if (only.some((name) => name !== 'start')) sections.push(...(await onFullDatabase({ sizes, say, ...pace }, only)));
  if (only.includes('start')) sections.push(await coldStart({ rounds: pace.rounds, say }));

  process.stdout.write(`${toMarkdown(sections)}\n\n`);
  process.stdout.write(
    `${grouped(sizes.sales)} sales, ${grouped(sizes.commercials)} commercials, ${grouped(sizes.clients)} clients; ` +
      `${os.availableParallelism()} cores shared by server, PostgreSQL and whoever asks; Node ${process.versions.node}; ` +
      `medians of ${pace.rounds} round${pace.rounds > 1 ? 's' : ''} of ${pace.seconds} s, ours and the limit in turns. ` +
      `load of the machine before the run: ${load.toFixed(1)}. Machines are noisy: the ratios say more than the figures.\n`,
  );
}

async function onFullDatabase(
  settings: Pick<Bench, 'sizes' | 'rounds' | 'seconds' | 'warmUpSeconds' | 'say'>,
  only: readonly SectionName[],
): Promise<Section[]> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-bench-'));
  try {
    settings.say(`seeding ${grouped(settings.sizes.sales)} sales`);
    const product = await startProduct(dataDir, { DEMO: '0', TRUST_PROXY: '1' });
    let bench: Bench | null = null;
    let isStopped = false;
    try {
      bench = await openCompany(product, settings);
      const limit = await findLimit(bench.login);
      const sections: Section[] = [];
      if (only.includes('list')) sections.push(await salesList(bench, limit));
      if (only.includes('validate')) sections.push(await validateSale(bench, limit));
      if (only.includes('figures')) sections.push(await dashboardFigures(bench));
      if (only.includes('screens')) sections.push(await screens(bench));
      if (only.includes('sign-in')) sections.push(await signingIn(bench));
      if (only.includes('start')) {
        isStopped = true;
        sections.push(await restartLoaded(bench));
      }
      return sections;
    } finally {
      if (!isStopped) {
        await bench?.close();
        await product.stop();
      }
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function sectionName(text: string): SectionName {
  const name = SECTIONS.find((known) => known === text.trim());
  if (name === undefined) throw new Error(`There is no section « ${text} ».\n\n${USAGE}`);
  return name;
}
