import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

// Contrast as WCAG 2.2 computes it, from the tokens themselves: OKLCH to linear sRGB to relative luminance.

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');
const themes = ['clair', 'sombre'] as const;
type Theme = (typeof themes)[number];

const textOn: readonly (readonly [text: string, ...grounds: string[]])[] = [
  [
    'encre',
    'papier',
    'sheet',
    'well',
    'sapin-tint',
    'danger-tint',
    'tone-blue-tint',
    'tone-amber-tint',
    'tone-green-tint',
  ],
  [
    'encre-soft',
    'papier',
    'sheet',
    'well',
    'sapin-tint',
    'danger-tint',
    'tone-blue-tint',
    'tone-amber-tint',
    'tone-green-tint',
  ],
  ['encre-faint', 'papier', 'sheet', 'well', 'sapin-tint'],
  ['sapin', 'papier', 'sheet', 'well', 'sapin-tint'],
  ['sapin-strong', 'papier', 'sheet', 'well', 'sapin-tint'],
  ['danger', 'papier', 'sheet', 'danger-tint'],
  ['on-sapin', 'sapin', 'sapin-strong'],
  ['on-corail', 'corail', 'corail-strong'],
  ['on-danger', 'danger', 'danger-strong'],
  ...['neutral', 'amber', 'blue', 'indigo', 'purple', 'green', 'red'].map(
    (tone) => [`tone-${tone}`, `tone-${tone}-tint`, 'sheet'] as const,
  ),
  ['deep-ink', 'deep'],
  ['deep-soft', 'deep'],
  ['deep-accent', 'deep'],
  // A tooltip is ink turned over.
  ['papier', 'encre'],
];

const uiOn: readonly (readonly [mark: string, ...grounds: string[]])[] = [
  ['edge', 'sheet', 'papier'],
  ['sapin', 'sheet', 'papier', 'well'],
  ['danger', 'sheet', 'papier'],
  ['deep-accent', 'deep'],
  ['corail', 'sheet', 'papier'],
];

describe.each(themes)('the tokens in %s', (theme) => {
  test.each(pairs(textOn))('text is readable: %s on %s is at least 4.5 to 1', (text, ground) => {
    expect(contrast(theme, text, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(pairs(uiOn))('what is not text is visible: %s on %s is at least 3 to 1', (mark, ground) => {
    expect(contrast(theme, mark, ground)).toBeGreaterThanOrEqual(3);
  });
});

test('the computation is that of WCAG: black on white is 21 to 1', () => {
  expect(ratio([0, 0, 0], [1, 0, 0])).toBeCloseTo(21, 1);
});

function pairs(table: readonly (readonly string[])[]): [string, string][] {
  return table.flatMap(([mark = '', ...grounds]) => grounds.map((ground): [string, string] => [mark, ground]));
}

function contrast(theme: Theme, mark: string, ground: string): number {
  return ratio(token(theme, mark), token(theme, ground));
}

/** The cents of an amount are the amount's own colour at this opacity (ui/amount). */
const centsOpacity = 0.85;

test.each(
  themes.flatMap((theme) =>
    ['papier', 'sheet', 'sapin-tint'].flatMap((ground) =>
      ['encre', 'encre-soft', 'sapin'].map((ink) => [theme, ink, ground] as const),
    ),
  ),
)('[I-02] the lighter cents of an amount are readable too, in %s: %s on %s', (theme, ink, ground) => {
  const paper = linear(token(theme, ground));
  const blended = linear(token(theme, ink)).map((channel, index) =>
    fromScreen(toScreen(channel) * centsOpacity + toScreen(paper[index] ?? 0) * (1 - centsOpacity)),
  );
  const [high = 0, low = 0] = [relative(blended), relative(paper)].sort((left, right) => right - left);
  expect((high + 0.05) / (low + 0.05)).toBeGreaterThanOrEqual(4.5);
});

type Oklch = readonly [lightness: number, chroma: number, hue: number];

function token(theme: Theme, name: string): Oklch {
  const value = new RegExp(`--${name}:\\s*([^;]+);`, 'u').exec(css)?.[1] ?? '';
  const colours = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/gu)].map(
    ([, lightness, chroma, hue]): Oklch => [Number(lightness), Number(chroma), Number(hue)],
  );
  const colour = colours[theme === 'clair' ? 0 : colours.length - 1];
  if (!colour) throw new Error(`No colour --${name}`);
  return colour;
}

function ratio(first: Oklch, second: Oklch): number {
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((left, right) => right - left);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Oklch): number {
  return relative(linear(colour));
}

function relative([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** OKLCH to linear sRGB, cut to the screen's own range. */
function linear([lightness, chroma, hue]: Oklch): number[] {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ].map((channel) => Math.min(1, Math.max(0, channel)));
}

/** Half-transparent colours are mixed as the screen encodes them. */
function toScreen(channel: number): number {
  return channel <= 0.0031308 ? 12.92 * channel : 1.055 * channel ** (1 / 2.4) - 0.055;
}

function fromScreen(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
