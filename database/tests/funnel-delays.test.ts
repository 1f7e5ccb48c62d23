import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aSale,
  aScale,
  asSeen,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

// PI-01: the instants of a referral's steps, and the delays between them.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  client = await aClient(db, { commercial });
  await aScale(db, { isDefault: true });
});
afterAll(() => db.drop());

const START = Date.parse('2026-03-02T09:00:00Z');
const day = (n: number) => new Date(START + n * 86_400_000).toISOString();
/** Act on a referral, and its day. */
type Act = readonly [
  day: number,
  act:
    | 'contacted'
    | 'in_negotiation'
    | 'pending_validation'
    | 'validated'
    | 'pending'
    | 'rejected'
    | 'validate'
    | 'refuse',
];
const signed = new Set(['pending_validation', 'validated']);

/** A referral of day 0 with what happened to it; the days of its steps as its row has them. */
async function referral(acts: readonly Act[]) {
  const sale = await aSale(db, { commercial, friendReferrer: client });
  // A referral is never younger than what is done with it.
  await db.asOwner(
    `with plain as (select set_config('session_replication_role', 'replica', true))
     update public.sales s set created_at = $2 from plain where s.id = $1`,
    [sale.id, day(0)],
  );
  for (const [at, act] of acts) {
    const isDecision = act === 'validate' || act === 'refuse';
    await db.become(isDecision ? admin : commercial, async (run) => {
      await run(`select set_config('app.at', $1, true)`, [day(at)]);
      if (act === 'validate') await run(asSeen.validate, [sale.id, null]);
      else if (act === 'refuse') await run(asSeen.refuse, [sale.id, 'Il manque une page']);
      else
        await run('select private.update_sale_status($1, $2, $3, $4, null)', [
          sale.id,
          act,
          ...(signed.has(act) ? ['100.00', 'Contrat'] : [null, null]),
        ]);
    });
  }
  return sale.id;
}

async function stepsOf(id: string): Promise<(number | null)[]> {
  const row = only(
    await db.asOwner<Record<string, Date | null>>(
      'select contacted_at, negotiated_at, signed_at from public.sales where id = $1',
      [id],
    ),
  );
  return ['contacted_at', 'negotiated_at', 'signed_at'].map((column) => {
    const at = row[column];
    return at ? (at.getTime() - START) / 86_400_000 : null;
  });
}

/** Each path, the days of its three steps, and the days that count for each step of the chart. */
const paths: readonly {
  readonly says: string;
  readonly acts: readonly Act[];
  readonly steps: readonly (number | null)[];
  readonly delays: Readonly<Record<string, number>>;
}[] = [
  {
    says: 'one step after the other',
    acts: [
      [2, 'contacted'],
      [5, 'in_negotiation'],
      [12, 'pending_validation'],
      [13, 'validate'],
    ],
    steps: [2, 5, 12],
    delays: { contacted: 2, negotiated: 3, signed: 7, validated: 1 },
  },
  {
    says: 'signed at once: the time is that of the signature, and no other step has any',
    acts: [
      [10, 'validated'],
      [14, 'validate'],
    ],
    steps: [10, 10, 10],
    delays: { signed: 10, validated: 4 },
  },
  {
    says: 'one step skipped',
    acts: [
      [1, 'contacted'],
      [9, 'validated'],
    ],
    steps: [1, 9, 9],
    delays: { contacted: 1, signed: 8 },
  },
  {
    says: 'the other one skipped',
    acts: [
      [4, 'in_negotiation'],
      [9, 'pending_validation'],
    ],
    steps: [4, 4, 9],
    delays: { negotiated: 4, signed: 5 },
  },
  {
    says: 'back, and there again: anew',
    acts: [
      [1, 'contacted'],
      [2, 'in_negotiation'],
      [4, 'contacted'],
      [20, 'in_negotiation'],
    ],
    steps: [1, 20, null],
    delays: { contacted: 1, negotiated: 19 },
  },
  {
    says: 'back to the beginning',
    acts: [
      [1, 'pending_validation'],
      [3, 'pending'],
    ],
    steps: [null, null, null],
    delays: {},
  },
  {
    says: 'back to a step that was skipped',
    acts: [
      [6, 'in_negotiation'],
      [8, 'contacted'],
    ],
    steps: [6, null, null],
    delays: { contacted: 6 },
  },
  {
    says: 'refused: what was reached stays, and is not counted',
    acts: [
      [1, 'contacted'],
      [3, 'in_negotiation'],
      [5, 'rejected'],
    ],
    steps: [1, 3, null],
    delays: {},
  },
  {
    says: 'refused by the company, sent again: signed since the first time',
    acts: [
      [1, 'contacted'],
      [3, 'in_negotiation'],
      [5, 'pending_validation'],
      [6, 'refuse'],
      [9, 'pending_validation'],
      [11, 'validate'],
    ],
    steps: [1, 3, 5],
    delays: { contacted: 1, negotiated: 2, signed: 2, validated: 6 },
  },
  {
    says: 'refused, then contacted all the same',
    acts: [
      [1, 'rejected'],
      [7, 'contacted'],
    ],
    steps: [7, null, null],
    delays: { contacted: 7 },
  },
  {
    says: 'the same status twice, and a note between: since the first time',
    acts: [
      [2, 'contacted'],
      [4, 'contacted'],
      [6, 'contacted'],
    ],
    steps: [2, null, null],
    delays: { contacted: 2 },
  },
];

const asked = async (who: Person) =>
  (
    await db.become(who, (run) =>
      run<{ step: string; referrals: string; median_days: number }>(
        `select * from public.referral_delays('2026-01-01', '2027-01-01') order by step`,
      ),
    )
  ).map((row) => [row.step, Number(row.referrals), row.median_days]);
/** The median as the chart has it: half took as long at most. */
const median = (days: readonly number[]) => days.toSorted((a, b) => a - b)[Math.ceil(days.length / 2) - 1];

test('[PI-01] each move writes the instant of its step, and the chart counts the days between them', async () => {
  const made: string[] = [];
  for (const { says, acts, steps } of paths) {
    const id = await referral(acts);
    made.push(id);
    expect([says, await stepsOf(id)]).toEqual([says, steps]);
  }
  const expected = ['contacted', 'negotiated', 'signed', 'validated'].map((step) => {
    const days = paths.flatMap(({ delays }) => delays[step] ?? []);
    return [step, days.length, median(days)];
  });
  expect(await asked(admin)).toEqual(expected);
  // Counted by night, and as it was that night but for what was made since; forgotten with the months.
  await db.asOwner('select private.count_months(1)');
  expect(await asked(admin)).toEqual(expected);
  await db.asOwner('update figures.referral_delays set referrals = referrals + 1');
  expect(await asked(admin)).not.toEqual(expected);
  await db.asOwner('select private.count_months(1000000)');
  expect(await db.asOwner('select * from figures.referral_delays')).toEqual([]);
  expect(await asked(admin)).toEqual(expected);
  for (const who of [commercial, client]) expect(await asked(who)).toEqual([]);
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  // An annulled contract was signed, and is no longer validated.
  await db.become(admin, (run) => run(asSeen.cancel, [made[0], 'Rétractation']));
  const validated = (await asked(admin)).find(([step]) => step === 'validated');
  expect(validated?.[1]).toBe(2);
});

test('[PI-01] what the journal proves of older referrals is filled in, and nothing else', async () => {
  const migration = await readFile(new URL('../migrations/0610-delays-between-steps.sql', import.meta.url), 'utf8');
  const fill = /^with moves as [\s\S]*?;$/mu.exec(migration)?.[0] ?? '';
  const told: string[] = [];
  for (const { acts } of paths) told.push(await referral(acts));
  // Nobody saw these move: one came as it stands, the other's journal leads elsewhere.
  const unknown = await aSale(db, { commercial, status: 'in_negotiation' });
  const elsewhere = await aSale(db, { commercial });
  const put = (id: string, status: string) =>
    db.asOwner(
      `with plain as (select set_config('session_replication_role', 'replica', true))
       update public.sales s set status = $2 from plain where s.id = $1`,
      [id, status],
    );
  await put(elsewhere.id, 'contacted');
  await db.become(commercial, (run) =>
    run(`select private.update_sale_status($1, 'in_negotiation', null, null, null)`, [unknown.id]),
  );
  await db.asOwner(`begin; set local session_replication_role = replica;
    update public.sales set contacted_at = null, negotiated_at = null, signed_at = null; ${fill} commit`);
  for (const [index, { says, steps }] of paths.entries())
    expect([says, await stepsOf(told[index] ?? '')]).toEqual([says, steps]);
  for (const { id } of [unknown, elsewhere]) expect(await stepsOf(id)).toEqual([null, null, null]);
  await put(elsewhere.id, 'pending');
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
});

test('[PI-01] nothing but a move writes the instant of a step', async () => {
  const id = await referral([[2, 'contacted']]);
  const complete = await referral(paths[0]?.acts.slice(0, 3) ?? []);
  for (const column of ['contacted_at', 'negotiated_at', 'signed_at'])
    for (const value of ['now()', 'null'])
      await db.become('parrain_service', (run) =>
        run(`update public.sales set ${column} = ${value} where id = any ($1)`, [[id, complete]]),
      );
  expect([await stepsOf(id), await stepsOf(complete)]).toEqual([[2, null, null], paths[0]?.steps]);
  // Past the triggers the verification finds it.
  for (const [column, at] of [
    ['contacted_at', '2026-01-01'],
    ['negotiated_at', '2026-04-01'],
    ['signed_at', '2026-04-01'],
  ]) {
    await db.asOwner(`begin; set local session_replication_role = replica;
      update public.sales set ${column} = '${at}' where id = '${id}'; commit`);
    expect((await brokenInvariants(db.asOwner)).map(({ invariant }) => invariant.id)).toEqual(['I6g']);
    await db.asOwner(`begin; set local session_replication_role = replica;
      update public.sales set ${column} = ${column === 'contacted_at' ? `'${day(2)}'` : 'null'} where id = '${id}'; commit`);
  }
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
});
