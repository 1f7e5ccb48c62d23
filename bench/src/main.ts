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
import { scaleSteps } from './scale-steps.ts';
import { screens } from './screens.ts';
import { sectionChanges } from './section-changes.ts';
import { signingIn } from './signing-in.ts';
import { size } from './size.ts';
import { soak } from './soak.ts';
import { sockets } from './sockets.ts';
import { temporaryFolder } from './tidy.ts';
import { validateSale } from './validate-sale.ts';

/** Sections on a full database, by name, in the order in which they run. */
const ON_COMPANY: readonly (readonly [name: string, measure: (bench: Bench) => Promise<Section>])[] = [
  ['list', async (bench) => salesList(bench, await limitOf(bench), { postgraphile: options.postgraphile })],
  ['validate', async (bench) => validateSale(bench, await limitOf(bench))],
  ['scales', scaleSteps],
  ['figures', dashboardFigures],
  ['figures', controlPage],
  ['screens', screens],
  ['screens', sectionChanges],
  ['screens', networkFrames],
  ['palette', palette],
  ['exports', exportsOfAll],
  ['archive', archive],
  ['imports', imports],
  ['sign-in', signingIn],
  ['flood', flood],
  ['sockets', sockets],
  ['size', size],
  ['soak', (bench) => soak(bench, Number(options.minutes))],
];
/** Those that make their own installation. */
const ALONE: readonly (readonly [name: string, measure: (settings: Alone) => Promise<Section>])[] = [
  ['enumeration', enumeration],
  ['start', coldStart],
];
type Alone = Pick<Bench, 'rounds' | 'say'>;
const SECTIONS = [...new Set([...ON_COMPANY, ...ALONE].map(([name]) => name))];

/** The limit's own client, looked for once. */
let found: ReturnType<typeof findLimit> | undefined;

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
  const settings = { sizes, say, ...pace };
  if (ON_COMPANY.some(([name]) => only.includes(name))) await onFullDatabase(settings, only);
  for (const [name, measure] of ALONE) if (only.includes(name)) await show(name, say, () => measure(settings));

  process.stdout.write(
    `${grouped(sizes.sales)} sales, ${grouped(sizes.commercials)} commercials, ${grouped(sizes.clients)} clients; ` +
      `${os.availableParallelism()} cores shared by server, PostgreSQL and whoever asks; Node ${process.versions.node}; ` +
      `medians of ${pace.rounds} round${pace.rounds > 1 ? 's' : ''} of ${pace.seconds} s, ours and the limit in turns. ` +
      `load of the machine before the run: ${load.toFixed(1)}. Machines are noisy: the ratios say more than the figures.\n`,
  );
}

async function onFullDatabase(
  settings: Pick<Bench, 'sizes' | 'rounds' | 'seconds' | 'warmUpSeconds' | 'say'>,
  only: readonly string[],
): Promise<void> {
  const { say } = settings;
  const { folder, remove } = await temporaryFolder();
  try {
    say(`seeding ${grouped(settings.sizes.sales)} sales`);
    const product = await startProduct(folder, { DEMO: '0', TRUST_PROXY: '1' });
    let bench: Bench | null = null;
    let isStopped = false;
    try {
      const filled = (bench = await openCompany(product, settings));
      for (const [name, measure] of ON_COMPANY) if (only.includes(name)) await show(name, say, () => measure(filled));
      if (only.includes('start')) {
        isStopped = true;
        await show('start', say, () => restartLoaded(filled));
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

/** Shows a section as soon as it is known, and says one that failed: the others are measured all the same. */
async function show(name: string, say: Bench['say'], measure: () => Promise<Section>): Promise<void> {
  try {
    process.stdout.write(`${toMarkdown(await measure())}\n\n`);
  } catch (error) {
    process.exitCode = 1;
    say(`section ${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

function limitOf({ login }: Bench): ReturnType<typeof findLimit> {
  found ??= findLimit(login);
  return found;
}

function sectionName(text: string): string {
  const name = SECTIONS.find((known) => known === text.trim());
  if (name === undefined) throw new Error(`There is no section « ${text} ».\n\n${USAGE}`);
  return name;
}
