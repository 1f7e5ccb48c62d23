import { expect, test } from 'vitest';
import {
  das2Missing,
  das2Profession,
  das2Reason,
  das2RepaidLeft,
  das2Sentence,
  das2State,
  das2Threshold,
  das2ToCheck,
} from './das2.ts';

const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/gu, ' ');
const nothing = { repaid: 0n, repaidLeft: 0n };
const sums = (counted: bigint, isEmployee = false) => ({ ...nothing, paid: counted, counted, isEmployee });

test('[PP-04] the threshold is that of the year of the payment: 2 400 € since 2024, 1 200 € before', () => {
  expect([2022, 2023, 2024, 2026].map((year) => das2Threshold(year))).toEqual([120_000n, 120_000n, 240_000n, 240_000n]);
});

test('[PP-04] a payee is declared above the threshold, to the cent, and near it from 80 % on', () => {
  expect([191_999n, 192_000n, 240_000n, 240_001n].map((counted) => das2State(2026, sums(counted)))).toEqual([
    'under',
    'near',
    'near',
    'over',
  ]);
  expect([95_999n, 96_000n, 120_000n, 120_001n].map((counted) => das2State(2023, sums(counted)))).toEqual([
    'under',
    'near',
    'near',
    'over',
  ]);
  expect(das2State(2026, sums(900_000n, true))).toBe('left_out');
});

test('[PP-04] who is left out has a reason, and who is declared has what is missing', () => {
  expect(das2Reason(2026, sums(240_001n))).toBeNull();
  expect(plain(das2Reason(2026, sums(240_000n)))).toBe('Pas plus de 2 400 €');
  expect(das2Reason(2026, { ...nothing, paid: 500n, counted: 0n, isEmployee: false })).toBe(
    'Payé seulement en ce qui n’est pas compté',
  );
  expect(das2Reason(2026, sums(900_000n, true))).toBe('Salarié : déclaré par la paie');
  for (const state of ['over', 'near'] as const) {
    expect(das2Missing(state, nobody)).toBe('statut, nom légal, adresse et SIRET');
    expect(das2Missing(state, { ...nobody, status: 'particulier', lastName: 'Moreau' })).toBeNull();
  }
  for (const state of ['under', 'left_out'] as const) expect(das2Missing(state, nobody)).toBeNull();
});

test('[AC-10] what was paid back is said: in the sentence, as the reason, and what of it is more than the year’s payments', () => {
  const after = (paid: bigint, counted: bigint, repaid: bigint, repaidLeft: bigint) => ({
    ...sums(counted),
    paid,
    repaid,
    repaidLeft,
  });
  const part = after(250_000n, 215_000n, 35_000n, 0n);
  expect(plain(das2Sentence(2026, part))).toBe('2 150 € payés en 2026, remboursements déduits, seuil 2 400 €');
  expect(das2RepaidLeft(2026, part)).toBeNull();
  expect(das2Reason(2026, after(10_000n, 0n, 10_000n, 0n))).toBe('Remboursé en entier');
  const older = after(0n, 0n, 5050n, 5050n);
  expect(das2Reason(2026, older)).toBe('Rien de payé dans l’année');
  expect(plain(das2RepaidLeft(2026, older))).toBe(
    '50,50 € remboursés en 2026 de plus que ce qui est compté : à signaler à votre expert-comptable, pour l’année du paiement',
  );
  expect(das2RepaidLeft(2026, { ...older, isEmployee: true })).toBeNull();
});

const nobody = { status: null, lastName: null, country: null, siren: null, siret: null };

test('[AC-10] what the declaration lacks is said: the two names of a person, the SIRET of whoever has a SIREN', () => {
  const lacks = (known: Partial<Parameters<typeof das2Missing>[1]>) => das2Missing('over', { ...nobody, ...known });
  const [siren, siret] = ['732829320', '73282932000074'];
  expect(lacks({ status: 'particulier' })).toBe('nom et prénom séparés');
  expect(lacks({ status: 'micro', siren })).toBe('nom et prénom séparés et SIRET');
  expect(lacks({ status: 'agent', siren, lastName: 'Moreau' })).toBe('SIRET');
  expect(lacks({ status: 'agent', siren, siret, lastName: 'Moreau' })).toBeNull();
  expect(lacks({ status: 'societe', siren })).toBe('SIRET');
  expect(lacks({ status: 'societe', siren, siret })).toBeNull();
  expect(lacks({ status: 'association' })).toBeNull();
  expect(lacks({ status: 'association', siren })).toBe('SIRET');
});

test('[AC-08] a payee abroad lacks no SIRET, and the accountant is told of the withholding tax', () => {
  expect(das2Missing('over', { ...nobody, status: 'societe', country: 'BE' })).toBeNull();
  expect(das2Missing('over', { ...nobody, status: 'societe', country: 'FR', siren: '732829320' })).toBe('SIRET');
  expect(das2ToCheck({ status: 'particulier', country: 'ES' })).toContain('182 B');
  expect(das2ToCheck({ status: 'particulier', country: 'ES' })).toContain('à vérifier avec votre expert-comptable');
  expect(das2ToCheck({ status: 'societe', country: 'FR' })).toBeNull();
  expect(das2ToCheck({ status: null, country: null })).toBeNull();
});

test('[AC-10] a profession is what the payee does for the company', () => {
  expect(das2Profession('particulier', 'client')).toBe('Apporteur d’affaires');
  expect(das2Profession('societe', 'client')).toBe('Apporteur d’affaires');
  expect(das2Profession('agent', 'commercial')).toBe('Agent commercial');
  expect(das2Profession('societe', 'commercial')).toBe('Agent commercial');
  expect(das2Profession('salarie', 'commercial')).toBe('Commercial salarié');
  expect(das2Profession(null, 'client')).toBeNull();
});

test('[PP-04] an amount is said without its cents where it has none', () => {
  expect(plain(das2Sentence(2026, sums(215_000n)))).toBe('2 150 € payés en 2026, seuil 2 400 €');
  expect(plain(das2Sentence(2023, sums(121_050n)))).toBe('1 210,50 € payés en 2023, seuil 1 200 €');
});
