import { expect, test } from 'vitest';

import { failureMessage } from './failure.ts';
import { accountRefused, isPaidOtherwise, transferObstacle } from './payment-batch.ts';
import { standingLabel } from './standing-words.ts';

const whole = { obstacle: null, iban: 'FR76 •••• •••• 0189', beneficiary: 'Léa Martin', ibanUsableFrom: null };

test('[PO-01][PP-01] a transfer that cannot be paid says why, and where that is mended', () => {
  expect(transferObstacle(whole)).toBeNull();
  const mends = (change: Partial<Parameters<typeof transferObstacle>[0]>) => {
    const found = transferObstacle({ ...whole, ...change });
    return found && [found.mend, found.reason];
  };
  expect(mends({ obstacle: 'closed' })).toEqual(['request', 'Son compte est fermé.']);
  expect(mends({ obstacle: 'debt' })).toEqual(['account', 'Une validation annulée a rendu son solde négatif.']);
  expect(mends({ obstacle: 'incomplete' })).toEqual(['payee', expect.stringContaining('informations légales')]);
  for (const iban of [null, '', '  ']) {
    expect(mends({ obstacle: 'no_iban', iban })).toEqual(['request', 'L’IBAN manque.']);
  }
  expect(mends({ iban: 'US76 •••• •••• 0189' })?.[1]).toContain('hors de la zone SEPA');
  for (const beneficiary of [null, ' ']) {
    expect(mends({ obstacle: 'no_name', beneficiary })).toEqual(['request', 'Le nom du titulaire du compte manque.']);
  }
  expect(mends({ beneficiary: 'Софи' })?.[1]).toContain('lettre latine');
});

test('[DF-43] a month that is paid otherwise than by transfer is named with its cause', () => {
  for (const [obstacle, reason] of [
    ['payroll', 'avec la paie'],
    ['no_status', 'Son statut n’est pas renseigné'],
  ] as const) {
    expect(isPaidOtherwise(obstacle)).toBe(true);
    const left = transferObstacle({
      obstacle,
      iban: null,
      beneficiary: null,
      ibanUsableFrom: null,
      month: '2026-10-01',
    });
    expect(left).toEqual({ mend: 'commercial', reason: expect.stringContaining(reason) });
  }
  expect([null, 'iban', 'closed'].some(isPaidOtherwise)).toBe(false);
});

test('[PO-04] a changed IBAN is the reason where nothing else is: it passes by itself', () => {
  const changed = { ...whole, obstacle: 'iban', ibanUsableFrom: '2026-11-25T11:43:00Z' };
  expect(transferObstacle(changed)?.reason).toMatch(/^IBAN changé, utilisable le 25 nov\. 2026 à \d\d:\d\d\.$/u);
  expect(transferObstacle({ ...changed, beneficiary: null })?.reason).toBe('Le nom du titulaire du compte manque.');
});

test('[PO-04][E-03] a mail’s link is named where mails leave, and its reader', () => {
  const changed = { ...whole, obstacle: 'iban', ibanUsableFrom: '2026-11-25T11:43:00Z' };
  expect(transferObstacle(changed)?.reason).not.toContain('e-mail');
  expect(transferObstacle(changed, true)?.reason).toContain('ou dès que le client l’aura confirmé');
  expect(transferObstacle({ ...changed, month: '2026-10' }, true)?.reason).toContain('ou dès que le commercial l’aura');
});

test('[AC-09] an account that its bank refused, and one abroad without its BIC, are left out of a batch, each under its reason', () => {
  const refused = { ...whole, obstacle: 'iban', ibanUsableFrom: '9999-12-31T12:00:00+00:00' };
  expect(transferObstacle(refused, true)).toEqual({ mend: 'refused', reason: accountRefused });
  expect(standingLabel({ code: 'iban', from: refused.ibanUsableFrom })).toBe('Compte refusé par la banque');
  expect(failureMessage('iban_not_usable_yet', { from: refused.ibanUsableFrom })).toBe(accountRefused);
  const abroad = { ...whole, obstacle: 'no_bic', iban: 'CH93 •••• •••• 2957' };
  expect(transferObstacle(abroad)).toEqual({ mend: 'request', reason: expect.stringContaining('le BIC et l’adresse') });
  expect(transferObstacle({ ...abroad, month: '2026-10-01' })?.mend).toBe('commercial');
});
