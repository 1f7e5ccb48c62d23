import { expect, test } from 'vitest';

import { parsePercent } from './percent.ts';
import { rewardText, type Reward } from './reward.ts';

const share = (percent: string): Reward['gain'] => ({ type: 'percentage', basisPoints: parsePercent(percent) ?? 0n });
const fixed = (amount: bigint): Reward['gain'] => ({ type: 'fixed', amount });

test('[UI-02] what a friend’s contract gives is one sentence, a step for each amount that changes it', () => {
  const text = (...rewards: readonly Reward[]) => rewardText(rewards)?.replaceAll(/[\u00a0\u202f]/gu, ' ') ?? null;
  expect(text()).toBeNull();
  expect(text({ from: null, gain: share('12.5') })).toBe('12,5 % de son contrat');
  expect(text({ from: null, gain: fixed(8_000n) })).toBe('80,00 €');
  expect(
    text(
      { from: null, gain: fixed(8_000n) },
      { from: 100_000n, gain: fixed(8_000n) },
      { from: 500_000n, gain: share('10') },
    ),
  ).toBe('80,00 € ; à partir de 5 000,00 €, 10 % du contrat entier');
  expect(text({ from: 500_000n, gain: share('10') })).toBe('10 % de son contrat à partir de 5 000,00 €');
});
