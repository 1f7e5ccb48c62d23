import { commissionsOf } from '@parrain/domain/commission';
import { formatEuros, parseEuros } from '@parrain/domain/money';
import { parsePercent } from '@parrain/domain/percent';
import { describe, expect, test } from 'vitest';
import { costExample, referralCost } from './referral-cost.ts';

const asked = (changed: Partial<typeof costExample>) => ({ ...costExample, ...changed });
const written = (cents: bigint) => formatEuros(cents).replaceAll('\u202f', '\u00a0');

describe('[UI-14] « Combien coûte un parrainage ? »', () => {
  test('the example is the formula that validates a sale, as often as a contract is signed', () => {
    const each = commissionsOf(parseEuros(costExample.contract) ?? 0n, {
      client: { type: 'percentage', basisPoints: parsePercent(costExample.client) ?? 0n },
      commercial: { type: 'percentage', basisPoints: parsePercent(costExample.commercial) ?? 0n },
    });
    const month = (each.client + each.commercial) * BigInt(costExample.contracts);
    expect(referralCost(costExample).said).toEqual({
      month: written(month),
      year: written(month * 12n),
      client: written(each.client),
      commercial: written(each.commercial),
      signed: written(1_440_000n),
    });
  });

  test.each([
    // 5 % of 33,33 is 1,6665: each contract is rounded by itself, as at its validation.
    [{ contract: '33,33', contracts: '3', commercial: '0' }, '5,01', '60,12'],
    [{ contract: '0,10', contracts: '9999', client: '5', commercial: '5' }, '199,98', '2\u00a0399,76'],
    [
      { contract: '9 999 999,99', contracts: '9999', client: '100', commercial: '100' },
      '199\u00a0979\u00a0999\u00a0800,02',
      undefined,
    ],
    [{ contract: ' 1234.56 ', contracts: ' 1 ', client: '10 %', commercial: '' }, '123,46', '1\u00a0481,52'],
    [{ client: '12,5', commercial: '0,00' }, '1\u00a0800,00', '21\u00a0600,00'],
  ])('%j costs %s € a month, to the cent', (typed, month, year) => {
    const { said } = referralCost(asked(typed));
    expect(said?.month).toBe(`${month}\u00a0€`);
    if (year !== undefined) expect(said?.year).toBe(`${year}\u00a0€`);
  });

  test.each([
    ['contract', ['', '0', '-5', '1e3', '12,345', 'beaucoup']],
    ['contracts', ['', '0', '2,5', '-1', '10000', 'six']],
    ['client', ['101', '-1', '1,234', 'dix']],
    ['commercial', ['101', '-1', '1,234', 'dix']],
  ] as const)('a wrong %s is told at its field, and no sum is said', (name, texts) => {
    for (const text of texts) {
      const { said, wrong } = referralCost(asked({ [name]: text }));
      expect([text, said, Object.keys(wrong ?? {})]).toEqual([text, undefined, [name]]);
    }
  });
});
