import { expect, test } from 'vitest';
import { standingLabel, standingSentence } from './standing-words.ts';
import { setsAside, standingFromWire, stops } from './standing.ts';

const said = [
  { code: 'closed' },
  { code: 'debt' },
  { code: 'incomplete' },
  { code: 'case', case_id: 'c', case_status: 'open', is_held: false },
  { code: 'case', case_id: 'd', case_status: 'confirmed', is_held: true },
  { code: 'batch', batch_id: 'b', batch_number: 2 },
  { code: 'iban', from: '2026-11-25T11:43:00Z' },
  { code: 'shared_iban', names: 'Léa Martin' },
  { code: 'vat' },
  { code: 'unheard of' },
];
const standing = standingFromWire(said);

test('[DF-40] what stands against a decision is read from the wire; what is not known is left out', () => {
  expect(standing).toHaveLength(9);
  for (const nothing of [null, undefined, {}, 'x']) expect(standingFromWire(nothing)).toEqual([]);
});

test('[DF-40] each decision is stopped by what the database would refuse, and a bulk act leaves doubts to one of their own', () => {
  const which = (isSo: typeof stops, decision: Parameters<typeof stops>[1]) =>
    standing.filter((one) => isSo(one, decision)).map((one) => (one.code === 'case' ? one.caseId : one.code));
  expect(which(stops, 'approved')).toEqual(['closed', 'debt', 'incomplete', 'd']);
  expect(which(stops, 'paid')).toEqual(['closed', 'debt', 'incomplete', 'batch', 'iban']);
  expect(which(stops, 'rejected')).toEqual([]);
  expect(which(stops, 'validated')).toEqual([]);
  expect(which(setsAside, 'approved')).toEqual(['closed', 'debt', 'incomplete', 'c', 'd']);
  expect(which(setsAside, 'paid')).toEqual(['closed', 'debt', 'incomplete', 'c', 'd', 'batch', 'iban']);
  expect(which(setsAside, 'validated')).toEqual(['c', 'd']);
  expect(which(setsAside, 'rejected')).toEqual([]);
});

test('[DF-40, DF-03] each is said in a few words and in a sentence', () => {
  expect(standing.map(standingLabel)).toEqual([
    'Compte fermé',
    'Solde négatif',
    'Informations légales manquantes',
    'Cas douteux, à examiner',
    'Cas douteux, confirmé',
    'Dans le virement n° 2',
    expect.stringMatching(/^IBAN changé, utilisable le 25 nov\. 2026 à \d\d:\d\d$/u) as unknown as string,
    'Même IBAN que Léa Martin',
    'TVA à accepter',
  ]);
  const sentences = standing.map((one) => standingSentence(one, true));
  expect(sentences[6]).toContain('ou dès que le client l’aura confirmé par le lien de son e-mail.');
  for (const sentence of sentences) expect(sentence).toMatch(/^\p{Lu}.*\.$/u);
});
