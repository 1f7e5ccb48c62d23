import { expect, test } from 'vitest';
import { draftOf, emptyStep, hasRules, noRules, readRules, rulesToSend, type RulesDraft } from './rules-draft.ts';

const asked: RulesDraft = {
  ...noRules,
  steps: 'slice',
  above: [{ from: '10 000', value: '4' }],
  capPeriod: '2 000',
};

test('[SC-02] rules that are typed are sent in cents and basis points, and what nobody made is not sent', () => {
  expect(rulesToSend(asked, 'percentage')).toEqual({ steps: [{ from: 1_000_000, value: 400 }], cap_period: 200_000 });
  expect(rulesToSend({ ...asked, window: 'quarter', countsOver: 'all' }, 'percentage')).toEqual({
    steps: [{ from: 1_000_000, value: 400 }],
    counts_over: 'all',
    window: 'quarter',
    cap_period: 200_000,
  });
  expect(rulesToSend(noRules, 'percentage')).toBeUndefined();
  // A window without anything that it is of says nothing.
  expect(rulesToSend({ ...noRules, window: 'quarter', minContract: '500,50' }, 'fixed')).toEqual({
    min_contract: 50_050,
  });
});

test('[SC-02] a step that counts contracts is typed by its rank: the 4th begins after three', () => {
  const draft: RulesDraft = { ...noRules, steps: 'count', above: [{ from: '4', value: '80' }] };
  expect(rulesToSend(draft, 'fixed')).toEqual({ steps: [{ from: 3, value: 8_000 }], measure: 'count' });
  expect(readRules({ ...draft, above: [{ from: '1', value: '80' }] }, 'fixed').faults).toEqual({
    'from.0': 'Un rang\u00a0: 2 au moins.',
  });
});

test('[SC-02] rules that are read back into the form are typed as they were', () => {
  for (const [draft, type] of [
    [asked, 'percentage'],
    [{ ...asked, steps: 'reached', above: [{ from: '10 000,50', value: '4,25' }], bonusFirst: '100' }, 'percentage'],
    [
      { ...noRules, steps: 'count', countsOver: 'all', window: 'lifetime', above: [{ from: '4', value: '80' }] },
      'fixed',
    ],
  ] as const) {
    const { extra } = readRules(draft, type);
    const side = type === 'percentage' ? ({ type, basisPoints: 300n } as const) : ({ type, amount: 5_000n } as const);
    const back = draftOf(extra === undefined ? side : { ...side, extra });
    expect(hasRules(back)).toBe(true);
    expect(rulesToSend(back, type)).toEqual(rulesToSend(draft, type));
  }
  expect(draftOf(undefined)).toBe(noRules);
});

test('[SC-02] a rule that cannot be is said at its field, and nothing of the form is sent', () => {
  const wrong: RulesDraft = {
    ...asked,
    above: [{ from: '10 000', value: '4' }, { from: '10 000', value: '400' }, emptyStep],
    capContract: '0',
    bonusFirst: 'cent',
  };
  expect(Object.keys(readRules(wrong, 'percentage').faults)).toEqual([
    'from.1',
    'value.1',
    'from.2',
    'value.2',
    'capContract',
    'bonusFirst',
  ]);
  expect(rulesToSend(wrong, 'percentage')).toBe(false);
  // A fixed amount is not cut into slices.
  expect(readRules(asked, 'fixed').faults.steps).toContain('choisissez « au palier atteint »');
  expect(readRules({ ...asked, steps: 'reached' }, 'fixed').faults).toEqual({});
});
