import { expect, test } from 'vitest';
import { ofName } from './of-name.ts';

test.each([
  ['Léa', 'de Léa'],
  ['Alice', 'd’Alice'],
  ['Élodie', 'd’Élodie'],
  ['Hélène', 'd’Hélène'],
  ['Yves', 'd’Yves'],
  ['Yasmine', 'de Yasmine'],
  ['Yaël', 'de Yaël'],
  ['', 'de '],
])('French elides the preposition before « %s »', (name, said) => {
  expect(ofName(name)).toBe(said);
});
