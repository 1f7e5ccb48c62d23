import { expect, test } from 'vitest';
import { mayBeCalled } from './call-consent.ts';

test.each([
  [null, false, false, true],
  [null, true, false, false],
  [null, true, true, true],
  [true, true, false, true],
  [false, false, false, false],
  [false, true, true, false],
])(
  '[CS-03] answer %s, agreement required %s, contract signed %s: may be called %s',
  (answer, isConsentRequired, hasContract, may) => {
    expect(mayBeCalled(answer, { isConsentRequired, hasContract })).toBe(may);
  },
);
