import { isEasyToGuess, isOwnersName } from '@parrain/domain/password';
import { expect, test } from 'vitest';
import { strengthOf } from './password-meter.tsx';

const owner = { email: 'lea.morel@exemple.fr', fullName: 'Léa Morel' };

test.each([
  ['', 'short'],
  ['azertyu12', 'short'],
  ['aaaabbbbcc', 'repetitive'],
  ['maisonbleue', 'right'],
  ['quatre chats', 'right'],
  ['quatre chevaux bleus', 'excellent'],
  ['correct cheval batterie agrafe', 'excellent'],
  ['azertyuiop', 'guessed'],
  ['Motdepasse2026!', 'guessed'],
  ['abcabcabcabc', 'guessed'],
  ['LeaMorel2026', 'own'],
] as const)('[DF-13, A-04] « %s » is %s, by the rules that the server refuses by', (password, expected) => {
  expect(strengthOf(password, owner)).toBe(expected);
  expect(['guessed', 'own'].includes(expected)).toBe(
    expected !== 'short' && (isEasyToGuess(password) || isOwnersName(password, owner)),
  );
});
