import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Amount } from './amount.tsx';

/** Text that a screen reader is given: no hidden sign, and the words of the style. */
const heard = (cents: bigint, signed = false): string =>
  renderToStaticMarkup(<Amount cents={cents} signed={signed} />)
    .replaceAll(/<span aria-hidden="true">.*?<\/span>/gu, '')
    .replaceAll(/<span class="[^"]*content-\[&#x27;(\w+)_&#x27;\][^"]*"><\/span>/gu, '$1 ')
    .replaceAll(/<[^>]*>/gu, '');

test('[DF-83] an amount is heard as one number: ordinary spaces between thousands, « moins » for the typographic minus', () => {
  expect(heard(135_968n)).toBe('1 359,68\u00a0€');
  expect(heard(1_234_567_890n)).toBe('12 345 678,90\u00a0€');
  expect(heard(-1_250n)).toBe('moins 12,50\u00a0€');
  expect(heard(5_000n, true)).toBe('+50,00\u00a0€');
  // The text seen, and read from the page, keeps its sign.
  expect(renderToStaticMarkup(<Amount cents={-1_250n} />).replaceAll(/<[^>]*>/gu, '')).toBe('−12,50\u00a0€');
});
