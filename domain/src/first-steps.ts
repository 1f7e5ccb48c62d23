/** The first steps of a company's admin, in their order (NV-08). */
export const firstSteps = ['company', 'scale', 'commercial', 'mail', 'legal'] as const;
export type FirstStep = (typeof firstSteps)[number];

/** Progress through the first steps: a step is done once its data exists, whoever entered it and wherever. */
export interface FirstSteps {
  readonly done: readonly FirstStep[];
  readonly skipped: readonly FirstStep[];
  /** No referral has ever come. */
  readonly isEmpty: boolean;
  /** There is something that « clean database » would delete. */
  readonly hasTestData: boolean;
  readonly isMailConfigured: boolean;
}

export type StepState = 'done' | 'skipped' | 'open';

/** State of a step: one that is done stays done, even where it was skipped before. */
export function stepState({ done, skipped }: Pick<FirstSteps, 'done' | 'skipped'>, step: FirstStep): StepState {
  if (done.includes(step)) return 'done';
  return skipped.includes(step) ? 'skipped' : 'open';
}

/** The step to resume at and to go on with: the first open one; undefined where none is left (UI-07). */
export function nextOpenStep(steps: Pick<FirstSteps, 'done' | 'skipped'>): FirstStep | undefined {
  return firstSteps.find((step) => stepState(steps, step) === 'open');
}
