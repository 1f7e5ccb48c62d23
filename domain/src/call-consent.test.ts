import { expect, test } from 'vitest';
import { mayBeCalled } from './call-consent.ts';

test.each([
  [null, false, true],
  [null, true, false],
  [true, false, true],
  [true, true, true],
  [false, false, false],
  [false, true, false],
])('[CS-03] an answer %s, consent required %s: may be called %s', (answer, isRequired, may) => {
  expect(mayBeCalled(answer, isRequired)).toBe(may);
});
