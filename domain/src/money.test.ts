import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contractAmountMaxCents,
  formatAmount,
  formatEuros,
  fromWire,
  parseEuros,
  percentOf,
  sum,
  toWire,
} from './money.ts';

const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const contractCents = fc.bigInt({ min: 0n, max: contractAmountMaxCents });

describe('reading an amount', () => {
  test.each([
    ['1234.56', 123_456n],
    ['1234,56', 123_456n],
    ['1 234,56', 123_456n],
    ['1\u202f234,56', 123_456n],
    ['1\u00a0234,56', 123_456n],
    ['9 999 999,99', 999_999_999n],
    [' 100 ', 10_000n],
    ['0', 0n],
    ['0,5', 50n],
    [1234.56, 123_456n],
    [0.1, 10n],
    [50, 5_000n],
    [9_999_999.99, 999_999_999n],
  ])('[V-17] « %s » is an amount', (input, expected) => {
    expect(parseEuros(input)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    '-5',
    '-0',
    '+5',
    '0.001',
    '12,345',
    '1e3',
    '1E3',
    'NaN',
    'Infinity',
    '0x10',
    '12.',
    '.5',
    ',5',
    '1,234.56',
    '1.234,56',
    '12 34',
    '1  234',
    '1 234 5',
    '1\t234',
    '1234.56 €',
    '10000000',
    '9 999 999,995',
    '99999999999',
    '9'.repeat(400),
    '１２',
    '١٢',
    '12\u0000',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    -5,
    0.001,
    0.1 + 0.2,
    1e308,
    1e21,
    10_000_000,
    99_999_999_999,
  ])('[V-17] « %s » is none', (input) => {
    expect(parseEuros(input)).toBeNull();
  });

  test('[V-17] every amount of two decimals reads back exactly, as text or as a number', () => {
    fc.assert(
      fc.property(contractCents, (amount) => {
        expect(parseEuros(toWire(amount))).toBe(amount);
        expect(parseEuros(formatAmount(amount))).toBe(amount);
        expect(parseEuros(Number(toWire(amount)))).toBe(amount);
      }),
      { numRuns: 2_000 },
    );
  });

  test('[V-17] any number is an exact amount or nothing', () => {
    fc.assert(
      fc.property(fc.double(), (input) => {
        const amount = parseEuros(input);
        if (amount !== null) expect(Number(toWire(amount))).toBe(input);
      }),
      { numRuns: 5_000 },
    );
  });

  test('[V-17] no text slows the reading down', () => {
    const start = process.cpuUsage();
    for (const text of ['1 '.repeat(50_000), '9'.repeat(100_000), '1 234'.repeat(20_000), ' '.repeat(100_000)])
      parseEuros(text);
    // Time of this process alone, whatever else the machine does; far below what backtracking over such a text takes.
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});

describe('the wire', () => {
  test('[M-10] every amount passes the wire without loss, negative ones too', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        expect(fromWire(toWire(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    [1234.56, 123_456n],
    [-1234.5, -123_450n],
    ['-0.05', -5n],
    ['9999999999.99', 999_999_999_999n],
    ['12', 1_200n],
    [0, 0n],
  ])('[M-10] %s is read', (value, expected) => {
    expect(fromWire(value)).toBe(expected);
  });

  test.each(['', 'abc', '1,5', '1.234', '1e3', '--1', Number.NaN, 1e13, 0.1 + 0.2, 1e-7])(
    '[M-10] %s is refused',
    (value) => {
      expect(() => fromWire(value)).toThrow('Not an amount');
    },
  );
});

describe('writing an amount', () => {
  test.each([
    [123_456n, '1\u202f234,56\u00a0€'],
    [0n, '0,00\u00a0€'],
    [5n, '0,05\u00a0€'],
    [-5n, '\u22120,05\u00a0€'],
    [-123_456_789n, '\u22121\u202f234\u202f567,89\u00a0€'],
    [10_000n, '100,00\u00a0€'],
    [99_999n, '999,99\u00a0€'],
  ])('[I-02] %s cents are written in French', (amount, expected) => {
    expect(formatEuros(amount)).toBe(expected);
  });

  test('[I-02] the format is Intl’s, but for the minus sign', () => {
    const intl = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 11n), max: 10n ** 11n }), (amount) => {
        expect(formatEuros(amount)).toBe(intl.format(Number(toWire(amount))).replace('-', '\u2212'));
      }),
    );
  });
});

describe('percentages of an amount', () => {
  test.each([
    [123_456n, 1_000n, 12_346n],
    [500n, 290n, 15n],
    [-500n, 290n, -15n],
    [1n, 3_333n, 0n],
    [1n, 5_000n, 1n],
    [-1n, 5_000n, -1n],
    [3n, 5_000n, 2n],
    [0n, 10_000n, 0n],
    [contractAmountMaxCents, 3_333n, 333_300_000n],
    [contractAmountMaxCents, 10_000n, contractAmountMaxCents],
  ])('[M-01] %s cents at %s basis points are %s', (amount, basisPoints, expected) => {
    expect(percentOf(amount, basisPoints)).toBe(expected);
  });

  // The model writes the exact product as a decimal text with six decimals and rounds it by hand, digit by digit.
  function roundedByHand(amount: bigint, basisPoints: bigint): bigint {
    const magnitude = amount < 0n ? -amount : amount;
    const digits = String(magnitude * basisPoints).padStart(5, '0');
    const whole = BigInt(digits.slice(0, -4));
    const rounded = Number(digits.at(-4)) >= 5 ? whole + 1n : whole;
    return amount < 0n ? -rounded : rounded;
  }

  test('[M-01] rounding is exact, half away from zero, for every amount and rate', () => {
    fc.assert(
      fc.property(cents, fc.bigInt({ min: 1n, max: 10_000n }), (amount, basisPoints) => {
        expect(percentOf(amount, basisPoints)).toBe(roundedByHand(amount, basisPoints));
      }),
      { numRuns: 20_000 },
    );
  });

  test('[M-01] every exact half-cent moves away from zero', () => {
    // amount × rate = n × 10 000 + 5 000 exactly: every tie that the divisors of 10 000 can make.
    for (const divisor of [2n, 4n, 8n, 10n, 16n, 20n, 50n, 100n, 200n, 500n, 1_000n, 2_500n, 5_000n]) {
      const basisPoints = 10_000n / divisor;
      if (basisPoints * divisor !== 10_000n || divisor % 2n !== 0n) continue;
      for (let odd = 1n; odd < 2_000n; odd += 2n) {
        const amount = (odd * divisor) / 2n;
        expect(percentOf(amount, basisPoints)).toBe((odd + 1n) / 2n);
        expect(percentOf(-amount, basisPoints)).toBe(-(odd + 1n) / 2n);
      }
    }
  });

  test('[M-10] a sum depends neither on the order nor on the grouping', () => {
    fc.assert(
      fc.property(fc.array(cents), fc.array(cents), (some, others) => {
        expect(sum([...some, ...others])).toBe(sum([...others].reverse()) + sum(some));
      }),
    );
  });
});
