import { adminEmail } from '@parrain/database/seed';
import { Client } from 'pg';

import { signIn } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { median } from './median.ts';
import { grouped, mebibytes, perSecond, times } from './report.ts';
import type { Row, Section } from './report.ts';

const MEMORY_EVERY_MS = 200;

/** EX-01: every sale as CSV and as a workbook, beside PostgreSQL's own `COPY … TO`; memory meanwhile. */
export async function exportsOfAll(bench: Bench): Promise<Section> {
  const admin = await signIn(bench, adminEmail);
  const copied: number[] = [];
  const rows: Row[] = [];
  for (const form of ['csv', 'xlsx']) {
    const speeds: number[] = [];
    const peaks: number[] = [];
    let before = 0;
    let bytes = 0;
    for (let round = 0; round < bench.rounds; round += 1) {
      bench.say(`all sales as ${form}`);
      copied.push(bench.sizes.sales / (await copyAll(bench)));
      ({ server: before } = await bench.product.memory());
      const taken = await exportAll(bench, admin, form);
      speeds.push(bench.sizes.sales / taken.seconds);
      peaks.push(taken.peak);
      ({ bytes } = taken);
    }
    rows.push({
      what: `${form}, ${grouped(bytes / 1_000_000)} MB`,
      ours: `${perSecond(median(speeds))}, memory ${mebibytes(before)} → ${mebibytes(Math.max(...peaks))}`,
      limit: perSecond(median(copied)),
      ratio: times(median(speeds) / median(copied)),
      goal: 'memory flat',
    });
  }
  return {
    title: 'All sales as a file, rows per second',
    rows,
    notes: ['Limit: the same columns and joins by `COPY … TO STDOUT (FORMAT csv)`, as their owner, unformatted.'],
  };
}

async function exportAll(
  { product, sizes }: Bench,
  who: SignedIn,
  form: string,
): Promise<{ readonly seconds: number; readonly peak: number; readonly bytes: number }> {
  let peak = 0;
  const watching = setInterval(() => {
    void product.memory().then(({ server }) => (peak = Math.max(peak, server)));
  }, MEMORY_EVERY_MS);
  const started = performance.now();
  try {
    const response = await fetch(`${product.url}/exports/v1/sales.${form}?order=created_at.desc,id`, {
      headers: { apikey: product.publishableKey, authorization: `Bearer ${who.token}` },
    });
    if (!response.ok || response.body === null) throw new Error(`The export failed: ${await response.text()}`);
    let bytes = 0;
    let lines = 0;
    for await (const part of response.body) {
      bytes += part.length;
      if (form === 'csv') for (const byte of part) if (byte === 10) lines += 1;
    }
    if (form === 'csv' && lines < sizes.sales + 1) throw new Error(`The file has ${lines} lines`);
    return { seconds: (performance.now() - started) / 1000, peak, bytes };
  } finally {
    clearInterval(watching);
  }
}

async function copyAll({ product }: Bench): Promise<number> {
  const client = new Client(await product.owner());
  await client.connect();
  try {
    const started = performance.now();
    // To a program of PostgreSQL's own side: what is measured is its reading and its text, not the wire.
    await client.query(`copy (
      select t0.referred_contact_name, t0.referred_contact_email, t0.referred_contact_phone, commercial.full_name,
        coalesce(friend.full_name, client.full_name), t0.contract_amount, t0.status, t0.rejection_reason, t0.created_at,
        t0.validated_at, t0.client_commission_amount, t0.commercial_commission_amount, t0.contract_description, t0.id
      from public.sales t0 left join public.profiles commercial on commercial.id = t0.commercial_id
        left join public.profiles friend on friend.id = t0.friend_referrer_id
        left join public.profiles client on client.id = t0.client_referrer_id
      order by t0.created_at desc, t0.id) to program 'cat > /dev/null' (format csv)`);
    return (performance.now() - started) / 1000;
  } finally {
    await client.end();
  }
}
