import { expect, test } from 'vitest';
import { optionalLine, optionalText, personName, requiredLine, requiredText } from './forms/fields.ts';
import { accepted, refusals } from './forms/testing.ts';

const unseen = [
  '\u200b',
  '\u00ad\u2060',
  '\u3164',
  '\u2800',
  '\u034f',
  '\ufe0f\ufe0f',
  ' \u200d ',
  '\u115f',
  '\u0301',
  '\ufeff',
];

test.each(unseen)('[DF-38] what must be given is not given by %j', (text) => {
  for (const field of [requiredLine('requis'), requiredText('requis'), personName('requis')]) {
    expect(refusals(field, text)).toEqual([': requis']);
  }
  expect(accepted(optionalLine(), text)).toBeNull();
  expect(accepted(optionalText(), text)).toBeNull();
});

test.each(['É', '李', 'ع', '7', '😀', '👨‍👩‍👧', '?', 'क्‍ष'])('[DF-38] « %s » is given, and kept as it is', (text) => {
  expect(accepted(requiredLine('requis'), text)).toBe(text);
});
