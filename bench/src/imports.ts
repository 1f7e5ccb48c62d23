import { adminEmail } from '@parrain/database/seed';

import { ask, signIn } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { grouped, seconds } from './report.ts';
import type { Section } from './report.ts';

const LINES = 20_000;
const GOAL_S = 60;

/** EX-04: a file of 20 000 clients, read and checked, written, and undone. */
export async function imports(bench: Bench): Promise<Section> {
  const admin = await signIn(bench, adminEmail);
  bench.say(`an import of ${grouped(LINES)} clients`);
  const mark = crypto.randomUUID().slice(0, 8);
  const act = (action: string, body: object) =>
    ask(bench, { method: 'POST', path: '/functions/v1/imports', who: admin, body: { action, ...body } });
  let before = performance.now();
  /** Seconds since the last act. */
  const since = (): number => {
    const now = performance.now();
    const took = (now - before) / 1000;
    before = now;
    return took;
  };
  const lines = Array.from({ length: LINES }, (_, n) => `Client ${mark};n${n}-${mark}@exemple.fr`);
  const id = await read(bench, admin, `Nom;E-mail\n${lines.join('\n')}`);
  const file = { import_id: id, columns: ['name', 'email'], commercial_id: null };
  await act('check', file);
  const checked = since();
  await act('confirm', { ...file, invites: false, expected: LINES });
  const written = since();
  await act('undo', file);
  const undone = since();
  return {
    title: `An import of ${grouped(LINES)} clients`,
    rows: [
      { what: 'read and checked', ours: seconds(checked) },
      { what: 'written, each with its entry in the trail', ours: seconds(written) },
      { what: 'both', ours: seconds(checked + written), goal: `< ${GOAL_S} s` },
      { what: 'undone', ours: seconds(undone) },
    ],
  };
}

async function read({ product }: Bench, who: SignedIn, text: string): Promise<string> {
  const form = new FormData();
  form.set('name', 'clients.csv');
  form.set('file', new File([text], 'clients.csv'));
  const reply = await fetch(`${product.url}/functions/v1/imports?action=read`, {
    method: 'POST',
    headers: { apikey: product.publishableKey, authorization: `Bearer ${who.token}` },
    body: form,
  });
  if (!reply.ok) throw new Error(`The file was refused: ${await reply.text()}`);
  const { data } = (await reply.json()) as { readonly data: { readonly id: string } };
  return data.id;
}
