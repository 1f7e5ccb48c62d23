import { expect, test } from 'vitest';
import { strengthOf } from './password-strength.tsx';

test.each([
  ['', 0],
  ['abc123', 0],
  ['aaaaaaaaaaaa', 1],
  ['quatre chats', 2],
  ['quatre chevaux bleus', 3],
] as const)('[A-04] the hint under a password says how strong « %s » is: %i', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});
