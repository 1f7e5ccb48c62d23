import { expect, test } from 'vitest';
import { nextOpenStep, stepState, type FirstSteps } from './first-steps.ts';

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

test('[NV-08][UI-07] one resumes at the first step that is neither done nor put off; with none left the steps lead no more', () => {
  expect(nextOpenStep(steps())).toBe('company');
  expect(nextOpenStep(steps({ done: ['company', 'mail'], skipped: ['scale'] }))).toBe('commercial');
  expect(nextOpenStep(steps({ done: ['company', 'mail', 'commercial'], skipped: ['scale'] }))).toBe('legal');
  expect(nextOpenStep(steps({ skipped: ['company', 'scale', 'commercial', 'mail', 'legal'] }))).toBeUndefined();
});
