import { expect, test } from 'vitest';
import { changeText, nothingSentence, publishedKnowing, simulationSentence } from './scale-simulation.ts';

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/gu, ' ');

test('[SC-05] a change has its sign, and none has none', () => {
  expect([412_000n, -31_000n, 0n].map((change) => plain(changeText(change)))).toEqual([
    '+ 4 120,00 €',
    '− 310,00 €',
    '0,00 €',
  ]);
});

test('[SC-05] a simulation is one sentence: what it would have cost beside what it did, or that there is nothing to compare', () => {
  const said = (contracts: number, before: bigint, after: bigint) => [
    plain(simulationSentence({ contracts, before, after })),
    plain(publishedKnowing({ contracts, before, after })),
  ];
  expect(said(312, 4_420_000n, 4_832_000n)).toEqual([
    '48 320,00 € au lieu de 44 200,00 € : + 4 120,00 €, sur 312 contrats.',
    'Publiée en sachant : + 4 120,00 € sur douze mois.',
  ]);
  expect(said(1, 100n, 100n)).toEqual([
    '1,00 €, comme en réalité, sur un contrat : le total ne change pas.',
    'Publiée en sachant : 0,00 € sur douze mois.',
  ]);
  expect(said(0, 0n, 0n)).toEqual([
    'Aucun contrat validé avec ce barème en douze mois : il n’y a rien à comparer.',
    'Publiée en sachant qu’aucun contrat de douze mois n’était concerné.',
  ]);
});

test('[SC-05] contracts that would give nothing are said with their reason', () => {
  expect(plain(nothingSentence({ side: 'client', reason: 'min_contract', contracts: 3, given: 12_000n }))).toBe(
    'Client : 3 contrats, en dessous du plus petit contrat (120,00 € en réalité).',
  );
  expect(plain(nothingSentence({ side: 'commercial', reason: 'annulled', contracts: 1, given: 0n }))).toBe(
    'Commercial : 1 contrat, dont rien ne reste (rien en réalité non plus).',
  );
});
