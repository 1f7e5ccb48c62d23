import { expect, test } from 'vitest';
import { shortName } from './short-name.ts';

test.each([
  ['Camille Bernard', 'Camille B.'],
  ['  Jean-Paul   de la Tour ', 'Jean-Paul T.'],
  ['Zoé', 'Zoé'],
  ['Élodie éluard', 'Élodie É.'],
  ['李 小龙', '李 小.'],
  ['Ana (2)', 'Ana'],
])('[CS-01] « %s » is « %s » to strangers', (name, short) => {
  expect(shortName(name)).toBe(short);
});
