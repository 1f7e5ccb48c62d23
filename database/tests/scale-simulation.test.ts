import { earned as earnedInDomain, type RuledSide } from '@parrain/domain/scale-rules';
import { ruledSide, type SideRules } from '@parrain/domain/scale-version';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, aSale, anAdmin, brokenInvariants, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { loadTestDemo } from '../src/testing-demo.ts';
import { outcome } from './world.ts';

// SC-05: a draft of a scale on the contracts that it had in the last twelve months.

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

type Rules = Readonly<Record<string, unknown>>;
type Side = SideRules & { readonly cap_period?: number | undefined };
interface Simulation {
  readonly sha256: string;
  readonly totals: { readonly contracts: number; readonly before: number; readonly after: number };
  readonly months: readonly { readonly month: string; readonly contracts: number; readonly client: number }[];
  readonly payees: Readonly<Record<'gain' | 'lose' | 'same' | 'gained' | 'lost', number>>;
  readonly most: readonly { readonly name: string; readonly given: number; readonly would_give: number }[];
  readonly nothing: readonly {
    readonly side: string;
    readonly reason: string;
    readonly contracts: number;
    readonly given: number;
  }[];
  readonly largest: readonly { readonly sale_id: string; readonly side: string; readonly would_give: number }[];
}
/** A draft: both sides as a version keeps them. */
interface Draft {
  readonly client: Side;
  readonly commercial: Side;
}

const PLAIN: Draft = { client: { kind: 'percentage', value: 300 }, commercial: { kind: 'percentage', value: 500 } };
const STEPS = [
  { from: 1_000_000, value: 400 },
  { from: 2_500_000, value: 500 },
];
/** The clock of these tests: the last twelve months are those from July 2030 on. */
const TODAY = '2031-06-15 12:00 Europe/Paris';

function valuesOf({ client, commercial }: Draft) {
  const extra = ({ kind: _kind, value: _value, ...rules }: Side) => JSON.stringify(rules);
  return [client.kind, client.value / 100, commercial.kind, commercial.value / 100, extra(client), extra(commercial)];
}

const at = <T>(instant: string, act: (run: Parameters<Parameters<TestDatabase['become']>[1]>[0]) => Promise<T>) =>
  db.become(admin, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [instant]);
    return act(run);
  });

async function aScaleOf(draft: Draft): Promise<string> {
  const made = await at('2029-01-01 12:00 Europe/Paris', (run) =>
    run<{ id: string }>(
      `select id from private.create_commission_rate('Barème', null, $1, $2, $3, $4, null, 0, null, $5, $6)`,
      valuesOf(draft),
    ),
  );
  return only(made).id;
}

const simulate = async (scaleId: string, draft: Draft, instant = TODAY) =>
  only(
    await at(instant, (run) =>
      run<{ said: Simulation }>('select private.simulate_scale($1, null, $2, $3, $4, $5, 0, null, $6, $7) as said', [
        scaleId,
        ...valuesOf(draft),
      ]),
    ),
  ).said;

const VALIDATE = `select from public.sales s
  cross join lateral (select max(p.amount) filter (where p.side = 'client') as client,
    max(p.amount) filter (where p.side = 'commercial') as commercial from public.preview_commissions(s.id, null, $2) p) seen
  cross join lateral private.validate_sale(s.id, $2, s.version, s.contract_amount, seen.client, seen.commercial) v where s.id = $1`;

interface Contract {
  readonly instant: string;
  readonly amount: string;
  readonly client?: Person | undefined;
  readonly commercial?: Person | undefined;
  readonly isTest?: boolean;
}

async function validates(scaleId: string, { instant, amount, client, commercial, isTest }: Contract) {
  const sale = await aSale(db, {
    friendReferrer: client ?? (await aClient(db)),
    isReady: true,
    contractAmount: amount,
    ...(commercial && { commercial }),
    ...(isTest && { isTest }),
  });
  await at(instant, (run) => run(VALIDATE, [sale.id, scaleId]));
  return sale.id;
}

/** Leaves a part of a contract, or nothing: as the database says what that takes. */
async function cut(saleId: string, left: string | null, instant: string) {
  const taken = only(
    await db.asOwner<Record<'client' | 'commercial' | 'before', string>>(
      `select b.amount as before, private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, b.amount)
          - private.earned_of_sale(s.id, 'client', s.client_commission_type, s.client_commission_rate, coalesce($2::numeric, 0)) as client,
        private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, b.amount)
          - private.earned_of_sale(s.id, 'commercial', s.commercial_commission_type, s.commercial_commission_rate, coalesce($2::numeric, 0)) as commercial
       from public.sales s cross join lateral (select private.left_of_contract(s.id) as amount) b where s.id = $1`,
      [saleId, left],
    ),
  );
  await at(instant, (run) =>
    run(
      `select from public.sales s cross join lateral private.cancel_validation(s.id, 'Erreur', s.version, $3, $4, $2, $5) v where s.id = $1`,
      [saleId, left, taken.client, taken.commercial, taken.before],
    ),
  );
}

const publish = (scaleId: string, seen: number, draft: Draft, instant: string, simulation: unknown = null) =>
  at(instant, (run) =>
    run<{ simulation: unknown }>(
      `select v.simulation from private.publish_scale_version($1, $2, null, 'Barème', null, $3, $4, $5, $6, 0, null, $7, $8, null, $9) v`,
      [scaleId, seen, ...valuesOf(draft), simulation && JSON.stringify(simulation)],
    ),
  );

describe('the last twelve months', () => {
  test('[SC-05] a draft is folded over the contracts of twelve months of Paris, and over no other', async () => {
    const [scale, other] = [await aScaleOf(PLAIN), await aScaleOf(PLAIN)];
    await validates(scale, { instant: '2030-06-30 23:59 Europe/Paris', amount: '100000' });
    await validates(scale, { instant: '2030-07-01 00:00 Europe/Paris', amount: '1000' });
    await validates(scale, { instant: '2031-06-15 11:00 Europe/Paris', amount: '2000' });
    await validates(scale, { instant: '2031-02-01 12:00 Europe/Paris', amount: '50000', isTest: true });
    await validates(other, { instant: '2031-02-01 12:00 Europe/Paris', amount: '70000' });
    const said = await simulate(scale, { ...PLAIN, client: { kind: 'percentage', value: 500 } });
    expect(said.totals).toEqual({ contracts: 2, before: 24_000, after: 30_000 });
    expect(said.months.map(({ month, contracts, client }) => [month, contracts, client])).toEqual(
      Array.from({ length: 12 }, (_, n) => new Date(Date.UTC(2030, 6 + n, 1)).toISOString().slice(0, 10)).map(
        (month) => [
          month,
          month === '2030-07-01' || month === '2031-06-01' ? 1 : 0,
          month === '2030-07-01' ? 30 : month === '2031-06-01' ? 60 : 0,
        ],
      ),
    );
    expect(said.payees).toEqual({ gain: 2, lose: 0, same: 2, gained: 60, lost: 0 });
    expect(said.sha256).toMatch(/^[0-9a-f]{64}$/u);
  });

  test('[SC-05] a scale without a contract in twelve months has twelve empty ones', async () => {
    const said = await simulate(await aScaleOf(PLAIN), PLAIN);
    expect(said.totals).toEqual({ contracts: 0, before: 0, after: 0 });
    expect([said.months.length, said.most, said.nothing, said.largest]).toEqual([12, [], [], []]);
  });

  test('[SC-05] positions are those of the first day, and corrections count as they came', async () => {
    const [scale, client] = [await aScaleOf(PLAIN), await aClient(db)];
    await validates(scale, { instant: '2030-06-01 12:00 Europe/Paris', amount: '8000', client });
    const second = await validates(scale, { instant: '2030-07-02 12:00 Europe/Paris', amount: '5000', client });
    await cut(second, '1500', '2030-08-01 12:00 Europe/Paris');
    await validates(scale, { instant: '2030-09-01 12:00 Europe/Paris', amount: '2000', client });
    // 8 000 stand before: 180.00 for 5 000, of which 45.00 stay for 1 500; then 2 000 from 9 500 on: 75.00.
    const said = await simulate(scale, { ...PLAIN, client: { ...PLAIN.client, steps: STEPS } });
    expect(said.months.map(({ client: gave }) => gave)).toEqual([45, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(said.totals).toEqual({ contracts: 2, before: 28_000, after: 29_500 });
  });

  test('[SC-05] contracts that would give nothing are counted with their reason, those annulled among them', async () => {
    const [scale, client] = [await aScaleOf(PLAIN), await aClient(db)];
    const day = (n: number) => `2031-03-0${n} 12:00 Europe/Paris`;
    await validates(scale, { instant: day(1), amount: '10000', client });
    await validates(scale, { instant: day(2), amount: '10000', client });
    await validates(scale, { instant: day(3), amount: '400', client });
    await cut(await validates(scale, { instant: day(4), amount: '3000' }), null, day(5));
    const said = await simulate(scale, {
      ...PLAIN,
      client: { ...PLAIN.client, min_contract: 50_000, cap_period: 30_000 },
    });
    expect(said.nothing).toEqual([
      { side: 'client', reason: 'annulled', contracts: 1, given: 0 },
      { side: 'client', reason: 'cap_period', contracts: 1, given: 300 },
      { side: 'client', reason: 'min_contract', contracts: 1, given: 12 },
      { side: 'commercial', reason: 'annulled', contracts: 1, given: 0 },
    ]);
    expect(said.largest.map(({ side, would_give: would }) => [side, would])).toEqual([
      ['client', 0],
      ['client', 0],
    ]);
  });

  test('[SC-05] whoever closed their account is named as everywhere, and those who change most come first, five of each at most', async () => {
    const scale = await aScaleOf(PLAIN);
    const clients: Person[] = [];
    for (let n = 1; n <= 7; n += 1) {
      const client = await aClient(db);
      clients.push(client);
      await validates(scale, { instant: '2031-01-10 12:00 Europe/Paris', amount: `${n}000`, client });
    }
    await db.asOwner(
      `update public.profiles set full_name = 'Compte supprimé', email = 'parti@exemple.test' where id = $1`,
      [clients[6]?.id],
    );
    const said = await simulate(scale, { ...PLAIN, client: { kind: 'percentage', value: 200 } });
    expect(said.most.map(({ name, given, would_give: would }) => [name === 'Compte supprimé', given, would])).toEqual([
      [true, 210, 140],
      [false, 180, 120],
      [false, 150, 100],
      [false, 120, 80],
      [false, 90, 60],
    ]);
    expect(said.payees).toMatchObject({ gain: 0, lose: 7, lost: -280 });
  });

  test('[SC-05] a contract validated under another version, or before the scale had rules, is compared with what it gave', async () => {
    const scale = await aScaleOf(PLAIN);
    const capped: Draft = { ...PLAIN, client: { ...PLAIN.client, cap_contract: 1000 } };
    await validates(scale, { instant: '2030-10-01 12:00 Europe/Paris', amount: '1000' });
    await publish(scale, 1, capped, '2030-11-01 12:00 Europe/Paris');
    await validates(scale, { instant: '2030-12-01 12:00 Europe/Paris', amount: '1000' });
    expect((await simulate(scale, capped)).totals).toEqual({ contracts: 2, before: 14_000, after: 12_000 });
    expect((await simulate(scale, PLAIN)).totals).toEqual({ contracts: 2, before: 14_000, after: 16_000 });
  });
});

describe('drawn histories', () => {
  const whole = (max: number) => fc.integer({ min: 1, max });
  const anySide = fc.constantFrom('percentage' as const, 'fixed' as const).chain((kind) => {
    const value = kind === 'percentage' ? whole(2000) : whole(20_000);
    return fc
      .record(
        {
          value,
          steps: fc
            .uniqueArray(fc.tuple(whole(2_000_000), value), { minLength: 1, maxLength: 4, selector: ([from]) => from })
            .map((steps) => steps.toSorted(([one], [other]) => one - other).map(([from, of]) => ({ from, value: of }))),
          move: fc.constantFrom('count' as const, 'reached' as const, 'slice' as const),
          window: fc.constantFrom('year' as const, 'quarter' as const, 'lifetime' as const),
          all: fc.boolean(),
          cap_contract: whole(60_000),
          cap_period: whole(100_000),
          min_contract: whole(500_000),
          bonus_first: whole(20_000),
        },
        { requiredKeys: ['value', 'move', 'window', 'all'] },
      )
      .map(({ move, window, all, steps, ...rest }): Side => {
        const counts = move === 'count' && steps !== undefined;
        const rungs = counts ? steps.map((step, n) => ({ ...step, from: n + 1 })) : steps;
        const reached = steps !== undefined && (move === 'reached' || (kind === 'fixed' && !counts));
        return {
          kind,
          ...rest,
          ...(rungs && { steps: rungs }),
          ...(counts && { measure: 'count' as const }),
          ...(reached && { mode: 'reached' as const }),
          ...(all && rungs && { counts_over: 'all' as const }),
          ...(window !== 'year' && (rungs ?? rest.cap_period) !== undefined && { window }),
        };
      });
  });
  const anyDraft = fc.record({ client: anySide, commercial: anySide });
  const anyHistory = fc.array(
    fc.record({
      amount: whole(1_500_000),
      payee: fc.nat(1),
      ofOther: fc.nat(4).map((n) => n === 0),
      days: fc.nat(60),
      // Of the contract before it: how many percent stay.
      cut: fc.option(fc.nat(99), { freq: 3 }),
    }),
    { minLength: 6, maxLength: 9 },
  );
  const drawn = fc.sample(fc.record({ draft: anyDraft, lived: anyDraft, history: anyHistory }), {
    numRuns: 25,
    seed: 20_261_130,
  });

  interface Entry {
    readonly contract: number;
    readonly instant: Date;
    readonly payee: number;
    readonly isOwn: boolean;
    readonly amount: bigint;
    /** Cents left after it, of a correction. */
    readonly left: bigint | null;
    readonly given: Readonly<Record<'client' | 'commercial', bigint>>;
  }

  /** The fold of the domain's engine, by the words of the design: each contract at its place, each correction with what was frozen. */
  function fold(entries: readonly Entry[], side: 'client' | 'commercial', rules: Side, since: Date): bigint {
    const ruled: RuledSide = ruledSide(rules);
    const keyOf = (entry: Entry) => {
      const of =
        entries.find(({ contract, left }) => contract === entry.contract && left === null)?.instant ?? entry.instant;
      const [year, month] = new Intl.DateTimeFormat('en-CA', {
        timeZone: 'Europe/Paris',
        year: 'numeric',
        month: '2-digit',
      })
        .format(of)
        .split('-');
      const window = ruled.extra?.window ?? 'year';
      return window === 'lifetime'
        ? ''
        : window === 'year'
          ? year
          : `${year}-${Math.ceil(Number.parseInt(month ?? '', 10) / 3)}`;
    };
    const standing = new Map<number, { at: Parameters<typeof earnedInDomain>[2]; gives: bigint }>();
    const past: { entry: Entry; gives: bigint }[] = [];
    let total = 0n;
    for (const entry of entries) {
      const mine = past.filter((each) => each.entry.payee === entry.payee);
      const seen = mine.filter(
        ({ entry: each }) => (each.isOwn || rules.counts_over === 'all') && keyOf(each) === keyOf(entry),
      );
      const one = ({ entry: { left } }: { entry: Entry }) => (left === null ? 1n : left === 0n ? -1n : 0n);
      const sum = (values: readonly bigint[]) => values.reduce((all, each) => all + each, 0n);
      const starts = entries.find(({ contract }) => contract === entry.contract)?.instant ?? entry.instant;
      let gives = entry.given[side];
      if (entry.isOwn && starts >= since) {
        const kept = standing.get(entry.contract);
        const stands = kept?.at ?? {
          position: sum(rules.measure === 'count' ? seen.map(one) : seen.map((each) => each.entry.amount)),
          isFirst: sum(mine.map(one)) === 0n,
          capRoom:
            rules.cap_period === undefined ? null : BigInt(rules.cap_period) - sum(seen.map((each) => each.gives)),
        };
        const now = earnedInDomain(entry.left ?? entry.amount, ruled, stands).amount;
        gives = now - (kept?.gives ?? 0n);
        standing.set(entry.contract, { at: stands, gives: now });
        total += gives;
      }
      past.push({ entry, gives });
    }
    return total;
  }

  test.each(drawn)(
    '[SC-05] the simulation of history %# is the fold of the domain, and that of its own rules changes nothing',
    async ({ draft, lived, history }) => {
      const [scale, other] = [await aScaleOf(lived), await aScaleOf(PLAIN)];
      const people = [await aClient(db), await aClient(db)];
      const sellers = [await aCommercial(db), await aCommercial(db)];
      const ids: string[] = [];
      let clock = Date.UTC(2030, 2, 20, 21, 30);
      for (const { amount, payee, ofOther, days, cut: left } of history) {
        clock += days * 86_400_000 + 60_000;
        const instant = new Date(clock).toISOString();
        ids.push(
          await validates(ofOther ? other : scale, {
            instant,
            amount: (amount / 100).toFixed(2),
            client: people[payee],
            commercial: sellers[payee],
          }),
        );
        const before = ids.at(-2);
        if (left === null || before === undefined) continue;
        clock += 60_000;
        const of = history[ids.length - 2]?.amount ?? 0;
        const rest = Math.floor((of * left) / 100);
        await cut(before, rest === 0 ? null : (rest / 100).toFixed(2), new Date(clock).toISOString());
      }
      const rows = await db.asOwner<
        Record<'contract' | 'at' | 'amount' | 'client' | 'commercial', string> & {
          left: string | null;
          is_own: boolean;
        }
      >(
        `select coalesce(s.corrects_sale_id, s.id) as contract, to_json(s.validated_at) #>> '{}' as at, (s.contract_amount * 100)::bigint::text as amount,
          case when s.corrects_sale_id is not null then (coalesce(s.contract_left, 0) * 100)::bigint::text end as left,
          (s.client_commission_amount * 100)::bigint::text as client, (s.commercial_commission_amount * 100)::bigint::text as commercial,
          s.commission_rate = $2 as is_own
         from public.sales s where coalesce(s.corrects_sale_id, s.id) = any ($1) order by s.validated_at, s.id`,
        [ids, scale],
      );
      const entries = rows.map((row): Entry => {
        const contract = ids.indexOf(row.contract);
        return {
          contract,
          instant: new Date(row.at),
          payee: history[contract]?.payee ?? 0,
          isOwn: row.is_own,
          amount: BigInt(row.amount),
          left: row.left === null ? null : BigInt(row.left),
          given: { client: BigInt(row.client), commercial: BigInt(row.commercial) },
        };
      });
      const since = new Date('2030-06-30T22:00:00Z');
      const wanted =
        fold(entries, 'client', draft.client, since) + fold(entries, 'commercial', draft.commercial, since);
      expect(BigInt((await simulate(scale, draft)).totals.after)).toBe(wanted);
      const own = await simulate(scale, lived);
      expect(own.totals.after).toBe(own.totals.before);
      expect([own.payees.gain, own.payees.lose, own.largest]).toEqual([0, 0, []]);
    },
  );
});

describe('rights and refusals', () => {
  test('[SC-05] nobody but an admin simulates, and an accountant does not either', async () => {
    const scale = await aScaleOf(PLAIN);
    for (const person of [await aClient(db), await aCommercial(db)]) {
      expect(
        await outcome(
          db.become(person, (run) =>
            run(`select private.simulate_scale($1, null, 'percentage', 3, 'percentage', 5)`, [scale]),
          ),
        ),
      ).toBe('forbidden');
    }
  });

  test('[SC-05] a draft that is wrong is refused as its publication is, and so is a scale that is archived', async () => {
    const scale = await aScaleOf(PLAIN);
    const wrong = [{ cap_period: 0 }, { steps: [] }, { window: 'quarter' }, { steps: [{ from: 2, value: 10_001 }] }];
    for (const rules of wrong as Rules[]) {
      const draft = { ...PLAIN, client: { ...PLAIN.client, ...rules } } as Draft;
      expect(await outcome(simulate(scale, draft))).toBe('scale_rules_wrong');
      expect(await outcome(publish(scale, 1, draft, TODAY))).toBe('scale_rules_wrong');
    }
    await db.become(admin, (run) => run('select private.archive_commission_rate($1)', [scale]));
    expect(await outcome(simulate(scale, PLAIN))).toBe('scale_archived');
  });
});

describe('what was published knowingly', () => {
  test('[SC-05] the totals that were seen stand with the version, where they still are those of its rules', async () => {
    const scale = await aScaleOf(PLAIN);
    const draft: Draft = { ...PLAIN, client: { kind: 'percentage', value: 700 } };
    await validates(scale, { instant: '2031-05-01 12:00 Europe/Paris', amount: '1000' });
    const { totals } = await simulate(scale, draft);
    expect(totals).toEqual({ contracts: 1, before: 8000, after: 12_000 });
    await validates(scale, { instant: '2031-05-02 12:00 Europe/Paris', amount: '1000' });
    expect(await outcome(publish(scale, 1, draft, TODAY, totals))).toBe('simulation_changed');
    const seen = (await simulate(scale, draft)).totals;
    expect(await publish(scale, 1, draft, TODAY, seen)).toEqual([{ simulation: { ...seen, on: '2031-06-15' } }]);
    expect(await publish(scale, 2, PLAIN, TODAY)).toEqual([{ simulation: null }]);
  });
});

test('[SC-05] each version of the demonstration, as a draft, gives every contract validated under it what it gave', async () => {
  const demo = await createTestDatabase();
  try {
    await loadTestDemo(demo.owner);
    const { compared, wrong, scales } = only(
      await demo.asOwner<{ compared: number; wrong: number; scales: number }>(
        `select count(*)::int as compared, count(*) filter (where f.given <> f.would_give)::int as wrong, count(distinct v.rate_id)::int as scales
         from public.scale_versions v cross join (values ('client'), ('commercial')) k (side)
         cross join lateral (select f.contract_id, sum(f.given) as given, sum(f.would_give) as would_give
           from private.fold_side(k.side, v.rules -> k.side, v.rate_id, '-infinity', v.is_test) f group by f.contract_id) f
         join public.sale_terms t on t.sale_id = f.contract_id and t.version_id = v.id`,
      ),
    );
    expect(compared).toBeGreaterThan(20);
    expect(scales).toBeGreaterThan(1);
    expect(wrong).toBe(0);
  } finally {
    await demo.drop();
  }
});
