import { adminEmail, clientEmail, commercialEmail } from '@parrain/database/seed';

import { requestBytes, signIn } from './company.ts';
import type { Bench } from './company.ts';
import type { Row, Section } from './report.ts';
import { timesOf } from './screens.ts';

/** Texts that people type: a name, its letters without accents, one that is mistyped, two words, part of an address, a name of nobody. */
const TEXTS = ['Lefèvre', 'lefevre', 'lefevrre', 'eloise lefevre', 'lefevre.7', 'mar', 'zwyxkq'];

/** NV-03: what the palette finds while a person types, for each role. */
export async function palette(bench: Bench): Promise<Section> {
  const readers = [
    ['admin', await signIn(bench, adminEmail)],
    ['commercial', await signIn(bench, commercialEmail(7))],
    ['client', await signIn(bench, clientEmail(7))],
  ] as const;
  const rows: Row[] = [];
  for (const [role, who] of readers) {
    for (const text of TEXTS) {
      bench.say(`palette: ${role}, ${text}`);
      const path = '/rest/v1/rpc/find_anything';
      const request = requestBytes(bench, { method: 'POST', path, who, body: { p_text: text } });
      rows.push({ what: `${role}, « ${text} »`, ours: await timesOf(bench, request), goal: 'p99 ≤ 100 ms' });
    }
  }
  return { title: 'The palette: one search, from the request to its answer', rows };
}
