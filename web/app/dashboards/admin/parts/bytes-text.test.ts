import { expect, test } from 'vitest';
import { bytesText } from './bytes-text.ts';

test.each([
  [0, '0 octets'],
  [900, '900 octets'],
  [1536, '1,5 Ko'],
  [25 * 2 ** 20, '25 Mo'],
  [1.25 * 2 ** 30, '1,3 Go'],
  [2 ** 40, '1 To'],
])('[OP-03] %d bytes read %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
