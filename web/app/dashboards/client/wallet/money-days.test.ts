import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { holdText, leavingText } from './money-days.ts';

const { t } = i18n;
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/gu, ' ');
const ahead = (leavesOn: string | null, isApproved = true) => ({ requestId: 'r', amount: 100n, isApproved, leavesOn });
const kept = (until: string, isUnderCheck = false) => ({ id: until, amount: 100n, until, isUnderCheck });

test('[UI-02] money on its way says the day it leaves, or left and is expected, else what it waits for', () => {
  const text = (...payments: Parameters<typeof leavingText>[0]) => plain(leavingText(payments, '2026-11-27', t));
  expect(text()).toBe('');
  expect(text(ahead('2026-12-03'), ahead(null))).toBe('Part le 3 déc. 2026');
  // Friday: the next bank day is Monday. Before Easter: four days later.
  expect(text(ahead('2026-11-27'))).toBe('Parti le 27 nov. 2026, attendu le 30 nov. 2026');
  expect(text(ahead('2026-04-02'))).toBe('Parti le 2 avr. 2026, attendu le 7 avr. 2026');
  expect(text(ahead(null), ahead(null, false))).toBe('Accordé : le paiement se prépare');
  expect(text(ahead(null, false))).toBe('Attend l’accord de votre entreprise');
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
