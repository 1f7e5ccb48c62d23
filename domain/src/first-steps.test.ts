import { expect, test } from 'vitest';
import { leadsOverview, stepState, type FirstSteps } from './first-steps.ts';

const steps = (facts: Partial<FirstSteps> = {}): FirstSteps => ({
  done: [],
  skipped: [],
  isEmpty: true,
  hasTestData: false,
  isMailConfigured: true,
  ...facts,
});

test('[NV-08] a step is done by what there is, skipped until then, open otherwise', () => {
  const some = steps({ done: ['scale'], skipped: ['scale', 'mail'] });
  expect((['company', 'scale', 'commercial', 'mail'] as const).map((step) => stepState(some, step))).toEqual([
    'open',
    'done',
    'open',
    'skipped',
  ]);
});

test('[NV-08] the steps lead until each is done or skipped, or a first referral has come', () => {
  expect(leadsOverview(steps())).toBe(true);
  expect(leadsOverview(steps({ done: ['company', 'scale'], skipped: ['commercial'] }))).toBe(true);
  expect(leadsOverview(steps({ done: ['company', 'scale'], skipped: ['commercial', 'mail', 'legal'] }))).toBe(false);
  expect(leadsOverview(steps({ isEmpty: false }))).toBe(false);
});
