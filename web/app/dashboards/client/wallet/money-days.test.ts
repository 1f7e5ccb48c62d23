import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { holdText, leavingLines } from './money-days.ts';

const { t } = i18n;
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/gu, ' ');
const ahead = (leavesOn: string | null, amount: bigint, isApproved = true) => ({
  requestId: 'r',
  amount,
  isApproved,
  leavesOn,
});
const kept = (until: string, isUnderCheck = false) => ({ id: until, amount: 100n, until, isUnderCheck });

test('[UI-02] money on its way says the day it leaves, or left and is expected, else what it waits for', () => {
  const lines = (...payments: Parameters<typeof leavingLines>[0]) =>
    leavingLines(payments, '2026-11-27', t).map((line) => plain(line));
  expect(lines()).toEqual([]);
  expect(lines(ahead('2026-12-03', 100n))).toEqual(['Part le 3 déc. 2026']);
  // Friday: the next bank day is Monday. Before Easter: four days later.
  expect(lines(ahead('2026-11-27', 100n))).toEqual(['Parti le 27 nov. 2026, attendu le 30 nov. 2026']);
  expect(lines(ahead('2026-04-02', 100n))).toEqual(['Parti le 2 avr. 2026, attendu le 7 avr. 2026']);
  expect(lines(ahead(null, 100n))).toEqual(['Accordé : le paiement se prépare']);
  expect(lines(ahead(null, 100n, false), ahead(null, 5n, false))).toEqual(['Attend l’accord de votre entreprise']);
});

test('[UI-02] money on its way in several states says how much is in each', () => {
  const payments = [
    ahead('2026-12-03', 15_000n),
    ahead(null, 210_00n),
    ahead(null, 6_000n, false),
    ahead(null, 1n, false),
  ];
  expect(leavingLines(payments, '2026-11-27', t).map((line) => plain(line))).toEqual([
    '150,00 € · Part le 3 déc. 2026',
    '210,00 € · Accordé : le paiement se prépare',
    '60,01 € · Attend l’accord de votre entreprise',
  ]);
});

test('[UI-02][FD-01] money to come says the soonest day it can be asked for, else that it is checked', () => {
  expect(holdText([], t)).toBe('');
  expect(holdText([kept('2026-12-20T09:00:00Z'), kept('2026-12-12T09:00:00Z')], t)).toBe(
    'À demander dès le 12 déc. 2026',
  );
  expect(holdText([kept('2026-12-01T09:00:00Z', true), kept('2026-12-12T09:00:00Z')], t)).toBe(
    'À demander dès le 12 déc. 2026',
  );
  expect(holdText([kept('2026-12-01T09:00:00Z', true)], t)).toBe('Une vérification est en cours');
});
