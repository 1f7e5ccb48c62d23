import os from 'node:os';
import { parseArgs } from 'node:util';

import { archive } from './archive.ts';
import { coldStart, restartLoaded } from './cold-start.ts';
import { openCompany } from './company.ts';
import type { Bench } from './company.ts';
import { controlPage } from './control-page.ts';
import { dashboardFigures } from './dashboard-figures.ts';
import { enumeration } from './enumeration.ts';
import { exportsOfAll } from './exports.ts';
import { flood } from './flood.ts';
import { imports } from './imports.ts';
import { findLimit } from './limit.ts';
import { networkFrames } from './network-frames.ts';
import { palette } from './palette.ts';
import { startProduct } from './product.ts';
import { grouped, toMarkdown } from './report.ts';
import type { Section } from './report.ts';
import { salesList } from './sales-list.ts';
import { screens } from './screens.ts';
import { sectionChanges } from './section-changes.ts';
import { signingIn } from './signing-in.ts';
import { size } from './size.ts';
import { soak } from './soak.ts';
import { sockets } from './sockets.ts';
import { temporaryFolder } from './tidy.ts';
import { validateSale } from './validate-sale.ts';

const SECTIONS = [
  'list',
  'validate',
  'figures',
  'screens',
  'palette',
  'exports',
  'archive',
  'imports',
  'sign-in',
  'enumeration',
  'flood',
  'sockets',
  'soak',
  'size',
  'start',
] as const;
type SectionName = (typeof SECTIONS)[number];

const USAGE = `npm run bench -- [options]

  --sales N        how many sales (200000)
  --commercials N  (200)
  --clients N      (20000)
  --only a,b       of ${SECTIONS.join(', ')}; all but soak and size
  --minutes N      how long the soak lasts (1)
  --postgraphile   the list beside PostGraphile too, installed from npm in a folder of its own
  --quick          one short round of each: shows that it works, not how fast
`;

const { values: options } = parseArgs({
  options: {
    sales: { type: 'string', default: '200000' },
    commercials: { type: 'string', default: '200' },
    clients: { type: 'string', default: '20000' },
    only: { type: 'string', default: SECTIONS.filter((name) => !['soak', 'size'].includes(name)).join(',') },
    minutes: { type: 'string', default: '1' },
    postgraphile: { type: 'boolean', default: false },
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
  // Each as soon as it is known: a bench that is interrupted has said something.
  const show = (section: Section): boolean => process.stdout.write(`${toMarkdown(section)}\n\n`);
  if (only.some((name) => !['start', 'enumeration'].includes(name)))
    await onFullDatabase({ sizes, say, ...pace }, only, show);
  if (only.includes('enumeration')) show(await enumeration({ rounds: pace.rounds, say }));
  if (only.includes('start')) show(await coldStart({ rounds: pace.rounds, say }));

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
  show: (section: Section) => void,
): Promise<void> {
  const { folder, remove } = await temporaryFolder();
  try {
    settings.say(`seeding ${grouped(settings.sizes.sales)} sales`);
    const product = await startProduct(folder, { DEMO: '0', TRUST_PROXY: '1' });
    let bench: Bench | null = null;
    let isStopped = false;
    try {
      bench = await openCompany(product, settings);
      const limit = await findLimit(bench.login);
      if (only.includes('list')) show(await salesList(bench, limit, { postgraphile: options.postgraphile }));
      if (only.includes('validate')) show(await validateSale(bench, limit));
      if (only.includes('figures')) {
        show(await dashboardFigures(bench));
        show(await controlPage(bench));
      }
      if (only.includes('screens')) {
        show(await screens(bench));
        show(await sectionChanges(bench));
        show(await networkFrames(bench));
      }
      if (only.includes('palette')) show(await palette(bench));
      if (only.includes('exports')) show(await exportsOfAll(bench));
      if (only.includes('archive')) show(await archive(bench));
      if (only.includes('imports')) show(await imports(bench));
      if (only.includes('sign-in')) show(await signingIn(bench));
      if (only.includes('flood')) show(await flood(bench));
      if (only.includes('sockets')) show(await sockets(bench));
      if (only.includes('size')) show(await size(bench));
      if (only.includes('soak')) show(await soak(bench, Number(options.minutes)));
      if (only.includes('start')) {
        isStopped = true;
        show(await restartLoaded(bench));
      }
    } finally {
      if (!isStopped) {
        await bench?.close();
        await product.stop();
      }
    }
  } finally {
    await remove();
  }
}

function sectionName(text: string): SectionName {
  const name = SECTIONS.find((known) => known === text.trim());
  if (name === undefined) throw new Error(`There is no section « ${text} ».\n\n${USAGE}`);
  return name;
}
