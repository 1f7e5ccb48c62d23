import { expect, test } from 'vitest';

import { commissionAmount } from './commission.ts';
import { exactly } from './exact-amount.ts';
import {
  earned,
  exampleContract,
  extraRulesFault,
  extraRulesOf,
  extraRulesToJson,
  freshStanding,
  nextStepSentence,
  sideExample,
  sideSentence,
  sideShort,
  type ExtraRules,
  type RuledSide,
  type ScaleSteps,
  type Standing,
} from './scale-rules.ts';
import { canonicalRules, termsOf, type VersionRules } from './scale-version.ts';

const euros = (text: string) => BigInt(Math.round(Number.parseFloat(text) * 100));
const revenue: ScaleSteps = {
  measure: 'revenue',
  mode: 'slice',
  countsOver: 'scale',
  above: [
    { from: euros('10000'), value: 400n },
    { from: euros('25000'), value: 500n },
  ],
};
const percent = (basisPoints: bigint, extra?: ExtraRules): RuledSide => ({
  type: 'percentage',
  basisPoints,
  ...(extra === undefined ? {} : { extra }),
});
const fixed = (amount: bigint, extra: ExtraRules): RuledSide => ({ type: 'fixed', amount, extra });
const S = percent(300n, { steps: revenue });
const reached = percent(300n, { steps: { ...revenue, mode: 'reached' } });
const at = (position: bigint, more: Partial<Standing> = {}): Standing => ({
  position,
  isFirst: false,
  capRoom: null,
  ...more,
});
const gives = (contract: string, side: RuledSide, standing: Standing) => earned(euros(contract), side, standing).amount;

test('[SC-02] a side without extra rules earns what section 9 says (examples 1 to 3)', () => {
  expect(gives('12345.67', percent(500n), at(0n))).toBe(euros('617.28'));
  expect(gives('12345.67', percent(300n), at(0n))).toBe(euros('370.37'));
  expect(gives('10.10', percent(250n), at(0n))).toBe(25n);
  expect(gives('0.10', percent(500n), at(0n))).toBe(1n);
});

test('[SC-02] by slice, each part earns at the rate of its step (example 4)', () => {
  expect(gives('30000', S, at(0n))).toBe(euros('1150'));
});

test('[SC-02] a contract goes on where those before it ended (examples 5, 24 and 25)', () => {
  expect(gives('5000', S, at(euros('8000')))).toBe(euros('180'));
  expect(gives('1500', S, at(euros('8000')))).toBe(euros('45'));
  expect(gives('14000', S, at(euros('13000')))).toBe(euros('580'));
  expect(gives('2000', S, at(euros('19000')))).toBe(euros('80'));
});

test('[SC-02] at the step reached, the whole contract earns at it (example 6)', () => {
  expect(gives('5000', reached, at(euros('8000')))).toBe(euros('200'));
  expect(gives('1999.99', reached, at(euros('8000')))).toBe(euros('60.00'));
  expect(gives('2000', reached, at(euros('8000')))).toBe(euros('80'));
});

test('[SC-02] slices are rounded once, together (example 9)', () => {
  const side = percent(250n, { steps: { ...revenue, above: [{ from: 1012n, value: 270n }] } });
  expect(gives('20.24', side, at(0n))).toBe(53n);
});

test('[SC-02] a step of a count is that of the rank of the contract (example 10)', () => {
  const side = fixed(5000n, { steps: { ...revenue, measure: 'count', above: [{ from: 3n, value: 8000n }] } });
  expect([0n, 1n, 2n, 3n, 4n].map((done) => gives('999', side, at(done)))).toEqual([5000n, 5000n, 5000n, 8000n, 8000n]);
});

test('[SC-02] a quarter of its own begins at the first step (example 11)', () => {
  const steps = { ...revenue, above: [{ from: euros('10000'), value: 500n }] };
  expect(gives('9000', percent(300n, { steps, window: 'quarter' }), at(0n))).toBe(euros('270'));
  expect(gives('5000', percent(300n, { steps, window: 'quarter' }), at(0n))).toBe(euros('150'));
  expect(gives('5000', percent(300n, { steps }), at(euros('9000')))).toBe(euros('230'));
});

test('[SC-02] caps of a contract and of the window cut what is above them, the bonus too (examples 12 and 13)', () => {
  expect(gives('30000', percent(500n, { capContract: euros('1000') }), at(0n))).toBe(euros('1000'));
  const capped = percent(500n, { capPeriod: euros('2000'), bonusFirst: euros('50') });
  expect(gives('12345.67', capped, at(0n, { isFirst: true, capRoom: euros('150') }))).toBe(euros('150'));
  expect(gives('12345.67', capped, at(0n, { isFirst: true, capRoom: euros('-3') }))).toBe(0n);
});

test('[SC-02] a contract below the smallest earns nothing, and says why (example 14)', () => {
  const side = percent(500n, { minContract: euros('500') });
  expect(gives('499.99', side, at(0n))).toBe(0n);
  expect(gives('500', side, at(0n))).toBe(euros('25'));
  expect(earned(euros('499.99'), side, at(0n)).steps[0]?.label).toBe('Contrat en dessous de 500\u00a0€');
});

test('[SC-02] the bonus is of the first contract, and goes with it (example 28)', () => {
  const side = percent(500n, { bonusFirst: euros('100') });
  expect(gives('12345.67', side, at(0n, { isFirst: true }))).toBe(euros('717.28'));
  expect(gives('0', side, at(0n, { isFirst: true }))).toBe(0n);
});

test('[SC-02] the steps of an explanation add up to the commission, whatever the rules', () => {
  let state = 20261130;
  const draw = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return BigInt(state % below);
  };
  for (let round = 0; round < 4000; round++) {
    const isCount = draw(3) === 0n;
    const isFixed = draw(3) === 0n;
    let from = 0n;
    const above = Array.from({ length: Number.parseInt(String(draw(5) + 1n), 10) }, () => {
      from += draw(isCount ? 4 : 900_000) + 1n;
      return { from, value: draw(isFixed ? 90_000 : 9_000) + 1n };
    });
    const mode = isCount || (!isFixed && draw(2) === 0n) ? 'slice' : 'reached';
    const extra: ExtraRules = {
      ...(draw(4) === 0n
        ? {}
        : { steps: { measure: isCount ? 'count' : 'revenue', mode, countsOver: 'scale', above } }),
      ...(draw(2) === 0n ? { capContract: draw(200_000) + 1n } : {}),
      ...(draw(2) === 0n ? { capPeriod: draw(300_000) + 1n } : {}),
      ...(draw(3) === 0n ? { minContract: draw(100_000) + 1n } : {}),
      ...(draw(3) === 0n ? { bonusFirst: draw(20_000) + 1n } : {}),
    };
    const side = isFixed ? fixed(draw(50_000) + 1n, extra) : percent(draw(2_000) + 1n, extra);
    expect(extraRulesFault(side)).toBeNull();
    const contract = draw(3_000_000);
    const standing = at(isCount ? draw(12) : draw(2_000_000), {
      isFirst: draw(2) === 0n,
      capRoom: extra.capPeriod === undefined ? null : draw(300_000),
    });
    const { amount, steps } = earned(contract, side, standing);
    expect(steps.reduce((sum, step) => sum + step.amount, 0n)).toBe(exactly(amount));
    expect(amount >= 0n).toBe(true);
    if (standing.capRoom !== null) expect(amount <= standing.capRoom).toBe(true);
    // By slice, a contract that is larger never earns less, where rates rise or fall.
    if (mode === 'slice') expect(earned(contract + 1n + draw(5_000), side, standing).amount >= amount).toBe(true);
    expect(extraRulesOf(extraRulesToJson(extra))).toEqual(Object.keys(extra).length === 0 ? undefined : extra);
  }
});

test('[SC-02] a side without steps, caps, minimum or bonus gives the same cent as before them', () => {
  for (let contract = 0n; contract < 100_000n; contract += 37n) {
    expect(earned(contract, percent(333n), at(0n)).amount).toBe(commissionAmount(contract, percent(333n)));
  }
});

test('[SC-02] a side reads itself back as a sentence with an example', () => {
  const side = percent(300n, {
    steps: { ...revenue, above: [{ from: euros('10000'), value: 400n }] },
    capPeriod: euros('2000'),
  });
  expect(sideSentence(side)).toBe(
    '3\u00a0% jusqu’à 10\u202f000\u00a0€, puis 4\u00a0% au-delà, sur les contrats de l’année\u00a0; plafond de 2\u202f000\u00a0€ par an',
  );
  expect(exampleContract(side)).toBe(euros('12000'));
  expect(sideExample(side, euros('12000'))).toBe('sur 12\u202f000\u00a0€\u00a0: 380,00\u00a0€');
  expect(sideSentence(reached)).toBe(
    '3\u00a0% du contrat entier, 4\u00a0% dès 10\u202f000\u00a0€, 5\u00a0% dès 25\u202f000\u00a0€ de contrats de l’année',
  );
  const counted: ScaleSteps = { ...revenue, measure: 'count', above: [{ from: 3n, value: 8000n }], countsOver: 'all' };
  expect(sideSentence(fixed(5000n, { steps: counted, window: 'lifetime', bonusFirst: 10_000n }))).toBe(
    '50\u00a0€ du 1er au 3e contrat depuis le début, tous barèmes confondus, puis 80\u00a0€ à partir du 4e\u00a0; 100\u00a0€ de plus au premier contrat',
  );
});

test('[SC-02] the way to the next step is said as it is after the contract, and no more at the last one', () => {
  const after = (contract: string, side: RuledSide, position: bigint) =>
    nextStepSentence(side, at(position), euros(contract));
  expect(after('3000', S, euros('5000'))).toBe(
    'Après ce contrat, il manque 2\u202f000\u00a0€ signés dans l’année pour passer à 4\u00a0%.',
  );
  // A step that is reached to the cent is reached.
  expect(after('5000', S, euros('5000'))).toContain('15\u202f000\u00a0€ signés dans l’année pour passer à 5\u00a0%');
  expect(after('5000', S, euros('20000'))).toBeNull();
  expect(after('5000', percent(300n), 0n)).toBeNull();
  const ranks = fixed(5000n, {
    steps: { ...revenue, measure: 'count', above: [{ from: 3n, value: 8000n }] },
    window: 'lifetime',
  });
  expect(after('1', ranks, 1n)).toBe('Après ce contrat, il manque 1 contrat signé pour passer à 80\u00a0€.');
  expect(after('1', ranks, 0n)).toContain('il manque 2 contrats signés pour');
  expect(after('1', ranks, 2n)).toBeNull();
});

test('[SC-02] rules that contradict themselves are refused, each with a sentence', () => {
  const steps = (change: Partial<ScaleSteps>): ExtraRules => ({ steps: { ...revenue, ...change } });
  const faults = [
    percent(300n, steps({ above: [] })),
    percent(300n, steps({ above: [{ from: 0n, value: 400n }] })),
    percent(
      300n,
      steps({
        above: [
          { from: 5n, value: 400n },
          { from: 5n, value: 500n },
        ],
      }),
    ),
    percent(300n, steps({ above: [{ from: 5n, value: 10_001n }] })),
    percent(300n, steps({ above: Array.from({ length: 24 }, (_, place) => ({ from: BigInt(place + 1), value: 1n })) })),
    percent(300n, steps({ measure: 'count', mode: 'reached' })),
    fixed(300n, steps({})),
    percent(300n, { capContract: 0n }),
    percent(300n, { window: 'quarter' }),
  ].map(extraRulesFault);
  expect(faults.filter((fault) => fault === null)).toEqual([]);
  expect(new Set(faults).size).toBe(8);
  expect(extraRulesFault(S)).toBeNull();
});

test('[SC-02] a version keeps its extra rules in the text that is signed, keys in the order of their bytes', () => {
  const rules: VersionRules = {
    client: { kind: 'percentage', value: 500 },
    commercial: { kind: 'percentage', value: 300, steps: [{ from: 1_000_000, value: 400 }], cap_period: 200_000 },
    last_day: '2026-12-31',
  };
  expect(canonicalRules(termsOf(rules))).toBe(
    '{"client":{"kind":"percentage","value":500},"commercial":{"cap_period":200000,"kind":"percentage","steps":[{"from":1000000,"value":400}],"value":300},"last_day":"2026-12-31"}',
  );
  expect(freshStanding(termsOf(rules).scale.commercial)).toEqual({ position: 0n, isFirst: true, capRoom: 200_000n });
});

test('[SC-02] a side in a few characters is the span of its steps, and says that it is capped', () => {
  expect([sideShort(S), sideShort(percent(300n, {})), sideShort(percent(300n, { capPeriod: 200_000n }))]).toEqual([
    '3\u00a0% à 5\u00a0%',
    '3\u00a0%',
    '3\u00a0%, plafonné',
  ]);
});
