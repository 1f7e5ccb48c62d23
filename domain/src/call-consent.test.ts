import { expect, test } from 'vitest';
import { callChoiceText, mayBeCalled, writingTo } from './call-consent.ts';

test.each([
  [null, false, false, true],
  [null, true, false, false],
  [null, true, true, true],
  [true, true, false, true],
  [false, false, false, false],
  [false, true, true, false],
  ['sms', false, false, false],
  ['email', true, true, false],
] as const)(
  '[CS-03] answer %s, agreement required %s, contract signed %s: may be called %s',
  (answer, isConsentRequired, hasContract, may) => {
    expect(mayBeCalled(answer, { isConsentRequired, hasContract })).toBe(may);
  },
);

test.each([
  [null, false, false, false, 'freely'],
  [null, false, false, true, 'freely'],
  [null, true, false, false, 'once'],
  [null, true, false, true, 'written'],
  [null, true, true, true, 'freely'],
  [true, true, false, true, 'freely'],
  [false, false, false, false, 'never'],
  [false, true, false, false, 'never'],
  [false, true, false, true, 'never'],
  [false, true, true, false, 'freely'],
  ['sms', true, false, true, 'freely'],
  ['email', false, false, false, 'freely'],
] as const)(
  '[CS-03] answer %s, agreement required %s, contract signed %s, written to %s: may be written to %s',
  (answer, isConsentRequired, hasContract, isWritten, how) => {
    expect(writingTo(answer, { isConsentRequired, hasContract, isWritten })).toBe(how);
  },
);

test.each([
  [null, 'N’a pas dit s’il accepte les appels'],
  [true, 'D’accord pour être appelé'],
  [false, 'Pas d’accord pour être appelé'],
  ['sms', 'Préfère un SMS'],
  ['email', 'Préfère un e-mail'],
] as const)('[DF-41] the answer %s is said on the card: « %s »', (answer, text) => {
  expect(callChoiceText(answer)).toBe(text);
});
