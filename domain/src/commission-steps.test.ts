import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commissionsOfSale, correctionOf, type CommissionSide } from './commission.ts';
import { commissionSteps, formatExact, ruledSteps, sumOfSteps } from './commission-steps.ts';
import { exactly } from './exact-amount.ts';
import { earned } from './scale-rules.ts';

const aSide: fc.Arbitrary<CommissionSide> = fc.oneof(
  fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt({ min: 1n, max: 10_000n }) }),
  fc.record({ type: fc.constant('fixed' as const), amount: fc.bigInt({ min: 1n, max: 999_999_999n }) }),
);
const anAmount = fc.bigInt({ min: 1n, max: 999_999_999n });
const textOf = ({ contract, steps, result }: ReturnType<typeof commissionSteps>) => [
  ...contract.map(({ label, amount }) => `${label} ${formatExact(exactly(amount))}`),
  ...steps.map(({ label, amount }) => `${label} ${formatExact(amount)}`),
  `${result.label} ${formatExact(exactly(result.amount))}`,
];
const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/[\u00a0\u202f]/gu, ' '));

test('[LG-05] the steps add up to the commission, whatever the contract, the scale and its corrections', () => {
  fc.assert(
    fc.property(anAmount, fc.option(anAmount, { nil: null }), aSide, fc.boolean(), (amount, left, terms, hasPayee) => {
      const validated = commissionSteps({ terms, contractAmount: amount, contractLeft: null, hasPayee });
      const sale = { contractAmount: amount, friendReferrerId: hasPayee ? 'ami' : null, clientReferrerId: null };
      const scale = { client: terms, commercial: terms };
      expect(validated.result.amount).toBe(commissionsOfSale(sale, scale).client);
      expect(sumOfSteps(validated)).toBe(exactly(validated.result.amount));

      const after = left === null ? 0n : left % amount;
      const corrected = commissionSteps({
        terms,
        contractAmount: after - amount,
        contractLeft: after === 0n ? null : after,
        hasPayee,
      });
      const ends = correctionOf(sale, { before: amount, after }, scale);
      expect(corrected.result.amount).toBe(ends.after.client - ends.before.client);
      expect(sumOfSteps(corrected)).toBe(exactly(corrected.result.amount));
    }),
  );
});

test('[LG-05] each step has its words and its figure, the rounding too', () => {
  const tenPercent: CommissionSide = { type: 'percentage', basisPoints: 1_000n };
  const facts = { terms: tenPercent, contractLeft: null, hasPayee: true };
  expect(plain(textOf(commissionSteps({ ...facts, contractAmount: 123_456n })))).toEqual([
    'Contrat 1 234,56 €',
    '10 % du contrat 123,456 €',
    'Arrondi au centime 0,004 €',
    'Commission 123,46 €',
  ]);
  expect(plain(textOf(commissionSteps({ ...facts, contractAmount: -40_000n, contractLeft: 60_000n })))).toEqual([
    'Contrat, avant 1 000,00 €',
    'Contrat, après 600,00 €',
    'Ce qui reste : 10 % de 600,00 € 60,00 €',
    'Déjà compté : 10 % de 1 000,00 € −100,00 €',
    'Commission reprise −40,00 €',
  ]);
  expect(
    plain(textOf(commissionSteps({ ...facts, terms: { type: 'fixed', amount: 5_000n }, contractAmount: -40_000n }))),
  ).toEqual([
    'Contrat, avant 400,00 €',
    'Contrat, après 0,00 €',
    'Rien ne reste du contrat 0,00 €',
    'Déjà compté : montant fixe −50,00 €',
    'Commission reprise −50,00 €',
  ]);
  expect(plain(textOf(commissionSteps({ ...facts, hasPayee: false, contractAmount: 100n })))).toEqual([
    'Contrat 1,00 €',
    'Personne n’a parrainé 0,00 €',
    'Commission 0,00 €',
  ]);
});

test('[UI-11, LG-05] what is added to a contract is what the scale gives for its new amount, less what it gave before', () => {
  const terms = { type: 'percentage', basisPoints: 1000n } as const;
  const steps = commissionSteps({ terms, contractAmount: 24_999n, contractLeft: 125_004n, hasPayee: true });
  expect(plain(textOf(steps))).toEqual([
    'Contrat, avant 1 000,05 €',
    'Contrat, après 1 250,04 €',
    'Nouveau montant : 10 % de 1 250,04 € 125,00 €',
    'Déjà compté : 10 % de 1 000,05 € −100,01 €',
    'Commission ajoutée 24,99 €',
  ]);
  expect(sumOfSteps(steps)).toBe(exactly(steps.result.amount));
});

test('[SC-02] a correction by steps is what they give for what is left, at the standing that was frozen, less what was counted', () => {
  const side = {
    type: 'percentage',
    basisPoints: 300n,
    extra: {
      steps: { measure: 'revenue', mode: 'slice', countsOver: 'scale', above: [{ from: 1_000_000n, value: 400n }] },
    },
  } as const;
  const by = (contract: bigint) => earned(contract, side, { position: 800_000n, isFirst: false, capRoom: null });
  const validated = ruledSteps({ contractAmount: 500_000n, contractLeft: null }, by);
  expect(validated.result).toEqual({ label: 'Commission', amount: 18_000n });
  expect(sumOfSteps(validated)).toBe(exactly(18_000n));
  const corrected = ruledSteps({ contractAmount: -350_000n, contractLeft: 150_000n }, by);
  expect(corrected.result).toEqual({ label: 'Commission reprise', amount: -13_500n });
  expect(sumOfSteps(corrected)).toBe(exactly(-13_500n));
  const annulled = ruledSteps({ contractAmount: -500_000n, contractLeft: null }, by);
  expect(annulled.result).toEqual({ label: 'Commission reprise', amount: -18_000n });
});
