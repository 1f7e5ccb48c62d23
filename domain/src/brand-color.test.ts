import { describe, expect, test } from 'vitest';
import { brandColorDefault, brandOnDark, brandOnPaper } from './brand-color.ts';

const sheet = '#1b2030';

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('[X-05] the colour of a company’s mails', () => {
  test.each([brandColorDefault, '#000000', '#1b2030', '#7a0019', '#ffcc00', '#ffffff'])(
    '%s stands out on a dark page, at 3:1 or more',
    (color) => {
      const contrast = (luminance(brandOnDark(color, sheet)) + 0.05) / (luminance(sheet) + 0.05);
      expect(contrast).toBeGreaterThanOrEqual(3);
    },
  );

  test('one that stands out already is kept as it is', () => {
    expect(brandOnDark('#ffcc00', sheet)).toBe('#ffcc00');
  });
});

test.each([brandColorDefault, '#000000', '#ffcc00', '#ffffff', '#8ec5ff'])(
  '[AC-07] %s stands out on white paper, at 3:1 or more, and is kept as it is where it does already',
  (color) => {
    const contrastOf = (shown: string): number => 1.05 / (luminance(shown) + 0.05);
    expect(contrastOf(brandOnPaper(color))).toBeGreaterThanOrEqual(3);
    expect(brandOnPaper(color) === color).toBe(contrastOf(color) >= 3);
  },
);
