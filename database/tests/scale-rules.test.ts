import { earned as earnedInDomain } from '@parrain/domain/scale-rules';
import { canonicalRules, termsOf } from '@parrain/domain/scale-version';
import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, aSale, anAdmin, brokenInvariants, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { invariants } from '../src/verify.ts';
import { outcome } from './world.ts';

// SC-02: steps, caps, a smallest contract, a bonus for the first one, and a last day. Examples are those of the design of scales.

let db: TestDatabase;
let admin: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

type Run = Parameters<Parameters<TestDatabase['become']>[1]>[0];
type Rules = Readonly<Record<string, unknown>>;
type Scale = { readonly id: string };
/** Steps of the design: 3 % from 0, 4 % from 10 000 €, 5 % from 25 000 €. */
const STEPS = {
  steps: [
    { from: 1_000_000, value: 400 },
    { from: 2_500_000, value: 500 },
  ],
};

/** A scale that gives the client 3 %, or the amount said, and the commercial 50 €. */
async function aRuledScale(
  client: Rules | null,
  {
    kind = 'percentage',
    value = '3',
    commercial = null,
    lastDay = null,
  }: { kind?: string; value?: string; commercial?: Rules | null; lastDay?: string | null } = {},
): Promise<Scale> {
  return only(
    await db.become(admin, (run) =>
      run<Scale>(
        `select id from private.create_commission_rate('Paliers', null, $1, $2, 'percentage', 5, null, 0, null, $3, $4, $5)`,
        [kind, value, client && JSON.stringify(client), commercial && JSON.stringify(commercial), lastDay],
      ),
    ),
  );
}

/** Acts at an instant, as the company's clock then tells it. */
const at = <T>(instant: string | null, act: (run: Run) => Promise<T>) =>
  db.become(admin, async (run) => {
    if (instant !== null) await run(`select set_config('app.at', $1, true)`, [instant]);
    return act(run);
  });

const ready = (contract: string, friendReferrer: Person, commercial?: Person) =>
  aSale(db, { friendReferrer, isReady: true, contractAmount: contract, ...(commercial && { commercial }) });

/** Validates with what the preview says. */
const VALIDATE = `select v.already from public.sales s
  cross join lateral (select max(p.amount) filter (where p.side = 'client') as client,
    max(p.amount) filter (where p.side = 'commercial') as commercial from public.preview_commissions(s.id, null, $2) p) seen
  cross join lateral private.validate_sale(s.id, $2, s.version, s.contract_amount, seen.client, seen.commercial) v where s.id = $1`;

/** Validates a contract of a client, and says what it gave them. */
async function gains(
  scale: Scale,
  contract: string,
  client: Person,
  { instant = null, commercial }: { instant?: string | null; commercial?: Person } = {},
) {
  const sale = await ready(contract, client, commercial);
  await at(instant, (run) => run(VALIDATE, [sale.id, scale.id]));
  return { id: sale.id, ...(await given(sale.id)) };
}

async function given(saleId: string) {
  return only(
    await db.asOwner<{ client: string; commercial: string }>(
      'select client_commission_amount as client, commercial_commission_amount as commercial from public.sales where id = $1',
      [saleId],
    ),
  );
}

/** Takes a part of a contract back, or all of it, as the database says what it gives. */
async function cut(saleId: string, left: string | null, instant: string | null = null) {
  const expected = await taken(saleId, left);
  const rows = await at(instant, (run) =>
    run<{ client: string; commercial: string }>(
      `select (v.sale).client_commission_amount as client, (v.sale).commercial_commission_amount as commercial
       from public.sales s cross join lateral private.cancel_validation(s.id, 'Erreur', s.version, $3, $4, $2, $5) v where s.id = $1`,
      [saleId, left, ...expected],
    ),
  );
  return only(rows);
}

async function taken(saleId: string, left: string | null) {
  const { client, commercial, before } = only(
    await db.asOwner<{ client: string; commercial: string; before: string }>(
      `select b.amount as before, private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, b.amount)
          - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, coalesce($2, 0)) as client,
        private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, b.amount)
          - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, coalesce($2, 0)) as commercial
       from public.sales s cross join lateral (select private.left_of_contract(s.id) as amount) b where s.id = $1`,
      [saleId, left],
    ),
  );
  return [client, commercial, before];
}

const earned = async (
  side: Rules,
  contract: string,
  {
    position = null,
    first = null,
    room = null,
  }: { position?: number | null; first?: boolean | null; room?: number | null } = {},
) =>
  only(
    await db.asOwner<{ amount: string }>('select private.earned($1, $2, $3, $4, $5)::numeric(12, 2) as amount', [
      JSON.stringify(side),
      contract,
      position,
      first,
      room,
    ]),
  ).amount;

const termsKept = (saleId: string) =>
  db.asOwner(
    `select type, position, window_key, is_first, cap_room from public.commission_terms where sale_id = $1 order by type`,
    [saleId],
  );

describe('the examples of the design', () => {
  test('[SC-02] examples 1 to 3: a scale without rules gives what it gave, rounded once, half away from zero', async () => {
    const half = { kind: 'percentage', value: 250 };
    expect(await earned({ kind: 'percentage', value: 500 }, '12345.67')).toBe('617.28');
    expect(await earned({ kind: 'percentage', value: 300 }, '12345.67')).toBe('370.37');
    expect(await earned(half, '10.10')).toBe('0.25');
    expect(await earned({ kind: 'percentage', value: 500 }, '0.10')).toBe('0.01');
    const scale = await aRuledScale(null, { value: '2.5' });
    const { id, client } = await gains(scale, '10.10', await aClient(db));
    expect([client, (await cut(id, null)).client]).toEqual(['0.25', '-0.25']);
    expect(await termsKept(id)).toEqual([]);
  });

  test('[SC-02] example 4: by slice, from nothing', async () => {
    const { id, client } = await gains(await aRuledScale(STEPS), '30000', await aClient(db));
    expect(client).toBe('1150.00');
    expect(await termsKept(id)).toMatchObject([{ type: 'client', position: '0', is_first: null, cap_room: null }]);
  });

  test('[SC-02] example 5: by slice, across a step', async () => {
    const [scale, client] = [await aRuledScale(STEPS), await aClient(db)];
    expect((await gains(scale, '8000', client)).client).toBe('240.00');
    expect((await gains(scale, '5000', client)).client).toBe('180.00');
  });

  test('[SC-02] example 6: the whole contract at the step reached, the earlier ones untouched', async () => {
    const [scale, client] = [await aRuledScale({ ...STEPS, mode: 'reached' }), await aClient(db)];
    const first = await gains(scale, '8000', client);
    expect((await gains(scale, '5000', client)).client).toBe('200.00');
    expect((await given(first.id)).client).toBe('240.00');
  });

  test('[SC-02] example 9: one rounding, not one a slice', async () => {
    expect(
      await earned({ kind: 'percentage', value: 250, steps: [{ from: 1012, value: 270 }] }, '20.24', { position: 0 }),
    ).toBe('0.53');
  });

  test('[SC-02] example 10: 50 € each for the first three contracts of the year, 80 € from the fourth', async () => {
    const scale = await aRuledScale(
      { steps: [{ from: 3, value: 8000 }], measure: 'count' },
      { kind: 'fixed', value: '50' },
    );
    const client = await aClient(db);
    const amounts: string[] = [];
    for (let n = 0; n < 5; n += 1) amounts.push((await gains(scale, '1000', client)).client);
    expect(amounts).toEqual(['50.00', '50.00', '50.00', '80.00', '80.00']);
  });

  test('[SC-02] example 11: a quarter begins at midnight in Paris, and everybody at nothing', async () => {
    const rules = { steps: [{ from: 1_000_000, value: 500 }] };
    const [last, first] = ['2031-03-31 23:30 Europe/Paris', '2031-04-01 00:10 Europe/Paris'];
    const [quarter, year] = [await aRuledScale({ ...rules, window: 'quarter' }), await aRuledScale(rules)];
    const [one, other] = [await aClient(db), await aClient(db)];
    expect((await gains(quarter, '9000', one, { instant: last })).client).toBe('270.00');
    const second = await gains(quarter, '5000', one, { instant: first });
    expect(second.client).toBe('150.00');
    expect(await termsKept(second.id)).toMatchObject([{ position: '0', window_key: '2031-Q2' }]);
    await gains(year, '9000', other, { instant: last });
    expect((await gains(year, '5000', other, { instant: first })).client).toBe('230.00');
  });

  test('[SC-02] example 12: the cap of a contract', async () => {
    expect(await earned({ kind: 'percentage', value: 500, cap_contract: 100_000 }, '30000')).toBe('1000.00');
  });

  test('[SC-02] example 13: the cap of a payee and a period, bonus included', async () => {
    const rules = { cap_period: 200_000, bonus_first: 5000 };
    expect(await earned({ kind: 'percentage', value: 500, ...rules }, '12345.67', { first: true, room: 15_000 })).toBe(
      '150.00',
    );
    const [scale, client] = [await aRuledScale({ cap_period: 200_000 }, { value: '5' }), await aClient(db)];
    expect((await gains(scale, '37000', client)).client).toBe('1850.00');
    const capped = await gains(scale, '12345.67', client);
    expect(capped.client).toBe('150.00');
    expect(await termsKept(capped.id)).toMatchObject([{ cap_room: '15000' }]);
    expect((await gains(scale, '100', client)).client).toBe('0.00');
  });

  test('[SC-02] example 14: a contract below the smallest one gives nothing, the smallest one is paid', async () => {
    const [scale, client] = [await aRuledScale({ min_contract: 50_000, bonus_first: 100 }), await aClient(db)];
    expect((await gains(scale, '499.99', client)).client).toBe('0.00');
    expect((await gains(scale, '500', client)).client).toBe('15.00');
  });

  test('[SC-02] example 24: a correction in part is computed from the place that was frozen', async () => {
    const [scale, client] = [await aRuledScale(STEPS), await aClient(db)];
    await gains(scale, '8000', client);
    const second = await gains(scale, '5000', client);
    await gains(scale, '20000', client);
    expect((await cut(second.id, '1500')).client).toBe('-135.00');
    expect((await cut(second.id, null)).client).toBe('-45.00');
  });

  test('[SC-02] example 25: later commissions keep what they gave, the next contract starts where what is left ends', async () => {
    const [scale, client] = [await aRuledScale(STEPS), await aClient(db)];
    const first = await gains(scale, '8000', client);
    const second = await gains(scale, '5000', client);
    const third = await gains(scale, '14000', client);
    expect([first.client, second.client, third.client]).toEqual(['240.00', '180.00', '580.00']);
    expect((await cut(first.id, null)).client).toBe('-240.00');
    expect([(await given(second.id)).client, (await given(third.id)).client]).toEqual(['180.00', '580.00']);
    expect((await gains(scale, '2000', client)).client).toBe('80.00');
  });

  test('[SC-02] example 28: the bonus of a first contract that was annulled goes to the next first one', async () => {
    const [scale, client] = [await aRuledScale({ bonus_first: 10_000 }, { value: '5' }), await aClient(db)];
    const first = await gains(scale, '12345.67', client);
    expect(first.client).toBe('717.28');
    expect((await gains(scale, '1000', client)).client).toBe('50.00');
    const other = await aClient(db);
    const alone = await gains(scale, '12345.67', other);
    expect((await cut(alone.id, null)).client).toBe('-717.28');
    expect((await gains(scale, '10000', other)).client).toBe('600.00');
  });
});

const asJson = (value: unknown) => JSON.stringify(value);
/** A whole number of at most a bound, above zero: small ones are as likely as large ones, and round ones, which make half cents. */
const whole = (max: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: Math.floor(Math.log2(max)) }), fc.constantFrom(1, 50))
    .chain(([bits, unit]) =>
      fc.integer({ min: 1, max: Math.max(Math.floor(Math.min(2 ** (bits + 1), max) / unit), 1) }).map((n) => n * unit),
    );
const anySide = fc.constantFrom('percentage', 'fixed').chain((kind) => {
  const value = whole(kind === 'percentage' ? 10_000 : 1_000_000);
  return fc.record(
    {
      kind: fc.constant(kind),
      value,
      steps: fc
        .uniqueArray(fc.tuple(whole(100_000_000), value), { minLength: 1, maxLength: 23, selector: ([from]) => from })
        .map((steps) => steps.toSorted(([one], [other]) => one - other).map(([from, of]) => ({ from, value: of }))),
      move: fc.constantFrom('count', 'reached', 'slice'),
      cap_contract: whole(10_000_000),
      cap_period: whole(100_000_000),
      min_contract: whole(100_000_000),
      bonus_first: whole(1_000_000),
    },
    { requiredKeys: ['kind', 'value', 'move'] },
  );
});
/** The drawn side with the way of its steps: none counts without steps, and a fixed amount is never cut into slices. */
function sideOf<Side extends { readonly kind: string; readonly steps?: unknown }>(move: string, side: Side) {
  const counts = move === 'count' && side.steps !== undefined;
  const reached = side.steps !== undefined && (move === 'reached' || (side.kind === 'fixed' && !counts));
  return { ...side, ...(counts && { measure: 'count' as const }), ...(reached && { mode: 'reached' as const }) };
}
/** A side and a place in its history; the place often lies on a step, or ends on one. */
const anyCase = fc
  .tuple(
    anySide,
    whole(999_999_999),
    whole(999_999_999),
    fc.boolean(),
    fc.integer({ min: 0, max: 100_000_000 }),
    fc.nat(5),
  )
  .map(([{ move, ...side }, contract, any, first, room, near]) => {
    const from = side.steps?.[near % side.steps.length]?.from ?? any;
    const places = [any, from, Math.max(from - contract, 0), Math.max(from - 1, 0), 0, from + 1];
    return {
      side: sideOf(move, side),
      contract,
      position: places[near] ?? 0,
      first,
      room: side.cap_period === undefined ? null : room,
    };
  });

test('[SC-02] the database and the domain give the same cent for 20 000 random rules and places, and refuse none of them', async () => {
  const drawn = fc.sample(anyCase, 20_000);
  for (let batch = 0; batch < 4; batch += 1) {
    const cases = drawn.slice(batch * 5000, (batch + 1) * 5000);
    const rows = await db.asOwner<{ amount: string }>(
      `select (private.earned(c.side, c.contract::numeric / 100, c.position, c.first, c.room) * 100)::bigint::text as amount
       from rows from (jsonb_to_recordset($1) as (side jsonb, contract bigint, "position" bigint, first boolean, room bigint))
         with ordinality c (side, contract, "position", first, room, n)
       where private.check_side_rules(c.side ->> 'kind', c.side - '{kind,value}'::text[]) is not null order by c.n`,
      [asJson(cases)],
    );
    expect(rows.map(({ amount }) => amount)).toEqual(
      cases.map(({ side, contract, position, first, room }) =>
        String(
          earnedInDomain(BigInt(contract), termsOf({ client: side, commercial: side }).scale.client, {
            position: BigInt(position),
            isFirst: first,
            capRoom: room === null ? null : BigInt(room),
          }).amount,
        ),
      ),
    );
  }
});

/** Histories of a run; a million took four minutes: `HISTORIES=1000000 npx vitest run tests/scale-rules.test.ts -t SC-06`. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 60_000);
/** A side, the contracts of one payee in a window, and those of them that are corrected: which, and what is left of 16. */
const anyHistory = fc.tuple(
  anySide,
  fc.array(fc.tuple(whole(30_000_000), fc.nat(40), fc.nat(16)), { minLength: 1, maxLength: 32 }),
);

test(
  '[SC-06] the database and the domain give the same cent along random histories: each contract after what those before it brought in and gave, each correction at the place that was frozen',
  { tags: 'long', timeout: 3_600_000 },
  async () => {
    const batch = 2000;
    for (let done = 0; done < HISTORIES; done += batch) {
      const sides: object[] = [];
      const asked: { side: number; contract: bigint; position: bigint; first: boolean; room: bigint | null }[] = [];
      const said: string[] = [];
      for (const [{ move, ...drawn }, contracts] of fc.sample(anyHistory, batch)) {
        const side = sideOf(move, drawn);
        const counts = 'measure' in side;
        sides.push(side);
        const { client } = termsOf({ client: side, commercial: side }).scale;
        let position = 0n;
        let gave = 0n;
        const earns = (
          contract: bigint,
          stands: { position: bigint; isFirst: boolean; capRoom: bigint | null },
        ): bigint => {
          const { amount } = earnedInDomain(contract, client, stands);
          asked.push({
            side: sides.length,
            contract,
            position: stands.position,
            first: stands.isFirst,
            room: stands.capRoom,
          });
          said.push(String(amount));
          return amount;
        };
        const cap = side.cap_period === undefined ? null : BigInt(side.cap_period);
        for (const [place, [cents, corrects, sixteenths]] of contracts.entries()) {
          const contract = BigInt(cents);
          const room = cap === null ? null : cap > gave ? cap - gave : 0n;
          const stands = { position, isFirst: place === 0, capRoom: room };
          const amount = earns(contract, stands);
          position += counts ? 1n : contract;
          gave += amount;
          if (corrects > 4) continue;
          // Sixteen of sixteen gives back nothing, none takes the whole contract away.
          const left = (contract * BigInt(sixteenths)) / 16n;
          gave += earns(left, stands) - amount;
          if (!counts) position -= contract - left;
          else if (left === 0n) position -= 1n;
        }
      }
      const rows = await db.asOwner<{ amount: string }>(
        `select (private.earned(s.side, c.contract::numeric / 100, c.position, c.first, c.room) * 100)::bigint::text as amount
         from unnest($2::int[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[])
           with ordinality c (side, contract, "position", first, room, n)
         join jsonb_array_elements($1::jsonb) with ordinality s (side, n) on s.n = c.side
         order by c.n`,
        [
          asJson(sides),
          asked.map(({ side }) => side),
          asked.map(({ contract }) => contract),
          asked.map(({ position }) => position),
          asked.map(({ first }) => first),
          asked.map(({ room }) => room),
        ],
      );
      // Compared as one text: a difference of a run of thousands is told by its place.
      const wrong = rows.findIndex(({ amount }, n) => amount !== said[n]);
      expect(
        wrong === -1
          ? null
          : { asked: asked[wrong], side: sides[(asked[wrong]?.side ?? 1) - 1], said: said[wrong], got: rows[wrong] },
      ).toBeNull();
      expect(rows).toHaveLength(said.length);
    }
  },
);

test('[SC-02] the domain writes the rules of a version as the database signs them', async () => {
  const sides = fc.sample(anyCase, 400).map(({ side }) => side);
  const versions = sides.flatMap((client, n) => {
    const commercial = sides[n + 1];
    return commercial === undefined
      ? []
      : [{ client, commercial, client_hold_days: (n % 300) + 1, from_contract_amount: n + 1, last_day: '2031-12-31' }];
  });
  const rows = await db.asOwner<{ text: string }>(
    `select private.canonical_json(v.value) as text from jsonb_array_elements($1) with ordinality v (value, n) order by v.n`,
    [asJson(versions)],
  );
  expect(rows.map(({ text }) => text)).toEqual(versions.map((rules) => canonicalRules(termsOf(rules))));
});

describe('what moves a payee', () => {
  test('[SC-02] a correction counts in the window of its contract, and a contract annulled in whole counts no more', async () => {
    const scale = await aRuledScale(
      { steps: [{ from: 1, value: 8000 }], measure: 'count', window: 'quarter' },
      { kind: 'fixed', value: '50' },
    );
    const client = await aClient(db);
    const first = await gains(scale, '1000', client, { instant: '2031-03-31 10:00 Europe/Paris' });
    await gains(scale, '1000', client, { instant: '2031-04-02 10:00 Europe/Paris' });
    await cut(first.id, null, '2031-04-03 10:00 Europe/Paris');
    expect((await gains(scale, '1000', client, { instant: '2031-04-04 10:00 Europe/Paris' })).client).toBe('80.00');
    expect((await gains(scale, '1000', client, { instant: '2031-03-31 11:00 Europe/Paris' })).client).toBe('50.00');
  });

  test('[SC-02] contracts of this scale alone count, unless it counts those of all; those of the other side never do', async () => {
    const [own, all, other] = [
      await aRuledScale(STEPS),
      await aRuledScale({ ...STEPS, counts_over: 'all' }),
      await aRuledScale(null),
    ];
    const client = await aClient(db);
    await gains(other, '10000', client);
    expect((await gains(own, '1000', client)).client).toBe('30.00');
    expect((await gains(all, '1000', client)).client).toBe('40.00');
    const commercial = await aCommercial(db);
    const both = await aRuledScale(STEPS, { commercial: { steps: [{ from: 100_000, value: 1000 }] } });
    expect(await gains(both, '1000', client, { commercial })).toMatchObject({ client: '30.00', commercial: '50.00' });
    expect(await gains(both, '1000', await aClient(db), { commercial })).toMatchObject({
      client: '30.00',
      commercial: '100.00',
    });
  });

  test('[SC-02] test data stand apart', async () => {
    const [scale, client] = [await aRuledScale(STEPS), await aClient(db)];
    const tried = await aSale(db, { friendReferrer: client, isReady: true, contractAmount: '30000', isTest: true });
    await db.become(admin, (run) => run(VALIDATE, [tried.id, scale.id]));
    expect((await gains(scale, '1000', client)).client).toBe('30.00');
  });

  test('[SC-02] the last second of the year in Paris is of that year, and not the hour after it in UTC', async () => {
    const [scale, client] = [await aRuledScale(STEPS), await aClient(db)];
    await gains(scale, '10000', client, { instant: '2031-12-31 23:59:59 Europe/Paris' });
    expect((await gains(scale, '1000', client, { instant: '2031-12-31 23:59:59 Europe/Paris' })).client).toBe('40.00');
    expect((await gains(scale, '1000', client, { instant: '2031-12-31 23:00:00 UTC' })).client).toBe('30.00');
  });

  test('[SC-02] two contracts of one payee validated at once have two ranks, and no slice twice', async () => {
    const scale = await aRuledScale({ steps: [{ from: 100_000, value: 500 }] });
    for (let turn = 0; turn < 100; turn += 1) {
      const [client, commercial] = [await aClient(db), await aCommercial(db)];
      const sales = [await ready('800', client, commercial), await ready('800', client, commercial)];
      // Each admin saw the contract as the first one: 24.00 €. One of them is too late, and sees the new figures.
      const decide = async (saleId: string, clientGains: string) =>
        outcome(
          db.become(admin, (run) =>
            run(
              `select v.already from public.sales s
               cross join lateral private.validate_sale(s.id, $2, s.version, s.contract_amount, $3, 40) v where s.id = $1`,
              [saleId, scale.id, clientGains],
            ),
          ),
        );
      const outcomes = await Promise.all(sales.map(async ({ id }) => decide(id, '24')));
      expect(outcomes.toSorted((one, other) => one.localeCompare(other))).toEqual(['ok', 'sale_changed']);
      expect(await decide(sales[outcomes.indexOf('sale_changed')]?.id ?? '', '36')).toBe('ok');
    }
  });

  test('[SC-02] contracts of one payee validated one after the other earn what was previewed for all of them', async () => {
    const scale = await aRuledScale({ ...STEPS, cap_period: 60_000, bonus_first: 1000 });
    const client = await aClient(db);
    const sales: { id: string }[] = [];
    for (const contract of ['8000', '5000', '9000']) sales.push(await ready(contract, client));
    const seen = await db.become(admin, (run) =>
      run<{ sale_id: string; amount: string }>(
        `select sale_id, amount from public.preview_validations($1, $2) where side = 'client'`,
        [sales.map(({ id }) => id), scale.id],
      ),
    );
    expect(seen.map(({ amount }) => amount)).toEqual(['250.00', '180.00', '170.00']);
    for (const { sale_id: id, amount } of seen) {
      await db.become(admin, (run) => run(VALIDATE, [id, scale.id]));
      expect((await given(id)).client).toBe(amount);
    }
  });

  test('[SC-02] a forecast stands at the first step, without bonus', async () => {
    const scale = await aRuledScale({ ...STEPS, bonus_first: 1000, cap_contract: 50_000 });
    await db.asOwner('update public.commission_rates set is_default = false where is_default');
    await db.asOwner('update public.commission_rates set is_default = true where id = $1', [scale.id]);
    const [client, commercial] = [await aClient(db), await aCommercial(db)];
    await gains(scale, '20000', client);
    const sale = await aSale(db, { friendReferrer: client, commercial });
    await db.become(commercial, (run) =>
      run(`select private.update_sale_status($1, 'pending_validation', 12000, 'Contrat', null, '{}')`, [sale.id]),
    );
    expect((await given(sale.id)).client).toBe('380.00');
  });
});

describe('rules that are refused', () => {
  const refusals: readonly [string, Rules, string?][] = [
    ['an unknown rule', { bonus: 1 }],
    [
      'steps that do not rise',
      {
        steps: [
          { from: 100, value: 1 },
          { from: 100, value: 2 },
        ],
      },
    ],
    ['a step from 0', { steps: [{ from: 0, value: 1 }] }],
    ['no step', { steps: [] }],
    ['a step with more in it', { steps: [{ from: 1, value: 1, to: 2 }] }],
    ['more than 100 %', { steps: [{ from: 1, value: 10_001 }] }],
    ['a part of a cent', { cap_contract: 0.5 }],
    ['a cap of nothing', { cap_period: 0 }],
    ['a text for an amount', { min_contract: '100' }],
    ['a mode without steps', { mode: 'reached' }],
    ['a window of nothing', { window: 'quarter' }],
    ['a rank that is reached', { steps: [{ from: 1, value: 1 }], measure: 'count', mode: 'reached' }],
    ['slices of a fixed amount', { steps: [{ from: 1, value: 1 }] }, 'fixed'],
    ['25 steps', { steps: Array.from({ length: 24 }, (_, n) => ({ from: n + 1, value: 1 })) }],
  ];
  test.each(refusals)('[SC-02] rules are whole: %s is refused', async (_, rules, kind = 'percentage') => {
    expect(await outcome(aRuledScale(rules, { kind }))).toBe('scale_rules_wrong');
    expect(await outcome(aRuledScale(null, { commercial: { bonus_first: 100, ...rules }, kind }))).toBe(
      kind === 'fixed' ? 'ok' : 'scale_rules_wrong',
    );
  });

  test('[SC-02] a last day comes after the first one', async () => {
    expect(await outcome(aRuledScale(null, { lastDay: '2020-01-01' }))).toBe('scale_rules_wrong');
  });
});

describe('a last day', () => {
  test('[SC-02] on it the scale serves; after it, it is neither offered nor validated with, and an earlier version still may be', async () => {
    const plain = await aRuledScale(null);
    const { day } = only(await db.asOwner<{ day: string }>('select (private.today() + 2)::text as day'));
    await db.become(admin, (run) =>
      run(
        `select private.publish_scale_version($1, 1, null, 'Promotion', null, 'percentage', 8, 'percentage', 5, 0, 100, null, null, $2)`,
        [plain.id, day],
      ),
    );
    const [on, after] = [`${day} 23:00 Europe/Paris`, `${day}T23:00:00Z`];
    expect((await gains(plain, '1000', await aClient(db), { instant: on })).client).toBe('80.00');
    const offered = async (instant: string) =>
      at(instant, (run) => run(`select from private.client_rewards() where amount = 8`));
    expect([(await offered(on)).length, (await offered(after)).length]).toEqual([1, 0]);
    const sale = await ready('1000', await aClient(db));
    expect(await outcome(at(after, (run) => run(VALIDATE, [sale.id, plain.id])))).toBe('scale_is_over');
    const decide = (version: number) =>
      at(after, (run) =>
        run(
          `select v.already from public.sales s join public.scale_versions o on o.rate_id = $2 and o.number = $3
           cross join lateral private.validate_sale(s.id, $2, s.version, s.contract_amount, 30, 50, o.id, 'Promis') v where s.id = $1`,
          [sale.id, plain.id, version],
        ),
      );
    expect(await outcome(decide(2))).toBe('scale_is_over');
    expect(await outcome(decide(1))).toBe('ok');
  });
});

describe('« Si ce contrat signe à … »', () => {
  const asked = (person: Person, saleId: string, amount: string) =>
    db.become(person, (run) =>
      run<{ side: string; amount: string; position: string | null }>(
        'select side, amount, position from public.preview_own_commission($1, $2)',
        [saleId, amount],
      ),
    );

  test('[SC-05] commercial and referrer read what they would earn of an amount from where they stand, each their own side', async () => {
    const [client, commercial] = [await aClient(db), await aCommercial(db)];
    const scale = await aRuledScale(STEPS, { commercial: { cap_contract: 10_000 } });
    // The one scale that would be proposed.
    await db.asOwner(
      'update public.commission_rates set archived_at = now(), is_default = false where id <> $1 and archived_at is null',
      [scale.id],
    );
    await gains(scale, '8000', client, { commercial });
    const { id } = await aSale(db, { friendReferrer: client, commercial, scale });
    expect(await asked(client, id, '5000')).toEqual([{ side: 'client', amount: '180.00', position: '800000' }]);
    expect(await asked(commercial, id, '5000')).toEqual([{ side: 'commercial', amount: '100.00', position: null }]);
    // What they read is what a validation gives then.
    const signed = await gains(scale, '5000', client, { commercial });
    expect(signed).toMatchObject({ client: '180.00', commercial: '100.00' });
    expect(await asked(client, id, '5000')).toEqual([{ side: 'client', amount: '200.00', position: '1300000' }]);
  });

  test('[SC-05] nobody reads it of another’s referral, of one that is over, or of an amount that no contract has', async () => {
    const [client, commercial] = [await aClient(db), await aCommercial(db)];
    const scale = await aRuledScale(STEPS);
    const open = await aSale(db, { friendReferrer: client, commercial, scale, isReady: true });
    for (const person of [await aClient(db), await aCommercial(db)])
      expect(await outcome(asked(person, open.id, '5000'))).toBe('sale_not_found');
    expect(await outcome(asked(admin, open.id, '5000'))).toBe('forbidden');
    for (const amount of ['0', '-1', '0.001', '10000000', 'NaN'])
      expect([amount, await outcome(asked(client, open.id, amount))]).toEqual([amount, 'invalid_input']);
    const done = await gains(scale, '100', client, { commercial });
    expect(await outcome(asked(client, done.id, '5000'))).toBe('sale_not_editable');
  });
});

describe('what is kept', () => {
  test('[SC-02] who has a commission reads its terms, and not those of the other side; nobody changes them', async () => {
    const [client, commercial] = [await aClient(db), await aCommercial(db)];
    const scale = await aRuledScale(STEPS, { commercial: { bonus_first: 100 } });
    const { id } = await gains(scale, '1000', client, { commercial });
    const read = async (person: Person) =>
      (
        await db.become(person, (run) =>
          run<{ type: string }>('select type from public.commission_terms where sale_id = $1 order by type', [id]),
        )
      ).map(({ type }) => type);
    expect(await read(client)).toEqual(['client']);
    expect(await read(commercial)).toEqual(['commercial']);
    expect(await read(admin)).toEqual(['client', 'commercial']);
    expect(await read(await aCommercial(db))).toEqual([]);
    expect(await outcome(db.asOwner('update public.commission_terms set position = 9 where sale_id = $1', [id]))).toBe(
      'forbidden',
    );
    expect(await outcome(db.asOwner('delete from public.commission_terms where sale_id = $1', [id]))).toBe('forbidden');
    for (const person of [client, commercial]) {
      expect(await outcome(db.become(person, (run) => run('select * from public.preview_commissions($1)', [id])))).toBe(
        'forbidden',
      );
    }
  });

  test('[SC-02] verification computes each commission anew from its terms, and sees a wrong one', async () => {
    const [scale, client] = [await aRuledScale({ ...STEPS, cap_period: 200_000 }), await aClient(db)];
    const { id } = await gains(scale, '30000', client);
    const correction = (await cut(id, '20000')).client;
    expect(correction).toBe('-450.00');
    const broken = async (forced: string) => {
      const owner = new Client(db.owner);
      await owner.connect();
      try {
        await owner.query('begin; set local session_replication_role = replica');
        await owner.query(forced, [id]);
        await owner.query('set local role parrain_service');
        return (await owner.query(invariants.find((one) => one.id === 'I3b')?.violations ?? '')).rowCount;
      } finally {
        await owner.query('rollback');
        await owner.end();
      }
    };
    expect(await broken('select $1::uuid')).toBe(0);
    // The contract and its correction, each.
    expect(await broken('update public.commission_terms set position = 1000000 where sale_id = $1')).toBe(2);
    expect(await broken('update public.commission_terms set cap_room = 100 where sale_id = $1')).toBe(2);
    expect(await broken('update public.commission_terms set cap_room = null where sale_id = $1')).toBe(2);
    expect(await broken(`update public.commission_terms set rules = rules - 'steps' where sale_id = $1`)).toBe(2);
    expect(await broken('delete from public.commission_terms where sale_id = $1')).toBe(2);
    expect(
      await broken(
        `update public.commission_payments set amount = amount + 0.01 where sale_id = $1 and type = 'client'`,
      ),
    ).toBe(1);
  });

  test('[SC-02] a commission that is not what its terms give is refused at the end of its transaction', async () => {
    const { id } = await gains(await aRuledScale(STEPS), '30000', await aClient(db));
    const wrong = db.become(admin, async (run) => {
      await run('set local role parrain_service');
      await run(
        `select private.write_correction(s, 30000, 20000, -450.01, -500, 'Erreur') from public.sales s where s.id = $1`,
        [id],
      );
    });
    await expect(wrong).rejects.toThrow('the commissions of a validated sale are those of its terms');
  });
});
